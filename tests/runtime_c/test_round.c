/* Numbers that are rounded and saturated to 8 or 16 bits, and bytes in lanes. */
#include "check.h"
#include "s2s_lanes.h"
#include "s2s_round.h"
#include "s2s_round_lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int8_t as_the_standard_says(float x, int32_t zero_point)
{
    const float moved = rintf(x) + (float)zero_point;

    return isnan(moved) ? (int8_t)0 : (int8_t)(moved < -128.0f ? -128.0f : moved > 127.0f ? 127.0f : moved);
}

static void check_number(float x, int32_t zero_point)
{
    const int8_t expected = as_the_standard_says(x, zero_point);

    CHECK(s2s_f32_quantize_i8_nan(x, zero_point) == expected);
    CHECK((isnan(x) && zero_point != 0) || s2s_f32_quantize_i8(x, zero_point) == expected);
}

static int8_t as_tflite_says(float x, int32_t zero_point)
{
    const float rounded = roundf(x);
    const float moved = isnan(rounded) ? (float)zero_point : rounded + (float)zero_point;

    return (int8_t)(moved < -128.0f ? -128.0f : moved > 127.0f ? 127.0f : moved);
}

static float float_of(uint32_t bits)
{
    float x;

    (void)memcpy(&x, &bits, sizeof x);
    return x;
}

/* A divisor, and what the compiler takes in its place on cores with an FPU: `x * high + x * low` (reciprocals.py). A high
 * of 0 stands for a divisor that it finds nothing for. */
struct divisor {
    float value, high, low;
};

static void check_quotient(float x, struct divisor by, int32_t zero_point)
{
    const int8_t away = as_tflite_says(x / by.value, zero_point);
    const int8_t even = as_the_standard_says(x / by.value, zero_point);
    const float high = by.high, low = by.low;
    int8_t lanes[4];

    CHECK(s2s_bits_quotient_i8(s2s_bits_of_f32(x), s2s_bits_of_f32(by.value), zero_point, 0) == away);
    CHECK(isnan(x) || s2s_bits_quotient_i8(s2s_bits_of_f32(x), s2s_bits_of_f32(by.value), zero_point, 1) == even);
    if (!(high > 0.0f)) {
        return;
    }
    CHECK(s2s_f32_quotient_i8_away(x, by.value, high, low, zero_point) == away);
    CHECK(s2s_f32_quotient_i8_nan(x, by.value, high, low, zero_point) == even);
    s2s_i32x4_store_i8(lanes, s2s_i32x4_quotient_i8_away(s2s_f32x4_splat(x), by.value, high, low, zero_point));
    CHECK(lanes[0] == away && lanes[3] == away);
    s2s_i32x4_store_i8(lanes, s2s_i32x4_quotient_i8_nan(s2s_f32x4_splat(x), by.value, high, low, zero_point));
    CHECK(lanes[0] == even && lanes[3] == even);
    if (!isnan(x)) {
        CHECK(s2s_f32_quotient_i8(x, by.value, high, low, zero_point) == even);
        s2s_i32x4_store_i8(lanes, s2s_i32x4_quotient_i8(s2s_f32x4_splat(x), by.value, high, low, zero_point));
        CHECK(lanes[0] == even && lanes[3] == even);
    }
}

/* The floats around each step, and floats of all exponents: 2^32 / 99991 of them. */
static void quotients_of_bits_are_those_of_floats(void)
{
    static const struct divisor divisors[] = {
        {1.0f, 1.0f, 0.0f},
        {0.25f, 4.0f, 0.0f},
        {0.99999994f, 0.0f, 0.0f},
        {1.0000001f, 0.9999998807907104f, 1.4210854715202004e-14f},
        {0.03137255f, 31.874998092651367f, 2.229364426398206e-08f},
        {0.007843138f, 127.49999237060547f, 8.917457705592824e-08f},
        {7.3e-9f, 136986288.0f, 10.369009017944336f},
        {1.7e12f, 5.88235243934726e-13f, 3.671856031592597e-20f},
    };

    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        const int32_t zero_point = (int32_t)(i * 37u % 256u) - 128;

        for (int32_t step = 0; step <= 300; step++) {
            const uint32_t near = s2s_bits_of_f32(((float)step + 0.5f) * divisors[i].value);

            for (uint32_t bits = near - 3u; bits <= near + 3u; bits++) {
                check_quotient(float_of(bits), divisors[i], zero_point);
                check_quotient(-float_of(bits), divisors[i], zero_point);
            }
        }
        for (uint32_t bits = 0; bits < 0xfffe0000u; bits += 99991u) {
            check_quotient(float_of(bits), divisors[i], zero_point);
        }
    }
}

static int16_t limited(float moved)
{
    return (int16_t)(moved < -32768.0f ? -32768.0f : moved > 32767.0f ? 32767.0f : moved);
}

/* The sums of a rounded number and a zero point are exact wherever they do not saturate. */
static void check_wide_quotient(float x, struct divisor by, int32_t zero_point)
{
    const float quotient = x / by.value, away = roundf(quotient), even = rintf(quotient), moved = (float)zero_point;
    const int16_t expected = limited(isnan(away) ? moved : away + moved), to_even = limited(isnan(even) ? 0 : even + moved);

    CHECK(s2s_bits_quotient_i16(s2s_bits_of_f32(x), s2s_bits_of_f32(by.value), zero_point, 0) == expected);
    CHECK(isnan(x) || s2s_bits_quotient_i16(s2s_bits_of_f32(x), s2s_bits_of_f32(by.value), zero_point, 1) == to_even);
    if (!(by.high > 0.0f)) {
        return;
    }
    CHECK(s2s_f32_quotient_i16_away(x, by.value, by.high, by.low, zero_point) == expected);
    CHECK(s2s_f32_quotient_i16_nan(x, by.value, by.high, by.low, zero_point) == to_even);
    CHECK(isnan(x) || s2s_f32_quotient_i16(x, by.value, by.high, by.low, zero_point) == to_even);
}

static void wide_quotients_of_bits_are_those_of_floats(void)
{
    static const struct divisor divisors[] = {
        {1.0f, 1.0f, 0.0f},
        {0.25f, 4.0f, 0.0f},
        {0.99999994f, 0.0f, 0.0f},
        {0.03137255f, 31.874998092651367f, 2.229364426398206e-08f},
        {7.3e-9f, 136986288.0f, 10.369009017944336f},
    };

    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        const int32_t zero_point = (int32_t)(i * 9973u % 65536u) - 32768;

        for (int32_t step = 0; step <= 66000; step += (step < 600) ? 1 : 11) {
            const uint32_t near = s2s_bits_of_f32(((float)step + 0.5f) * divisors[i].value);

            for (uint32_t bits = near - 3u; bits <= near + 3u; bits++) {
                check_wide_quotient(float_of(bits), divisors[i], zero_point);
                check_wide_quotient(-float_of(bits), divisors[i], zero_point);
            }
        }
        for (uint32_t bits = 0; bits < 0xfffe0000u; bits += 99991u) {
            check_wide_quotient(float_of(bits), divisors[i], zero_point);
        }
    }
    CHECK(s2s_f32_quantize_i16(2.5f, -1) == 1);
    CHECK(s2s_f32_quantize_i16_nan(NAN, 7) == 0);
    CHECK(s2s_f32_quantize_i16_away(-2.5f, 0) == -3);
}

static void halves_go_away_from_zero(void)
{
    CHECK(s2s_f32_quantize_i8_away(0.5f, 0) == 1);
    CHECK(s2s_f32_quantize_i8_away(-2.5f, 0) == -3);
    CHECK(s2s_f32_quantize_i8_away(0.49999997f, 3) == 3);
    CHECK(s2s_f32_quantize_i8_away(-0.49999997f, 0) == 0);
    CHECK(s2s_f32_quantize_i8_away(1e30f, 0) == 127);
    CHECK(s2s_f32_quantize_i8_away(NAN, 7) == 7);
}

static void check_with_neighbours(float x, int32_t zero_point)
{
    check_number(x, zero_point);
    check_number(nextafterf(x, INFINITY), zero_point);
    check_number(nextafterf(x, -INFINITY), zero_point);
    check_number(-x, zero_point);
}

static void bits_of_special_numbers(int32_t zero_point)
{
    static const uint32_t bits[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu,
                                    0x7f800000u, 0xff800000u, 0x7f7fffffu, 0xff7fffffu, 0x00000000u, 0x80000000u,
                                    0x00000001u, 0x80000001u, 0x007fffffu, 0x00800000u, 0x4effffffu, 0xcf000001u};

    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        float x;

        (void)memcpy(&x, &bits[i], sizeof x);
        check_number(x, zero_point);
    }
}

static void every_number_is_rounded(void)
{
    for (int32_t zero_point = -128; zero_point < 128; zero_point += 51) {
        bits_of_special_numbers(zero_point);
        for (int32_t quarter = 0; quarter <= 4 * 300; quarter++) {
            check_with_neighbours((float)quarter / 4.0f, zero_point);
        }
        for (int32_t power = -126; power < 128; power++) {
            check_with_neighbours(ldexpf(1.0f, power), zero_point);
            check_with_neighbours(ldexpf(1.5f, power), zero_point);
        }
    }
    bits_of_special_numbers(0);
}

static void halves_go_to_even_numbers(void)
{
    CHECK(s2s_f32_quantize_i8(0.5f, 0) == 0);
    CHECK(s2s_f32_quantize_i8(1.5f, 0) == 2);
    CHECK(s2s_f32_quantize_i8(-2.5f, 0) == -2);
    CHECK(s2s_f32_quantize_i8(2.5f, -1) == 1);
    CHECK(s2s_f32_quantize_i8(0.49999997f, 3) == 3);
}

static void large_numbers_are_limited(void)
{
    CHECK(s2s_f32_quantize_i8(126.5f, 0) == 126);
    CHECK(s2s_f32_quantize_i8(127.5f, 0) == 127);
    CHECK(s2s_f32_quantize_i8(255.5f, -128) == 127);
    CHECK(s2s_f32_quantize_i8(-1e6f, 127) == -128);
    CHECK(s2s_f32_quantize_i8(3e9f, 127) == 127);
    CHECK(s2s_f32_quantize_i8(-3e38f, -128) == -128);
    CHECK(s2s_f32_quantize_i8(INFINITY, 0) == 127);
    CHECK(s2s_f32_quantize_i8(-INFINITY, 0) == -128);
}

static void lanes_round_as_numbers_do(void)
{
    static const float x[12] = {0.5f,         -2.5f,   126.5f, 1e9f, -3e38f,   0.49999997f,
                                -127.5f, 3.0f, INFINITY, 0.0f, -INFINITY, NAN};

    for (int32_t zero_point = -128; zero_point < 128; zero_point += 5) {
        for (int32_t i = 0; i < 12; i += 4) {
            int8_t bytes[4], any[4];
            const s2s_f32x4 four = s2s_f32x4_load(&x[i]);

            s2s_i32x4_store_i8(bytes, s2s_i32x4_quantize_i8(four, zero_point));
            s2s_i32x4_store_i8(any, s2s_i32x4_quantize_i8_nan(four, zero_point));
            for (int32_t k = 0; k < 4; k++) {
                CHECK(any[k] == as_the_standard_says(x[i + k], zero_point));
                CHECK((isnan(x[i + k]) && zero_point != 0) || bytes[k] == any[k]);
            }
        }
    }
}

static void bytes_are_loaded_at_a_distance(void)
{
    int8_t row[131];

    for (int32_t i = 0; i < 131; i++) {
        row[i] = (int8_t)(i - 100);
    }
    for (int32_t lane = 0; lane < 4; lane++) {
        CHECK(s2s_i32x4_lane(s2s_i32x4_load_i8_at(row, 0), lane) == lane - 100);
        CHECK(s2s_i32x4_lane(s2s_i32x4_load_i8_at(&row[2], 93), lane) == lane - 5);
        CHECK(s2s_i32x4_lane(s2s_i32x4_load_i8_at(row, 127), lane) == lane + 27);
    }
}

static void lanes_are_rescaled_by_one_number(void)
{
    const int32_t numbers[4] = {-70001, -1, 3, 65537};
    const s2s_i32x4 x = s2s_i32x4_load(numbers);
    const s2s_i32x4 negative = s2s_i32x4_rescale_negative_by(x, 1308942473, -5);
    const s2s_i32x4 upward = s2s_i32x4_rescale_upward_by(x, 1308942473, -5);

    for (int32_t lane = 0; lane < 4; lane++) {
        CHECK(s2s_i32x4_lane(negative, lane) == s2s_rescale_negative(numbers[lane], 1308942473, -5, 0));
        CHECK(s2s_i32x4_lane(upward, lane) == s2s_rescale_upward(numbers[lane], 1308942473, -5, 0));
    }
}

void test_round(void)
{
    lanes_are_rescaled_by_one_number();
    bytes_are_loaded_at_a_distance();
    lanes_round_as_numbers_do();
    halves_go_to_even_numbers();
    halves_go_away_from_zero();
    quotients_of_bits_are_those_of_floats();
    wide_quotients_of_bits_are_those_of_floats();
    large_numbers_are_limited();
    every_number_is_rounded();
}
