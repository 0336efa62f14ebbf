/* Fourier transforms of rows against sums in double precision. */
#include "check.h"
#include "s2s_fft.h"

#include <math.h>

#define SIZE 360
#define ROWS 5
#define PI 3.14159265358979323846

static uint32_t state = 1u;

static double next(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 8388608.0 - 1.0;
}

/* Defines a test of one element type: transforms with all kinds of factors, of real and complex rows, forward and
 * inverse, whole and cut off, in all numbers of lanes. */
#define DEFINE_TEST(suffix, element, tolerance)                                                                        \
    static void check_rows_##suffix(int32_t size, int32_t parts, int32_t bins, int32_t inverse, int32_t lanes)         \
    {                                                                                                                  \
        static element x[ROWS * SIZE * 2];                                                                             \
        static element y[ROWS * SIZE * 2];                                                                             \
        static element roots[SIZE * 2];                                                                                \
        static element scratch[S2S_FFT_SCRATCH(SIZE, ROWS)];                                                           \
        int32_t wrong = 0;                                                                                             \
                                                                                                                       \
        for (int32_t i = 0; i < ROWS * size * parts; ++i) {                                                            \
            x[i] = (element)next();                                                                                    \
        }                                                                                                              \
        for (int32_t i = 0; i < size; ++i) {                                                                           \
            roots[2 * i] = (element)cos(2.0 * PI * i / size);                                                          \
            roots[2 * i + 1] = (element)-sin(2.0 * PI * i / size);                                                     \
        }                                                                                                              \
        s2s_fft_##suffix(y, scratch, x, roots, ROWS, size, parts, bins, inverse, lanes);                               \
        for (int32_t row = 0; row < ROWS; ++row) {                                                                     \
            for (int32_t k = 0; k < bins; ++k) {                                                                       \
                double real = 0.0;                                                                                     \
                double imaginary = 0.0;                                                                                \
                                                                                                                       \
                for (int32_t i = 0; i < size; ++i) {                                                                   \
                    const element *const from = &x[(row * size + i) * parts];                                          \
                    const double angle = (inverse != 0 ? 2.0 : -2.0) * PI * ((double)i * k) / size;                    \
                    const double other = parts == 2 ? (double)from[1] : 0.0;                                           \
                                                                                                                       \
                    real += (double)from[0] * cos(angle) - other * sin(angle);                                         \
                    imaginary += (double)from[0] * sin(angle) + other * cos(angle);                                    \
                }                                                                                                      \
                wrong += fabs((double)y[2 * (row * bins + k)] - real) > (tolerance) * size;                            \
                wrong += fabs((double)y[2 * (row * bins + k) + 1] - imaginary) > (tolerance) * size;                   \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(wrong == 0);                                                                                             \
    }                                                                                                                  \
    static void test_##suffix(void)                                                                                    \
    {                                                                                                                  \
        static const int32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 22, 27, 60, 64, 97, SIZE};                        \
                                                                                                                       \
        for (size_t s = 0u; s < sizeof sizes / sizeof sizes[0]; ++s) {                                                 \
            for (int32_t inverse = 0; inverse < 2; ++inverse) {                                                        \
                check_rows_##suffix(sizes[s], 1, sizes[s] / 2 + 1, inverse, 1);                                        \
                check_rows_##suffix(sizes[s], 1, sizes[s], inverse, 2);                                                \
                check_rows_##suffix(sizes[s], 2, sizes[s], inverse, 3);                                                \
                check_rows_##suffix(sizes[s], 2, 1, inverse, ROWS);                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_TEST(f32, float, 1e-6)
DEFINE_TEST(f64, double, 1e-14)

void test_fft(void)
{
    test_f32();
    test_f64();
}
