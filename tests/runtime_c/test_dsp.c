#include "check.h"
#include "s2s_dsp.h"
#include "s2s_look_up.h"
#include "s2s_look_up_groups.h"

#include <string.h>

static const int8_t bytes[12] = {1, -2, 3, -4, 127, -128, 5, 6, 7, 8, 9, 10};

static int32_t weighted(s2s_i16x4 a)
{
    static const int16_t places[4] = {1, 1000, 10000, 20000};

    return s2s_i16x4_dot(0, a, s2s_i16x4_load(places));
}

static void widening_interleaves(void)
{
    const s2s_i8x8 eight = s2s_i8x8_load(bytes);

    CHECK(weighted(s2s_i8x4_extend(s2s_i8x4_load_at(bytes, 4))) == weighted(s2s_i8x8_extend_high(eight)));
    CHECK(weighted(s2s_i8x4_extend(s2s_i8x4_load(bytes))) == 1 + 3000 - 20000 - 80000);
    CHECK(weighted(s2s_i8x4_extend_add(s2s_i8x4_load(bytes), 10)) == 11 + 13000 + 80000 + 120000);
    CHECK(weighted(s2s_i8x8_extend_low(eight)) == 1 + 3000 - 20000 - 80000);
    CHECK(weighted(s2s_i8x8_extend_high(eight)) == 127 + 5000 - 1280000 + 120000);
    CHECK(weighted(s2s_i8x4_extend_add(s2s_i8x4_load(&bytes[1]), -128)) == -130 - 132000 - 1250000 - 20000);
}

static void dot_products_add_up(void)
{
    static const int16_t a[4] = {300, -300, 7, -8}, b[4] = {-128, 127, 100, 1};
    static const int16_t taps[4] = {-128, 127, 127, 100};

    CHECK(s2s_i16x4_dot(5, s2s_i16x4_load(a), s2s_i16x4_load(b)) == 5 - 38400 - 38100 + 700 - 8);
    CHECK(s2s_i16x4_dot_taps(5, s2s_i16x4_load(a), s2s_i16x4_load(taps)) == 5 - 38400 - 38100 + 700);
    CHECK(s2s_i16x4_dot_next(5, s2s_i16x4_load(a), s2s_i16x4_load(taps)) == 5 + 38400 + 889 - 800);
}

static void products_widen_bytes(void)
{
    static const int16_t a[4] = {300, -301, 7000, -8000};
    const s2s_i16x4 x = s2s_i16x4_load(a);
    const s2s_i8x8 b = s2s_i8x8_load(bytes);

    CHECK(s2s_i8x4_dot_extend(5, x, b.low) == s2s_i16x4_dot(5, x, s2s_i8x4_extend(b.low)));
    CHECK(s2s_i8x8_dot_extend_low(5, x, b) == s2s_i16x4_dot(5, x, s2s_i8x8_extend_low(b)));
    CHECK(s2s_i8x8_dot_extend_high(5, x, b) == s2s_i16x4_dot(5, x, s2s_i8x8_extend_high(b)));
    CHECK(s2s_i8x4_dot_pairs(5, x, b.low) == s2s_i16x4_dot(5, x, s2s_i8x4_pairs(b.low)));
    CHECK(s2s_i8x8_dot_pairs_low(5, x, b) == s2s_i16x4_dot(5, x, s2s_i8x8_pairs_low(b)));
    CHECK(s2s_i8x8_dot_pairs_high(5, x, b) == s2s_i16x4_dot(5, x, s2s_i8x8_pairs_high(b)));
}

static void pairs_of_numbers_add_and_subtract(void)
{
    static const int16_t far[2] = {32767, -32768};
    int16_t found[2];
    const s2s_i16x2 a = s2s_i8x2_extend_add(s2s_i8x2_load(&bytes[4]), 128);

    s2s_i16x2_store(found, a);
    CHECK(found[0] == 255 && found[1] == 0);
    s2s_i16x2_store(found, s2s_i8x2_extend_add(s2s_i8x2_load(&bytes[1]), -128));
    CHECK(found[0] == -130 && found[1] == -125);
    s2s_i16x2_store(found, s2s_i16x2_add(a, s2s_i16x2_load(far)));
    CHECK(found[0] == -32514 && found[1] == -32768);
    s2s_i16x2_store(found, s2s_i16x2_sub(s2s_i16x2_zero(), s2s_i16x2_load(far)));
    CHECK(found[0] == -32767 && found[1] == -32768);
}

static void offsets_count_elements(void)
{
    int16_t many[514];

    for (int16_t i = 0; i < 514; ++i) {
        many[i] = i;
    }
    CHECK(weighted(s2s_i16x4_load_at(many, 0)) == 1000 + 20000 + 60000);
    CHECK(weighted(s2s_i16x4_load_at(many, 2)) == weighted(s2s_i16x4_load(&many[2])));
    CHECK(weighted(s2s_i16x4_load_at(many, 510)) == weighted(s2s_i16x4_load(&many[510])));
}

/* Bytes x0 and x1 times the constants w0 and w1, of which the pair is w1 - 256 * w0. */
static void pairs_multiply_bytes(void)
{
    static const int8_t ends[5] = {-127, -1, 0, 3, 127};

    for (int32_t x0 = -128; x0 <= 127; ++x0) {
        for (int32_t x1 = -128; x1 <= 127; x1 += 5) {
            const int8_t factors[4] = {(int8_t)x0, (int8_t)x1, 0, 0};

            for (size_t i = 0; i < sizeof ends; ++i) {
                for (size_t k = 0; k < sizeof ends; ++k) {
                    const int32_t w0 = ends[i], w1 = ends[k];
                    const int8_t pair[8] = {(int8_t)w1, (int8_t)(-w0 - (w1 < 0)), 0, 0, (int8_t)w1, 0, 0, 0};
                    const s2s_i16x4 low = s2s_i8x8_pairs_low(s2s_i8x8_load(pair));
                    const s2s_i16x4 x = s2s_i8x4_pair_factors(s2s_i8x4_load(factors));

                    CHECK(s2s_i16x4_dot(32512 * w0 - 255 * w1, x, low) == 256 * (x0 * w0 + x1 * w1));
                }
            }
        }
    }
}

static void pairs_are_copied(void)
{
    int16_t row[9], expected[8];

    for (int32_t low = -3; low <= 9; ++low) {
        for (int32_t high = -3; high <= 11; ++high) {
            int8_t inside[8];

            for (int32_t i = 0; i < 8; ++i) {
                inside[i] = (low <= i && i < high) ? bytes[2 + i] : -77;
            }
            s2s_cache_read_pairs(expected, inside, 8);
            row[8] = -1;
            s2s_cache_read_pairs_clipped(row, bytes, 2, 8, low, high, -77);
            CHECK(memcmp(row, expected, sizeof expected) == 0 && row[8] == -1);
        }
    }
    s2s_cache_read_pairs(expected, &bytes[2], 8);
    CHECK(expected[0] == 127 - bytes[2] && expected[3] == 256 * bytes[5] + bytes[4] + 128);
    s2s_cache_read_pairs_fill(row, 8, 3);
    CHECK(row[0] == 124 && row[5] == 124 && row[7] == 899 && row[8] == -1);
}

/* Rows of four points side by side: halves of groups lie 8 elements apart, groups 16. */
static void points_are_copied_side_by_side(void)
{
    int16_t apart[4][8], rows[33], all[33];
    int8_t many[32];

    for (int32_t i = 0; i < 32; ++i) {
        many[i] = (int8_t)(bytes[i % 12] / 2 + i);
    }
    rows[32] = all[32] = -1;
    for (int32_t point = 0; point < 4; ++point) {
        s2s_cache_read_pairs(apart[point], &many[8 * point], 8);
        if (point % 2 == 0) {
            s2s_cache_read_points(&rows[2 * point], &many[8 * point], 8, 4);
        } else {
            s2s_cache_read_points_clipped(&rows[2 * point], many, 8 * point, 8, 0, 8, 5, 4);
        }
    }
    s2s_cache_read_all_points(all, many, 8, 4);
    for (int32_t point = 0; point < 4; ++point) {
        for (int32_t i = 0; i < 8; ++i) {
            const int32_t at = (i / 2) * 8 + 2 * point + i % 2;

            CHECK(rows[at] == apart[point][i] && all[at] == apart[point][i]);
        }
    }
    s2s_cache_read_points_clipped(&rows[2], bytes, 0, 8, 2, 5, 3, 4);
    CHECK(rows[2] == 124 && rows[3] == 127 - bytes[2] && rows[10] == 256 * 3 + 3 + 128);
    CHECK(rows[18] == 127 - bytes[4] && rows[19] == 124 && rows[26] == 3 * 256 + bytes[4] + 128);
    s2s_cache_read_points_fill(&rows[4], 8, 3, 4);
    CHECK(rows[4] == 124 && rows[12] == 899 && rows[20] == 124 && rows[28] == 899);
    CHECK(rows[32] == -1 && all[32] == -1);
}

static void halves_are_taken_by_products(void)
{
    const s2s_i8x8 b = s2s_i8x8_load(bytes);
    const s2s_i16x4 x = s2s_i8x4_pair_factors(b.low);
    int32_t sum = s2s_i16x2_dot(5, s2s_i16x4_low(x), s2s_i8x8_pairs_high_first(b));

    sum = s2s_i16x2_dot(sum, s2s_i16x4_high(x), s2s_i8x8_pairs_high_second(b));
    CHECK(sum == s2s_i16x4_dot(5, x, s2s_i8x8_pairs_high(b)));
    sum = s2s_i16x2_dot(5, s2s_i16x4_low(x), s2s_i8x8_pairs_low_first(b));
    sum = s2s_i16x2_dot(sum, s2s_i16x4_high(x), s2s_i8x8_pairs_low_second(b));
    CHECK(sum == s2s_i16x4_dot(5, x, s2s_i8x8_pairs_low(b)));
}

static int is_row(const int16_t *row, int32_t count, int32_t first, int32_t stride, int32_t low, int32_t high,
                  int32_t offset)
{
    for (int32_t i = 0; i < count; ++i) {
        const int32_t expected = (low <= i && i < high) ? bytes[first + i * stride] + offset : 0;

        if (row[i] != expected) {
            return 0;
        }
    }
    return row[count] == -1;
}

static void nibbles_are_widened(void)
{
    for (int32_t first = 0; first < 16; ++first) {
        int8_t packed[4], numbers[8];
        s2s_i8x4 four;
        s2s_i8x8 eight;

        for (int32_t i = 0; i < 8; ++i) {
            numbers[i] = (int8_t)((first * (i + 1) + i) % 16 - 8);
        }
        for (int32_t i = 0; i < 4; ++i) {
            packed[i] = (int8_t)((numbers[i] + 8) | (int32_t)((uint32_t)(numbers[i + 4] + 8) << 4));
        }
        eight = s2s_i8x8_load_nibbles(packed);
        CHECK(memcmp(&eight.low, numbers, 4) == 0 && memcmp(&eight.high, &numbers[4], 4) == 0);
        for (int32_t i = 0; i < 2; ++i) {
            packed[i] = (int8_t)((numbers[i] + 8) | (int32_t)((uint32_t)(numbers[i + 2] + 8) << 4));
        }
        four = s2s_i8x4_load_nibbles(packed);
        CHECK(memcmp(&four, numbers, 4) == 0);
        for (int32_t i = 0; i < 2; ++i) {
            packed[i + 2] = (int8_t)((numbers[i + 4] + 8) | (int32_t)((uint32_t)(numbers[i + 6] + 8) << 4));
        }
        eight = s2s_i8x8_load_nibbles_by_4(packed);
        CHECK(memcmp(&eight.low, numbers, 4) == 0 && memcmp(&eight.high, &numbers[4], 4) == 0);
    }
}

static void codes_are_looked_up(void)
{
    static const int8_t table[16] = {5, -128, 127, -1, 0, 1, 99, -99, 17, -17, 64, -64, 2, 3, 4, -5};

    for (int32_t first = 0; first < 16; ++first) {
        int8_t codes[2], numbers[4];

        for (int32_t i = 0; i < 4; ++i) {
            numbers[i] = table[(first * (i + 3) + i) % 16];
        }
        for (int32_t i = 0; i < 2; ++i) {
            const uint32_t low = (uint32_t)(first * (2 * i + 3) + 2 * i) % 16u;
            const uint32_t high = (uint32_t)(first * (2 * i + 4) + 2 * i + 1) % 16u;
            const int32_t both = (int32_t)(low | high << 4);

            codes[i] = (int8_t)(both < 128 ? both : both - 256);
        }
        for (int32_t i = 0; i < 4; ++i) {
            CHECK(s2s_look_up(codes, i, table) == numbers[i]);
        }
        CHECK(weighted(s2s_i16x4_look_up(codes, table)) ==
              numbers[0] + 1000 * numbers[2] + 10000 * numbers[1] + 20000 * numbers[3]);
        if (numbers[0] != -128 && numbers[2] != -128) {
            CHECK(weighted(s2s_i16x4_look_up_pairs(codes, table)) ==
                  numbers[1] - 256 * numbers[0] + 1000 * (numbers[3] - 256 * numbers[2]) + 10000 * numbers[1] +
                      20000 * numbers[3]);
        }
    }
}

static void rows_are_clipped(void)
{
    int16_t row[13];

    for (int32_t count = 1; count <= 12; ++count) {
        for (int32_t shift = 0; shift + count <= 12; ++shift) {
            row[count] = -1;
            s2s_cache_read_i16(row, &bytes[shift], count, -128);
            CHECK(is_row(row, count, shift, 1, 0, count, -128));
            row[count] = -1;
            s2s_cache_read_i16_few(row, &bytes[shift], count, 57);
            CHECK(is_row(row, count, shift, 1, 0, count, 57));
            row[count] = -1;
            s2s_cache_read_i16_strided(row, bytes, shift, 1, count, 0, count, -128);
            CHECK(is_row(row, count, shift, 1, 0, count, -128));
        }
    }
    for (int32_t low = -3; low <= 9; ++low) {
        for (int32_t high = -3; high <= 11; ++high) {
            row[8] = -1;
            s2s_cache_read_i16_clipped(row, bytes, 2, 8, low, high, 83);
            CHECK(is_row(row, 8, 2, 1, low, high, 83));
            row[8] = -1;
            s2s_cache_read_i16_few_clipped(row, bytes, 2, 8, low, high, 83);
            CHECK(is_row(row, 8, 2, 1, low, high, 83));
            row[5] = -1;
            s2s_cache_read_i16_strided(row, bytes, 1, 2, 5, low, high, 83);
            CHECK(is_row(row, 5, 1, 2, low, high, 83));
            row[5] = -1;
            s2s_cache_read_i16_few_strided(row, bytes, 1, 2, 5, low, high, 83);
            CHECK(is_row(row, 5, 1, 2, low, high, 83));
        }
    }
    row[6] = -1;
    s2s_cache_read_i16_zeros(row, 6);
    CHECK(is_row(row, 6, 0, 1, 0, 0, 0));
    row[6] = -1;
    s2s_cache_read_i16_apart(row, bytes, 2, 6, 83);
    CHECK(is_row(row, 6, 0, 2, 0, 6, 83));
}

static int is_copied(const int8_t *row, int32_t count, int32_t first, int32_t stride, int32_t low, int32_t high)
{
    for (int32_t i = 0; i < count; ++i) {
        const int32_t expected = (low <= i && i < high) ? bytes[first + i * stride] : -77;

        if (row[i] != expected) {
            return 0;
        }
    }
    return row[count] == -1;
}

static void bytes_are_clipped(void)
{
    static const int8_t many[40] = {[0] = 1, [15] = 2, [16] = 3, [31] = 4, [39] = 5};
    int8_t row[41];

    for (int32_t count = 1; count <= 40; ++count) {
        row[count] = -1;
        s2s_cache_read_i8(row, many, count);
        CHECK(memcmp(row, many, (size_t)count) == 0 && row[count] == -1);
    }
    for (int32_t low = -3; low <= 9; ++low) {
        for (int32_t high = -3; high <= 11; ++high) {
            row[8] = -1;
            s2s_cache_read_i8_clipped(row, bytes, 2, 8, low, high, -77);
            CHECK(is_copied(row, 8, 2, 1, low, high));
            row[5] = -1;
            s2s_cache_read_i8_strided(row, bytes, 1, 2, 5, low, high, -77);
            CHECK(is_copied(row, 5, 1, 2, low, high));
        }
    }
    for (int32_t count = 1; count <= 6; ++count) {
        row[count] = -1;
        s2s_cache_read_i8_apart(row, bytes, 2, count);
        CHECK(is_copied(row, count, 0, 2, 0, count));
    }
    row[6] = -1;
    s2s_cache_read_i8_fill(row, 6, -77);
    CHECK(is_copied(row, 6, 0, 1, 0, 0));
}

void test_dsp(void)
{
    widening_interleaves();
    dot_products_add_up();
    products_widen_bytes();
    pairs_of_numbers_add_and_subtract();
    offsets_count_elements();
    pairs_multiply_bytes();
    pairs_are_copied();
    points_are_copied_side_by_side();
    halves_are_taken_by_products();
    nibbles_are_widened();
    codes_are_looked_up();
    rows_are_clipped();
    bytes_are_clipped();
}
