/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_half.h: the two 16-bit floating-point formats, which C can store but not compute with.
 *
 * s2s_f16 is IEEE 754 binary16, s2s_bf16 the upper half of a float. Values are carried as float:
 *
 *   s2s_f16_to_f32(h), s2s_bf16_to_f32(h)     exact
 *   s2s_f32_to_f16(x), s2s_f32_to_bf16(x)     to nearest, ties to even; too large becomes infinite, NaN stays NaN
 *   s2s_f16_round(x), s2s_bf16_round(x)       the float that x becomes when it is stored and read again
 *   s2s_f64_to_f16_round(x), s2s_f64_to_bf16_round(x)
 *                                             the same for a double, rounded once
 *
 * As float has more than twice the digits of both, rounding after each + - * / sqrt gives what hardware for the format
 * gives. All functions are pure and without branches, so that compilers vectorise loops of them; they expect the
 * default rounding mode. */
#ifndef S2S_HALF_H
#define S2S_HALF_H

#include "s2s_bits.h"
#include "s2s_config.h"

#include <math.h>
#include <stdint.h>

typedef uint16_t s2s_f16;
typedef uint16_t s2s_bf16;

S2S_INLINE float s2s_f16_to_f32(s2s_f16 h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t magnitude = h & 0x7fffu;
    /* Infinite and NaN: the highest exponent stays the highest. */
    const uint32_t offset = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;
    /* Zero and subnormal: counts in steps of 2^-24. */
    const uint32_t small = s2s_f32_bits((float)(int32_t)magnitude * 5.9604644775390625e-8f);
    const uint32_t bits = magnitude < 0x400u ? small : (magnitude << 13) + offset;

    return s2s_f32_of_bits(sign | bits);
}

S2S_INLINE s2s_f16 s2s_f32_to_f16(float x)
{
    const uint32_t bits = s2s_f32_bits(x);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    /* Below 2^-14: adding 0.5 rounds to a multiple of 2^-24. */
    const uint32_t small = s2s_f32_bits(s2s_f32_of_bits(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t finite = magnitude < 0x38800000u ? small : normal;
    /* 65520 and more are nearer to infinity than to the largest number; NaN is made quiet. */
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;

    return (s2s_f16)(sign | (magnitude >= 0x477ff000u ? special : finite));
}

S2S_INLINE float s2s_bf16_to_f32(s2s_bf16 h)
{
    return s2s_f32_of_bits((uint32_t)h << 16);
}

S2S_INLINE s2s_bf16 s2s_f32_to_bf16(float x)
{
    const uint32_t bits = s2s_f32_bits(x);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    const uint32_t quiet = bits >> 16 | 0x40u; /* of NaN */

    return (s2s_bf16)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

S2S_INLINE float s2s_f16_round(float x)
{
    return s2s_f16_to_f32(s2s_f32_to_f16(x));
}

S2S_INLINE float s2s_bf16_round(float x)
{
    return s2s_bf16_to_f32(s2s_f32_to_bf16(x));
}

/* A double as float, cut towards zero, with the last bit set if anything was lost: rounding that again to a format of
 * at most 22 digits gives what rounding the double gives. */
S2S_INLINE float s2s_f64_to_f32_odd(double x)
{
    const float nearest = (float)x;
    uint32_t bits = s2s_f32_bits(nearest);

    if (x != x || (double)nearest == x) {
        return nearest;
    }
    if (fabs((double)nearest) > fabs(x)) {
        --bits;
    }
    return s2s_f32_of_bits(bits | 1u);
}

S2S_INLINE float s2s_f64_to_f16_round(double x)
{
    return s2s_f16_round(s2s_f64_to_f32_odd(x));
}

S2S_INLINE float s2s_f64_to_bf16_round(double x)
{
    return s2s_bf16_round(s2s_f64_to_f32_odd(x));
}

#endif
