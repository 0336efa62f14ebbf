/* The first elements of rows against a search that counts for each element those before it. */
#include "check.h"
#include "s2s_select.h"

#include <math.h>
#include <string.h>

#define SIZE 300

static uint32_t state = 1u;

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Defines a test of one element type: rows of every length up to SIZE with few or many equal elements, all counts that
 * take another path. BEFORE(a, b) tells whether a comes before b where the largest come first. */
#define DEFINE_TEST(suffix, element, key, BEFORE, MADE)                                                                \
    static void check_rows_##suffix(const element *x, int32_t size, int32_t count)                                     \
    {                                                                                                                  \
        static key scratch[S2S_SELECT_WORDS(SIZE)];                                                                    \
        int32_t largest[SIZE];                                                                                         \
        int32_t smallest[SIZE];                                                                                        \
        int32_t wrong = 0;                                                                                             \
                                                                                                                       \
        s2s_largest_##suffix(largest, scratch, x, 1, size, count);                                                     \
        s2s_smallest_##suffix(smallest, scratch, x, 1, size, count);                                                   \
        for (int32_t i = 0; i < size; ++i) {                                                                           \
            int32_t above = 0;                                                                                         \
            int32_t below = 0;                                                                                         \
                                                                                                                       \
            for (int32_t j = 0; j < size; ++j) {                                                                       \
                const int tie = !BEFORE(x[i], x[j]) && !BEFORE(x[j], x[i]) && j < i;                                   \
                above += BEFORE(x[j], x[i]) || tie;                                                                    \
                below += BEFORE(x[i], x[j]) || tie;                                                                    \
            }                                                                                                          \
            wrong += above < count && largest[above] != i;                                                             \
            wrong += below < count && smallest[below] != i;                                                            \
        }                                                                                                              \
        CHECK(wrong == 0);                                                                                             \
    }                                                                                                                  \
    static void test_##suffix(void)                                                                                    \
    {                                                                                                                  \
        static const int32_t sizes[] = {1, 2, 15, 16, 31, 32, 33, 64, 127, 128, 200, SIZE};                            \
        static const int32_t counts[] = {1, 2, 5, 8, 9, 32, 33, 60, SIZE};                                             \
        static element x[SIZE];                                                                                        \
                                                                                                                       \
        for (size_t s = 0u; s < sizeof sizes / sizeof sizes[0]; ++s) {                                                 \
            for (uint32_t values = 1u; values < 1000000u; values *= 30u) {                                             \
                for (int32_t i = 0; i < SIZE; ++i) {                                                                   \
                    const uint32_t drawn = next() % values;                                                            \
                    x[i] = MADE(drawn);                                                                                \
                }                                                                                                      \
                for (size_t c = 0u; c < sizeof counts / sizeof counts[0]; ++c) {                                       \
                    if (counts[c] <= sizes[s]) {                                                                       \
                        check_rows_##suffix(x, sizes[s], counts[c]);                                                   \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#define HIGHER(a, b) ((a) > (b))
#define HIGHER_OR_NAN(a, b) ((a) > (b) || (isnan(a) && !isnan(b)))
#define FLOAT(n) ((n) % 7u == 1u ? -0.0f : (n) % 13u == 2u ? NAN : (float)(n) * 0.37f - 50.0f * (float)((n) % 3u))
#define INTEGER(n) ((n) % 5u == 1u ? INT32_MIN : (int32_t)((n) * 2654435u) - 1000)
#define LONG(n) ((n) % 5u == 1u ? INT64_MIN : (int64_t)((n) * 2654435u) * 70001 - 100000)
#define UNSIGNED(n) ((n) % 5u == 1u ? UINT64_MAX : (uint64_t)((n) * 2654435u) * 70001u)

DEFINE_TEST(f32, float, uint32_t, HIGHER_OR_NAN, FLOAT)
DEFINE_TEST(f64, double, uint64_t, HIGHER_OR_NAN, (double)FLOAT)
DEFINE_TEST(i32, int32_t, uint32_t, HIGHER, INTEGER)
DEFINE_TEST(i64, int64_t, uint64_t, HIGHER, LONG)
DEFINE_TEST(u64, uint64_t, uint64_t, HIGHER, UNSIGNED)

static void rows_are_independent(void)
{
    static const float x[] = {1.0f, 3.0f, 2.0f, 9.0f, 7.0f, 8.0f};
    static const int32_t expected[] = {1, 2, 0, 2};
    uint32_t scratch[S2S_SELECT_WORDS(3)];
    int32_t places[4];

    s2s_largest_f32(places, scratch, x, 2, 3, 2);
    CHECK(memcmp(places, expected, sizeof places) == 0);
}

void test_select(void)
{
    test_f32();
    test_f64();
    test_i32();
    test_i64();
    test_u64();
    rows_are_independent();
}
