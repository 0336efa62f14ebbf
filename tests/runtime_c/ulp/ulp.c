/* How far the vector functions of s2s_simd_functions.h are from the true values, in units of the last place.
 *
 *     ulp FUNCTION STRIDE [FIRST]
 *     ulp FUNCTION points
 *
 * Every STRIDE-th float is tried, from the one with the bits FIRST on; the reference is <math.h> in double precision. Prints the largest error and where it
 * is. Returns 1 where a result is NaN, infinite or of a sign other than the reference.
 *
 * With `points`, values at zeros, one, infinities, NaN and the least floats are compared with those of <math.h>: same sign,
 * kind, and bits where that is a zero or infinity. */
#include "s2s_simd.h"
#include "s2s_simd_functions.h"
#include "s2s_simd_trigonometry.h"

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

static double exp_plus_one(double x) { return exp(x) + 1.0; }

/* -|x|, but for those whose results are subnormal numbers or 0 instead of them, as the machine likes. */
static float nonpositive(float x)
{
    const float size = fabsf(x);

    return size > 87.33f && size < 104.0f ? -87.0f : -size;
}

static void exp_nonpositive_reference(double *y, const float *x)
{
    for (int i = 0; i < BLOCK; i++) { y[i] = exp((double)nonpositive(x[i])); }
}

static void exp_nonpositive_vector(float *y, const float *x)
{
    for (int i = 0; i < BLOCK; i += LANES) {
        float a[LANES];

        for (int j = 0; j < LANES; j++) { a[j] = nonpositive(x[i + j]); }
        F32(store)(y + i, F32(exp_nonpositive)(F32(load)(a)));
    }
}

PAIR(exp)
PAIR(exp_plus_one)
PAIR(log)
PAIR(tanh)
PAIR(erf)
PAIR(sin)
PAIR(cos)
PAIR(tan)
PAIR(asin)
PAIR(acos)
PAIR(atan)
PAIR(sinh)
PAIR(cosh)
PAIR(asinh)
PAIR(acosh)
PAIR(atanh)

static const struct {
    const char *name;
    void (*reference)(double *y, const float *x);
    void (*vector)(float *y, const float *x);
} functions[] = {
    {"exp", exp_reference, exp_vector},
    {"exp_plus_one", exp_plus_one_reference, exp_plus_one_vector},
    {"exp_nonpositive", exp_nonpositive_reference, exp_nonpositive_vector},
    {"log", log_reference, log_vector},
    {"tanh", tanh_reference, tanh_vector},
    {"erf", erf_reference, erf_vector},
    {"sin", sin_reference, sin_vector},
    {"cos", cos_reference, cos_vector},
    {"tan", tan_reference, tan_vector},
    {"asin", asin_reference, asin_vector},
    {"acos", acos_reference, acos_vector},
    {"atan", atan_reference, atan_vector},
    {"sinh", sinh_reference, sinh_vector},
    {"cosh", cosh_reference, cosh_vector},
    {"asinh", asinh_reference, asinh_vector},
    {"acosh", acosh_reference, acosh_vector},
    {"atanh", atanh_reference, atanh_vector},
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
    return fabs((double)got - wanted) / unit((double)wanted);
}

/* The least floats, whose functions are themselves, 0 or infinite, and values that have one. */
static const float points[] = {
    0.0f,  -0.0f, 1.0f,  -1.0f, INFINITY, -INFINITY, NAN,         1e-45f,       -1e-45f,       1.17549435e-38f, -1.17549435e-38f,
    1e-30f, 2.0f, -2.0f, 0.5f,  -0.5f,    100.0f,    -100.0f,     3.40282347e38f, -3.40282347e38f,
};

static int differs(float got, float wanted)
{
    if (isnan(wanted) || isnan(got)) { return !isnan(wanted) || !isnan(got); }
    return signbit(got) != signbit(wanted) || ((wanted == 0.0f || isinf(wanted)) && got != wanted)
           || fabs((double)got - (double)wanted) > 4.0 * unit((double)wanted);
}

static int check_points(const char *name, void (*reference)(double *, const float *), void (*vector)(float *, const float *))
{
    static float x[BLOCK];
    static float y[BLOCK];
    static double wanted[BLOCK];
    const size_t count = sizeof points / sizeof *points;

    memcpy(x, points, sizeof points);
    vector(y, x);
    reference(wanted, x);
    for (size_t i = 0; i < count; i++) {
        if (differs(y[i], (float)wanted[i])) {
            printf("%s of %.9g is %.9g, not %.9g\n", name, (double)x[i], (double)y[i], wanted[i]);
            return 1;
        }
    }
    printf("%s agrees\n", name);
    return 0;
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
        if (strcmp(argv[2], "points") == 0) {
            return check_points(functions[f].name, functions[f].reference, functions[f].vector);
        }
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
    fprintf(stderr, "usage: ulp exp|log|tanh|erf|sin|cos|tan|asin|... STRIDE [FIRST], or points for STRIDE\n");
    return 2;
}
