/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_round.h: numbers that are rounded and saturated to 8 or 16 bits.
 *
 *   s2s_f32_quantize_i8(x, zero_point)       x rounded to an integer, halves to even, plus zero_point (-128 ... 127),
 *                                            and limited to -128 ... 127; with a zero_point of 0, NaN gives 0, with
 *                                            any other one x is no NaN
 *   s2s_f32_quantize_i8_nan(x, zero_point)   the same, and 0 for NaN
 *   s2s_f32_quantize_i8_away(x, zero_point)  halves away from zero; NaN gives zero_point
 *   s2s_f32_quotient_i8(x, divisor, high, low, zero_point)
 *                                            the same of x / divisor, and so for _nan and _away. The divisor lies
 *                                            between 2^-100 and 2^100; the compiler has proved that x * high + x * low,
 *                                            the second product rounded, gives the same bytes as the division, or, where
 *                                            low is 0, that x * high does
 *
 * The same with i16 for 16 bits, whose zero points lie between -32,768 and 32,767.
 *
 * Cores with an FPU of Armv7-M have no instruction that rounds to a float, so rintf is a call there. VCVTR rounds to
 * an integer as FPSCR says, to nearest with halves to even unless a program changes it, and saturates; NaN gives 0. VCVTA
 * takes halves away from zero. Cores without an FPU divide the bits of the numbers as integers. */
#ifndef S2S_ROUND_H
#define S2S_ROUND_H

#include "s2s_config.h"
#include "s2s_quantize.h"

#include <stdint.h>
#include <string.h>

/* The bits of x. */
S2S_INLINE uint32_t s2s_bits_of_f32(float x)
{
    uint32_t bits;

    (void)memcpy((void *)&bits, (const void *)&x, sizeof bits);
    return bits;
}

/* |x / divisor| rounded to a float, and then to an integer, of both by their bits; 2^(most + 1) if it is larger, where most
 * is 8 or 16, 0 for NaN. The quotient m / s of the significands is first estimated from 16 bits of each: steps is the
 * integer below it or one less. Beyond 2^8 the estimate misses steps, which the rest, computed modulo 2^32, tells. Whether
 * it reaches steps + 1/2 is decided exactly, half of the last place of a float, which m >= s tells, included. */
S2S_ALWAYS_INLINE int32_t s2s_steps_of_bits(uint32_t x, uint32_t divisor, int32_t most, int32_t to_even)
{
    const uint32_t m = (x & 0x7fffffu) | 0x800000u, s = (divisor & 0x7fffffu) | 0x800000u;
    const int32_t power = (int32_t)((x >> 23) & 0xffu) - (int32_t)(divisor >> 23);
    uint32_t quarters, steps, place;
    int32_t missing;

    if (power < -1) {
        return 0;
    }
    if (power > most) {
        return ((x & 0x7fffffffu) > 0x7f800000u) ? 0 : (int32_t)(2u << (uint32_t)most);
    }
    quarters = ((m >> 8) * (0x7fffffffu / ((s >> 8) + 1u))) >> (uint32_t)(29 - power);
    steps = (quarters + 1u) >> 2;
    if (most > 8) {
        steps = quarters >> 2;
        steps += ((m << (uint32_t)(power + 1)) - (2u * steps * s)) / (2u * s);
    }
    missing = (int32_t)(((2u * steps + 1u) * s) - (m << (uint32_t)(power + 1)));
    place = ((m >= s) ? (2u * s) : s) >> (uint32_t)(24 - power);
    if ((to_even != 0) && ((steps & 1u) == 0u)) {
        return (int32_t)steps + ((-missing > (int32_t)place) ? 1 : 0);
    }
    return (int32_t)steps + ((missing <= (int32_t)place) ? 1 : 0);
}

/* x / divisor as a byte. */
S2S_ALWAYS_INLINE int8_t s2s_bits_quotient_i8(uint32_t x, uint32_t divisor, int32_t zero_point, int32_t to_even)
{
    const int32_t steps = s2s_steps_of_bits(x, divisor, 8, to_even);

    return s2s_saturate_i8(((x >> 31) != 0u) ? (zero_point - steps) : (zero_point + steps));
}

/* x / divisor in 16 bits. */
S2S_ALWAYS_INLINE int16_t s2s_bits_quotient_i16(uint32_t x, uint32_t divisor, int32_t zero_point, int32_t to_even)
{
    const int32_t steps = s2s_steps_of_bits(x, divisor, 16, to_even);

    return s2s_saturate_i16(((x >> 31) != 0u) ? (zero_point - steps) : (zero_point + steps));
}

#if defined(__ARM_FP) && (__ARM_FP & 4) && defined(__thumb2__) && defined(__GNUC__) && defined(__ARM_FEATURE_DSP) &&    \
    !defined(__SOFTFP__) && !defined(S2S_DSP_PORTABLE)
#include <arm_acle.h>
#include <math.h>

S2S_ALWAYS_INLINE int32_t s2s_f32_rounded(float x)
{
    float rounded;

    __asm__("vcvtr.s32.f32 %0, %1" : "=t"(rounded) : "t"(x));
    return (int32_t)s2s_bits_of_f32(rounded);
}

S2S_ALWAYS_INLINE int32_t s2s_f32_rounded_away(float x)
{
    float rounded;

#if (__ARM_ARCH >= 8) || (__ARM_FP & 8)
    __asm__("vcvta.s32.f32 %0, %1" : "=t"(rounded) : "t"(x));
#else
    /* The largest float below 1/2: with 1/2 itself, the largest float below 1/2 would round to 1. */
    const uint32_t bits = (s2s_bits_of_f32(x) & 0x80000000u) | 0x3effffffu;
    float half;

    (void)memcpy((void *)&half, (const void *)&bits, sizeof half);
    __asm__("vcvt.s32.f32 %0, %1" : "=t"(rounded) : "t"(x + half));
#endif
    return (int32_t)s2s_bits_of_f32(rounded);
}

S2S_ALWAYS_INLINE int32_t s2s_moved(int32_t rounded, int32_t zero_point)
{
    return __builtin_arm_qadd(rounded, zero_point);
}

S2S_ALWAYS_INLINE float s2s_f32_quotient(float x, float divisor, float high, float low)
{
    (void)divisor;
    return (low > 0.0f) ? fmaf(x, high, x * low) : (x * high);
}
#elif !defined(__SOFTFP__) && !defined(__riscv_float_abi_soft)
#include "s2s_math.h"

/* x as an integer, limited to what saturates whatever is added to it. */
S2S_INLINE int32_t s2s_f32_limited(float x)
{
    return s2s_f32_to_i32(s2s_f32_min(131072.0f, s2s_f32_max(-131072.0f, x)));
}

S2S_INLINE int32_t s2s_f32_rounded(float x)
{
    return s2s_f32_limited(rintf(x));
}

S2S_INLINE int32_t s2s_f32_rounded_away(float x)
{
    return s2s_f32_limited(roundf(x));
}

S2S_INLINE int32_t s2s_moved(int32_t rounded, int32_t zero_point)
{
    return rounded + zero_point;
}

S2S_INLINE float s2s_f32_quotient(float x, float divisor, float high, float low)
{
    (void)high;
    (void)low;
    return x / divisor;
}
#endif

#if !defined(__SOFTFP__) && !defined(__riscv_float_abi_soft)
#define S2S_ROUNDINGS(bits)                                                                                            \
    S2S_ALWAYS_INLINE int##bits##_t s2s_f32_quantize_i##bits(float x, int32_t zero_point)                              \
    {                                                                                                                  \
        return s2s_saturate_i##bits(s2s_moved(s2s_f32_rounded(x), zero_point));                                        \
    }                                                                                                                  \
                                                                                                                       \
    S2S_ALWAYS_INLINE int##bits##_t s2s_f32_quantize_i##bits##_nan(float x, int32_t zero_point)                        \
    {                                                                                                                  \
        const int##bits##_t number = s2s_f32_quantize_i##bits(x, zero_point);                                          \
                                                                                                                       \
        return (x == x) ? number : (int##bits##_t)0;                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    S2S_ALWAYS_INLINE int##bits##_t s2s_f32_quantize_i##bits##_away(float x, int32_t zero_point)                       \
    {                                                                                                                  \
        return s2s_saturate_i##bits(s2s_moved(s2s_f32_rounded_away(x), zero_point));                                   \
    }                                                                                                                  \
    S2S_QUOTIENT(bits, )                                                                                               \
    S2S_QUOTIENT(bits, _nan)                                                                                           \
    S2S_QUOTIENT(bits, _away)

#define S2S_QUOTIENT(bits, rounding)                                                                                   \
    S2S_ALWAYS_INLINE int##bits##_t s2s_f32_quotient_i##bits##rounding(float x, float divisor, float high, float low,  \
                                                                       int32_t zero_point)                             \
    {                                                                                                                  \
        return s2s_f32_quantize_i##bits##rounding(s2s_f32_quotient(x, divisor, high, low), zero_point);                \
    }
#else
#define S2S_ROUNDINGS(bits)                                                                                            \
    S2S_QUOTIENT(bits, , s2s_bits_quotient_i##bits(s2s_bits_of_f32(x), s2s_bits_of_f32(divisor), zero_point, 1))       \
    S2S_QUOTIENT(bits, _away, s2s_bits_quotient_i##bits(s2s_bits_of_f32(x), s2s_bits_of_f32(divisor), zero_point, 0))  \
    S2S_QUOTIENT(bits, _nan,                                                                                           \
                 (((s2s_bits_of_f32(x) & 0x7fffffffu) > 0x7f800000u)                                                   \
                      ? (int##bits##_t)0                                                                               \
                      : s2s_f32_quotient_i##bits(x, divisor, high, low, zero_point)))

#define S2S_QUOTIENT(bits, rounding, number)                                                                           \
    S2S_INLINE int##bits##_t s2s_f32_quotient_i##bits##rounding(float x, float divisor, float high, float low,         \
                                                                int32_t zero_point)                                    \
    {                                                                                                                  \
        (void)high;                                                                                                    \
        (void)low;                                                                                                     \
        return number;                                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    S2S_INLINE int##bits##_t s2s_f32_quantize_i##bits##rounding(float x, int32_t zero_point)                           \
    {                                                                                                                  \
        return s2s_f32_quotient_i##bits##rounding(x, 1.0f, 1.0f, 0.0f, zero_point);                                    \
    }
#endif

S2S_ROUNDINGS(8)
S2S_ROUNDINGS(16)

#endif
