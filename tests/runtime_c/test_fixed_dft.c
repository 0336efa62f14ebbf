/* Fourier transforms in fixed point against sums in double precision, and with numbers at the ends of the range. */
#include "check.h"
#include "s2s_fixed_dft.h"

#include <math.h>

#define SIZE 480
#define ROWS 2
#define PI 3.14159265358979323846

static uint32_t state = 7u;

static double next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 8388608.0 - 1.0;
}

/* Defines a test of one element type with `most` as its largest number. Each step rounds by a unit or two; forward and
 * back together divide by the size once, so that what comes back is compared before that. */
#define DEFINE_TEST(suffix, element, most)                                                                             \
    static void fill_##suffix(element *table, int32_t count, double first, double step)                                \
    {                                                                                                                  \
        for (int32_t k = 0; k < count; ++k) {                                                                          \
            table[2 * k] = (element)floor(0.5 + (most) * cos(first + step * k));                                       \
            table[2 * k + 1] = (element)floor(0.5 + (most) * sin(first + step * k));                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void check_size_##suffix(int32_t size, double reach)                                                        \
    {                                                                                                                  \
        static element x[ROWS * SIZE];                                                                                 \
        static element y[ROWS * (SIZE + 2)];                                                                           \
        static element back[ROWS * SIZE];                                                                              \
        static element roots[SIZE];                                                                                    \
        static element turns[SIZE / 2];                                                                                \
        const int32_t half = size / 2;                                                                                 \
        int32_t wrong = 0;                                                                                             \
                                                                                                                       \
        for (int32_t i = 0; i < ROWS * size; ++i) {                                                                    \
            x[i] = (element)floor(reach * (most) * next());                                                            \
        }                                                                                                              \
        fill_##suffix(roots, half, 0.0, -2.0 * PI / half);                                                             \
        fill_##suffix(turns, half / 2, -PI * (1.0 / half + 0.5), -PI / half);                                          \
        s2s_fixed_dft_##suffix(y, x, roots, turns, ROWS, size);                                                        \
        for (int32_t row = 0; row < ROWS; ++row) {                                                                     \
            for (int32_t k = 0; k <= half; ++k) {                                                                      \
                double real = 0.0;                                                                                     \
                double imaginary = 0.0;                                                                                \
                                                                                                                       \
                for (int32_t i = 0; i < size; ++i) {                                                                   \
                    const double angle = -2.0 * PI * ((double)i * k) / size;                                           \
                                                                                                                       \
                    real += (double)x[row * size + i] * cos(angle) / size;                                             \
                    imaginary += (double)x[row * size + i] * sin(angle) / size;                                        \
                }                                                                                                      \
                wrong += fabs((double)y[row * (size + 2) + 2 * k] - real) > 16.0;                                      \
                wrong += fabs((double)y[row * (size + 2) + 2 * k + 1] - imaginary) > 16.0;                             \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(wrong == 0);                                                                                             \
        fill_##suffix(roots, half, 0.0, 2.0 * PI / half);                                                              \
        fill_##suffix(turns, half / 2, PI * (1.0 / half + 0.5), PI / half);                                            \
        for (int32_t i = 0; i < ROWS * (size + 2); ++i) {                                                              \
            y[i] = 0;                                                                                                  \
        }                                                                                                              \
        y[2] = (element)((most) / 2);                                                                                  \
        s2s_fixed_idft_##suffix(back, y, roots, turns, ROWS, size);                                                    \
        for (int32_t i = 0; i < size; ++i) {                                                                           \
            wrong += fabs((double)back[i] - (most) / 2 * 2.0 * cos(2.0 * PI * i / size) / size) > 16.0;                \
            wrong += back[size + i] != 0;                                                                              \
        }                                                                                                              \
        CHECK(wrong == 0);                                                                                             \
    }                                                                                                                  \
    static void test_##suffix(void)                                                                                    \
    {                                                                                                                  \
        static const int32_t sizes[] = {4, 6, 8, 10, 16, 18, 24, 50, 64, 150, 256, SIZE};                              \
        static element ends[SIZE];                                                                                     \
        static element y[SIZE + 2];                                                                                    \
        static element roots[SIZE];                                                                                    \
        static element turns[SIZE / 2];                                                                                \
                                                                                                                       \
        for (size_t s = 0u; s < sizeof sizes / sizeof sizes[0]; ++s) {                                                 \
            check_size_##suffix(sizes[s], 0.7);                                                                        \
        }                                                                                                              \
        for (int32_t i = 0; i < SIZE; ++i) {                                                                           \
            ends[i] = (element)(i % 3 == 0 ? -(most) - 1 : (most));                                                    \
        }                                                                                                              \
        fill_##suffix(roots, SIZE / 2, 0.0, -4.0 * PI / SIZE);                                                         \
        fill_##suffix(turns, SIZE / 4, -PI * (2.0 / SIZE + 0.5), -2.0 * PI / SIZE);                                    \
        s2s_fixed_dft_##suffix(y, ends, roots, turns, 1, SIZE);                                                        \
        CHECK(fabs((double)y[0] - (most) / 3.0) < 32.0);                                                               \
    }

DEFINE_TEST(i16, int16_t, 32767.0)
DEFINE_TEST(i32, int32_t, 2147483647.0)

void test_fixed_dft(void)
{
    test_i16();
    test_i32();
}
