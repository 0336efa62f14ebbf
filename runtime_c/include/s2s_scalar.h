/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_scalar.h: the functions of s2s_math.h, which describes them, for float, double and int32_t.
 *
 * Vectors need no more of it, and compilers take long to read the same for seven other types. */
#ifndef S2S_SCALAR_H
#define S2S_SCALAR_H

#include "s2s_bits.h"
#include "s2s_config.h"

#include <stdbool.h>
#include <stdint.h>

/* The lesser or greater of a and b; NaN if either is NaN, as numpy.minimum and numpy.maximum. */
S2S_INLINE float s2s_f32_min(float a, float b)
{
    return a < b || a != a ? a : b;
}

S2S_INLINE float s2s_f32_max(float a, float b)
{
    return a > b || a != a ? a : b;
}

S2S_INLINE double s2s_f64_min(double a, double b)
{
    return a < b || a != a ? a : b;
}

S2S_INLINE double s2s_f64_max(double a, double b)
{
    return a > b || a != a ? a : b;
}

/* Number i of an array of truth values, read as a byte: compilers do not vectorise a choice by a bool in memory. */
S2S_INLINE bool s2s_bool_at(const bool *values, int32_t i)
{
    return ((const uint8_t *)values)[i] != 0u;
}

/* -1, 0 or 1; zeros keep their sign and NaN stays NaN. */
S2S_INLINE float s2s_f32_sign(float a)
{
    return a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : a;
}

S2S_INLINE double s2s_f64_sign(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a;
}

/* A number limited to lowest ... highest, which is positive, before it is cast to an integer; NaN gives 0. Positive
 * numbers are in the order of their bits. Of a limit that a comparison of floats chooses, and of NaN, GCC makes branches
 * that cast it on their own, and no vectors; of these minima and masks it makes vectors. */
S2S_INLINE float s2s_f32_limit(float a, float lowest, float highest)
{
    const int32_t raised = (int32_t)s2s_f32_bits(a > lowest ? a : lowest);
    const int32_t most = (int32_t)s2s_f32_bits(highest);
    const uint32_t limited = (uint32_t)(raised < most ? raised : most);

    return s2s_f32_of_bits(limited & (0u - (uint32_t)(a == a)));
}

S2S_INLINE double s2s_f64_limit(double a, double lowest, double highest)
{
    const int64_t raised = (int64_t)s2s_f64_bits(a > lowest ? a : lowest);
    const int64_t most = (int64_t)s2s_f64_bits(highest);
    const uint64_t limited = (uint64_t)(raised < most ? raised : most);

    return s2s_f64_of_bits(limited & (0u - (uint64_t)(a == a)));
}

/* The same where lowest is 0. */
S2S_INLINE float s2s_f32_limit_above_0(float a, float highest)
{
    const int32_t raised = (int32_t)(s2s_f32_bits(a) & (0u - (uint32_t)(a > 0.0f)));
    const int32_t most = (int32_t)s2s_f32_bits(highest);

    return s2s_f32_of_bits((uint32_t)(raised < most ? raised : most));
}

S2S_INLINE double s2s_f64_limit_above_0(double a, double highest)
{
    const int64_t raised = (int64_t)(s2s_f64_bits(a) & (0u - (uint64_t)(a > 0.0)));
    const int64_t most = (int64_t)s2s_f64_bits(highest);

    return s2s_f64_of_bits((uint64_t)(raised < most ? raised : most));
}

#define S2S_INT_SIGNED 1
#define S2S_INT_NAME i32
#define S2S_INT int32_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 32
#define S2S_INT_MIN (-INT32_MAX - 1)
#define S2S_INT_MAX INT32_MAX
#define S2S_INT_LOWEST (-2147483648.0)
#define S2S_INT_ABOVE 2147483648.0
#include "s2s_integer.h"
#undef S2S_INT_SIGNED

#endif
