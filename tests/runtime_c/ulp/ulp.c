/* How far the vector functions of s2s_simd_functions.h are from the true values, in units of the last place.
 *
 *     ulp FUNCTION STRIDE [FIRST]
 *
 * Every STRIDE-th float is tried, from the one with the bits FIRST on; the reference is <math.h> in double precision. Prints the largest error and where it
 * is. Returns 1 where a result is NaN, infinite or of a sign other than the reference. */
#include "s2s_simd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LANES
#define LANES 16
#endif
#define BLOCK 4096
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define F32(name) JOIN(s2s_f32x, LANES, _##name)

/* In a loop of their own: the compiler makes vectors of it where the C library has them. */
#define PAIR(name)                                                                                                     \
    static void name##_reference(double *y, const float *x)                                                            \
    {                                                                                                                  \
        for (int i = 0; i < BLOCK; i++) { y[i] = name((double)x[i]); }                                                 \
    }                                                                                                                  \
    static void name##_vector(float *y, const float *x)                                                                \
    {                                                                                                                  \
        for (int i = 0; i < BLOCK; i += LANES) { F32(store)(y + i, F32(name)(F32(load)(x + i))); }                     \
    }

PAIR(exp)
PAIR(log)
PAIR(tanh)
PAIR(erf)
PAIR(sin)
PAIR(cos)

static const struct {
    const char *name;
    void (*reference)(double *y, const float *x);
    void (*vector)(float *y, const float *x);
} functions[] = {
    {"exp", exp_reference, exp_vector},
    {"log", log_reference, log_vector},
    {"tanh", tanh_reference, tanh_vector},
    {"erf", erf_reference, erf_vector},
    {"sin", sin_reference, sin_vector},
    {"cos", cos_reference, cos_vector},
};

/* The distance of neighbouring floats at the size of y: 2^-23 of its power of two, at least the least subnormal. */
static double unit(double y)
{
    int exponent;

    (void)frexp(y, &exponent);
    return ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

/* Infinity stands for a result of the wrong kind. */
static double error(float got, double wanted)
{
    const float rounded = (float)wanted;

    if (isnan(wanted) || isnan(got)) { return isnan(wanted) && isnan(got) ? 0.0 : (double)INFINITY; }
    if (isinf(rounded) || isinf(got)) {
        /* On the border of the range the last place decides. */
        return got == rounded || (fabs(wanted) > 3.4028233e38 && fabs(wanted) < 3.4028237e38) ? 0.0 : (double)INFINITY;
    }
    return fabs((double)got - wanted) / unit(wanted);
}

int main(int argc, char **argv)
{
    static float x[BLOCK];
    static float y[BLOCK];
    static double reference[BLOCK];
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 10) : 1u;
    const uint64_t start = argc > 3 ? strtoull(argv[3], NULL, 10) : 0u;

    for (size_t f = 0; argc > 2 && f < sizeof functions / sizeof *functions; f++) {
        double worst = 0.0;
        float at = 0.0f;

        if (strcmp(argv[1], functions[f].name) != 0) { continue; }
        for (uint64_t first = start; first < UINT64_C(1) << 32; first += BLOCK * stride) {
            for (uint64_t i = 0; i < BLOCK; i++) {
                const uint32_t bits = (uint32_t)(first + i * stride);
                memcpy(&x[i], &bits, sizeof bits);
            }
            functions[f].vector(y, x);
            functions[f].reference(reference, x);
            for (int i = 0; i < BLOCK; i++) {
                const double here = y[i] == (float)reference[i] ? 0.0 : error(y[i], reference[i]);
                if (here > worst) {
                    worst = here;
                    at = x[i];
                }
            }
        }
        printf("%s %.3f ulp at %.9g\n", functions[f].name, worst, (double)at);
        return isinf(worst) ? 1 : 0;
    }
    fprintf(stderr, "usage: ulp exp|log|tanh|erf|sin|cos STRIDE [FIRST]\n");
    return 2;
}
