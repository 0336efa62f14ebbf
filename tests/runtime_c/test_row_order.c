/* Rows in order: each stands behind the one before, or equals it and has a higher position; no position is missing. */
#include "check.h"
#include "s2s_row_order.h"

#include <math.h>
#include <string.h>

#define ROWS 70
#define COLUMNS 33

static uint32_t state = 1u;

static uint32_t next(uint32_t kinds)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % kinds;
}

/* Defines a test of one element type: matrices of several shapes, of which many rows begin alike. BEFORE(a, b) tells
 * whether a comes before b. */
#define DEFINE_TEST(suffix, element, BEFORE, MADE)                                                                     \
    static int compare_##suffix(const element *a, const element *b, int32_t columns)                                   \
    {                                                                                                                  \
        for (int32_t n = 0; n < columns; ++n) {                                                                        \
            if (BEFORE(a[n], b[n]) || BEFORE(b[n], a[n])) {                                                            \
                return BEFORE(a[n], b[n]) ? -1 : 1;                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    static void check_##suffix(int32_t rows, int32_t columns, uint32_t kinds)                                          \
    {                                                                                                                  \
        static element x[ROWS * COLUMNS];                                                                              \
        int32_t places[ROWS], scratch[ROWS];                                                                           \
        int32_t seen[ROWS] = {0};                                                                                      \
        int32_t wrong = 0;                                                                                             \
                                                                                                                       \
        for (int32_t n = 0; n < rows * columns; ++n) {                                                                 \
            const uint32_t number = next(kinds);                                                                       \
            x[n] = MADE(number);                                                                                       \
        }                                                                                                              \
        s2s_row_order_##suffix(places, scratch, x, rows, columns);                                                     \
        for (int32_t n = 0; n < rows; ++n) {                                                                           \
            ++seen[places[n]];                                                                                         \
        }                                                                                                              \
        for (int32_t n = 0; n < rows; ++n) {                                                                           \
            const int32_t last = places[n > 0 ? n - 1 : 0];                                                            \
            const int order = compare_##suffix(&x[last * columns], &x[places[n] * columns], columns);                  \
            wrong += seen[n] != 1 || order > 0 || (n > 0 && order == 0 && last > places[n]);                           \
        }                                                                                                              \
        CHECK(wrong == 0);                                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static void test_##suffix(void)                                                                                    \
    {                                                                                                                  \
        static const int32_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, ROWS};                                      \
        static const int32_t columns[] = {1, 2, COLUMNS};                                                              \
                                                                                                                       \
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {                                                    \
            for (size_t c = 0; c < sizeof columns / sizeof columns[0]; ++c) {                                          \
                check_##suffix(rows[r], columns[c], 1u);                                                               \
                check_##suffix(rows[r], columns[c], 2u);                                                               \
                check_##suffix(rows[r], columns[c], 1000u);                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

#define LOWER(a, b) ((a) < (b))
#define LOWER_OR_NUMBER(a, b) ((a) < (b) || (!isnan(a) && isnan(b)))
#define FLOAT(n) ((n) % 7u == 1u ? -0.0f : (n) % 13u == 2u ? NAN : (float)(n) * 0.37f - 50.0f * (float)((n) % 3u))
#define DOUBLE(n) ((double)FLOAT(n))
#define INTEGER(n) ((n) % 5u == 1u ? INT32_MIN : (int32_t)(n) - 500)
#define LONG(n) ((n) % 5u == 1u ? INT64_MIN : (int64_t)(n) * 5000000000 - 1000000000000)
#define UNSIGNED(n) ((n) % 5u == 1u ? UINT64_MAX : (uint64_t)(n) * 5000000000u)

DEFINE_TEST(f32, float, LOWER_OR_NUMBER, FLOAT)
DEFINE_TEST(f64, double, LOWER_OR_NUMBER, DOUBLE)
DEFINE_TEST(i32, int32_t, LOWER, INTEGER)
DEFINE_TEST(i64, int64_t, LOWER, LONG)
DEFINE_TEST(u64, uint64_t, LOWER, UNSIGNED)

static void the_first_difference_decides(void)
{
    static const int32_t x[] = {2, 1, 1, 9, 2, 0, 1, 9, 1, 8};
    static const int32_t expected[] = {4, 1, 3, 2, 0};
    int32_t places[5], scratch[5];

    s2s_row_order_i32(places, scratch, x, 5, 2);
    CHECK(memcmp(places, expected, sizeof places) == 0);
}

void test_row_order(void)
{
    test_f32();
    test_f64();
    test_i32();
    test_i64();
    test_u64();
    the_first_difference_decides();
}
