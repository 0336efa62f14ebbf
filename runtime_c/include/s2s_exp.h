/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_exp.h: the exponential function with the same results everywhere.
 *
 *   s2s_f32_exp(x)     e^x, within 1 ULP; 0 below log 2^-150, infinite above the largest float, NaN for NaN
 *
 * C libraries round expf differently, and some take long for it. All operations are those of C99 on float: compilers that
 * contract no multiplications and additions (-ffp-contract=off) give equal bits. The function is pure. */
#ifndef S2S_EXP_H
#define S2S_EXP_H

#include "s2s_bits.h"
#include "s2s_config.h"

#include <math.h>
#include <stdint.h>

/* e^r for |r| <= log(2) / 2. */
S2S_INLINE float s2s_f32_exp_of_rest(float r)
{
    float q = 0.00138146128f;

    q = q * r + 0.00836871006f;
    q = q * r + 0.041668389f;
    q = q * r + 0.166665211f;
    q = q * r + 0.49999994f;
    return r * r * q + r + 1.0f;
}

/* x - n log 2, from a constant with few digits, so that its product with n is exact, and what that lacks. */
S2S_INLINE float s2s_f32_exp_rest(float x, float n)
{
    return (x - n * 0.693359375f) + n * 2.12194440e-4f;
}

/* e^x where 2^n may be no normal float: in two factors. */
S2S_OUTLINE float s2s_f32_exp_far(float x)
{
    if (x > -103.972084f) {
        const float a = x < 89.0f ? x : 89.0f;
        const float rounded = a * 1.44269504f + (a < 0.0f ? -0.5f : 0.5f);
        const int32_t n = (int32_t)rounded;
        const int32_t first = n / 2 + 127;
        const int32_t second = n - n / 2 + 127;
        const float q = s2s_f32_exp_of_rest(s2s_f32_exp_rest(a, (float)n));

        return q * s2s_f32_of_bits((uint32_t)first << 23) * s2s_f32_of_bits((uint32_t)second << 23);
    }
    return x != x ? x : 0.0f;
}

/* 2^n e^r with x = n log 2 + r: adding 1.5 * 2^23 rounds to the integer n, and leaves it in the low bits. */
S2S_INLINE float s2s_f32_exp(float x)
{
    if (fabsf(x) < 87.0f) {
        const float shifted = x * 1.44269504f + 12582912.0f;
        const float q = s2s_f32_exp_of_rest(s2s_f32_exp_rest(x, shifted - 12582912.0f));

        return q * s2s_f32_of_bits((s2s_f32_bits(shifted) << 23) + 0x3f800000u);
    }
    return s2s_f32_exp_far(x);
}

#endif
