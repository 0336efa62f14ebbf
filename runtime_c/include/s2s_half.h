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
 * default rounding mode.
 *
 * GCC and clang get the instructions of the machine where it has them, with the same results but for which NaN it is:
 * for s2s_f16 F16C on x86, FCVT on 64-bit Arm, VCVTB on Cortex-M with an FPU and on other Arm cores; for s2s_bf16 BFCVT
 * on 64-bit Arm. VCVTNEPS2BF16 of AVX-512 makes zeros of subnormal numbers, so x86 computes s2s_bf16 in integers. Any
 * other C99 compiler, or -DS2S_HALF_PORTABLE, gets integer arithmetic. */
#ifndef S2S_HALF_H
#define S2S_HALF_H

#include "s2s_bits.h"
#include "s2s_config.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(S2S_HALF_PORTABLE)
#if defined(__F16C__)
#define S2S_HALF_F16C
#include <immintrin.h>
#elif defined(__ARM_FP) && (__ARM_ARCH_PROFILE == 'M' || (__ARM_FP & 2))
/* GCC 12 leaves out bit 1 of __ARM_FP, half precision, for FPUs without double precision; all of Cortex-M convert. */
#if defined(__ARM_FP16_FORMAT_IEEE)
#define S2S_HALF_FP16
#elif !defined(__ARM_FP16_FORMAT_ALTERNATIVE)
#define S2S_HALF_VCVTB
#endif
#endif
#if defined(__aarch64__) && defined(__ARM_FEATURE_BF16_SCALAR_ARITHMETIC)
#define S2S_HALF_BFCVT
#include <arm_neon.h>
#endif
#endif

typedef uint16_t s2s_f16;
typedef uint16_t s2s_bf16;

#if defined(S2S_HALF_F16C)
S2S_INLINE float s2s_f16_to_f32(s2s_f16 h)
{
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128((int)h)));
}

S2S_INLINE s2s_f16 s2s_f32_to_f16(float x)
{
    return (s2s_f16)_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT));
}

S2S_INLINE float s2s_f16_round(float x)
{
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT)));
}
#elif defined(S2S_HALF_FP16)
S2S_INLINE float s2s_f16_to_f32(s2s_f16 h)
{
    __fp16 half;

    (void)memcpy((void *)&half, (const void *)&h, sizeof half);
    return (float)half;
}

S2S_INLINE s2s_f16 s2s_f32_to_f16(float x)
{
    const __fp16 half = (__fp16)x;
    s2s_f16 h;

    (void)memcpy((void *)&h, (const void *)&half, sizeof h);
    return h;
}

S2S_INLINE float s2s_f16_round(float x)
{
    return (float)(__fp16)x;
}
#elif defined(S2S_HALF_VCVTB)
/* In assembly, because GCC for 32-bit Arm has a type for halves only with -mfp16-format=ieee. */
S2S_INLINE float s2s_f16_to_f32(s2s_f16 h)
{
    float x;

    __asm__("vcvtb.f32.f16 %0, %1" : "=t"(x) : "t"((uint32_t)h));
    return x;
}

/* The upper half of the register keeps what it held. */
S2S_INLINE s2s_f16 s2s_f32_to_f16(float x)
{
    uint32_t bits;

    __asm__("vcvtb.f16.f32 %0, %1" : "=t"(bits) : "t"(x));
    return (s2s_f16)(bits & 0xffffu);
}

S2S_INLINE float s2s_f16_round(float x)
{
    uint32_t bits;
    float rounded;

    __asm__("vcvtb.f16.f32 %0, %1" : "=t"(bits) : "t"(x));
    __asm__("vcvtb.f32.f16 %0, %1" : "=t"(rounded) : "t"(bits));
    return rounded;
}
#else
S2S_INLINE float s2s_f16_to_f32(s2s_f16 h)
{
    const uint32_t sign = ((uint32_t)h & 0x8000u) << 16;
    const uint32_t magnitude = (uint32_t)h & 0x7fffu;
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

S2S_INLINE float s2s_f16_round(float x)
{
    return s2s_f16_to_f32(s2s_f32_to_f16(x));
}
#endif

S2S_INLINE float s2s_bf16_to_f32(s2s_bf16 h)
{
    return s2s_f32_of_bits((uint32_t)h << 16);
}

#if defined(S2S_HALF_BFCVT)
S2S_INLINE s2s_bf16 s2s_f32_to_bf16(float x)
{
    const bfloat16_t half = vcvth_bf16_f32(x);
    s2s_bf16 h;

    (void)memcpy((void *)&h, (const void *)&half, sizeof h);
    return h;
}
#else
S2S_INLINE s2s_bf16 s2s_f32_to_bf16(float x)
{
    const uint32_t bits = s2s_f32_bits(x);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    const uint32_t quiet = bits >> 16 | 0x40u; /* of NaN */

    return (s2s_bf16)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}
#endif

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
