/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_quantize.h: multiplication of integers by real numbers in fixed point, as quantised networks need it.
 *
 * All functions compute x * multiplier * 2^(shift - 31) and differ in how they round. The multiplier is greater than
 * INT32_MIN, shift lies between -31 and 30 (for s2s_rescale_reduced at most 14). What does not fit wraps around. */
#ifndef S2S_QUANTIZE_H
#define S2S_QUANTIZE_H

#include "s2s_config.h"

#include <stdint.h>

/* What Arm cores do in one instruction. */
#if defined(__GNUC__) && !defined(S2S_DSP_PORTABLE)
#if defined(__ARM_FEATURE_SAT)
#define S2S_HAVE_SSAT 1
#endif
#if defined(__ARM_FEATURE_DSP)
#define S2S_HAVE_SMMULR 1
#endif
#endif

/* x / 2^count towards minus infinity, count from 0 to 31. */
S2S_INLINE int32_t s2s_floor_shift_i32(int32_t x, uint32_t count)
{
#ifdef S2S_PORTABLE_SHIFTS
    const uint32_t bits = (uint32_t)x;
    const uint32_t shifted = (x < 0) ? ~(~bits >> count) : (bits >> count);

    return (int32_t)shifted;
#else
    return x >> count;
#endif
}

/* x / 2^count towards minus infinity, count from 0 to 63. */
S2S_INLINE int64_t s2s_floor_shift_i64(int64_t x, uint32_t count)
{
#ifdef S2S_PORTABLE_SHIFTS
    const uint64_t bits = (uint64_t)x;
    const uint64_t shifted = (x < 0) ? ~(~bits >> count) : (bits >> count);

    return (int64_t)shifted;
#else
    return x >> count;
#endif
}

/* The low 32 bits of x. */
S2S_INLINE int32_t s2s_low_i32(int64_t x)
{
    const uint32_t low = (uint32_t)((uint64_t)x & 0xffffffffu);

    return (int32_t)low;
}

/* a * b / 2^31, halves up; b is greater than INT32_MIN. */
S2S_INLINE int32_t s2s_high_product(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * (int64_t)b;
    const uint64_t rounded = (uint64_t)product + ((uint64_t)1 << 30);

    return s2s_low_i32((int64_t)(rounded >> 31));
}

/* x / 2^count, halves away from zero, count from 0 to 31. */
S2S_INLINE int32_t s2s_rounding_shift(int32_t x, uint32_t count)
{
    const uint32_t mask = ((uint32_t)1 << count) - 1u;
    const uint32_t rest = (uint32_t)x & mask;
    const uint32_t half = (mask >> 1) + ((x < 0) ? 1u : 0u);

    return s2s_floor_shift_i32(x, count) + ((rest > half) ? 1 : 0);
}

/* Rounds twice: s2s_high_product of x * 2^shift, or s2s_rounding_shift of the product by -shift (gemmlowp). */
S2S_INLINE int32_t s2s_rescale_double(int32_t x, int32_t multiplier, int8_t shift)
{
    const uint32_t left = (shift > 0) ? (uint32_t)shift : 0u;
    const uint32_t right = (shift < 0) ? (uint32_t)(-(int32_t)shift) : 0u;
    const uint32_t shifted = (uint32_t)x << left;

    return s2s_rounding_shift(s2s_high_product((int32_t)shifted, multiplier), right);
}

/* a * b / 2^32, halves up. */
S2S_INLINE int32_t s2s_rounded_high(int32_t a, int32_t b)
{
#ifdef S2S_HAVE_SMMULR
    int32_t high;

    __asm__("smmulr %0, %1, %2" : "=r"(high) : "r"(a), "r"(b));
    return high;
#else
    return s2s_low_i32(s2s_floor_shift_i64(((int64_t)a * b) + INT64_C(2147483648), 32u));
#endif
}

/* a * b / 2^32, halves up, plus c. */
S2S_INLINE int32_t s2s_rounded_high_plus(int32_t a, int32_t b, int32_t c)
{
#ifdef S2S_HAVE_SMMULR
    int32_t high;

    __asm__("smmlar %0, %1, %2, %3" : "=r"(high) : "r"(a), "r"(b), "r"(c));
    return high;
#else
    return c + s2s_rounded_high(a, b);
#endif
}

/* a * b / 2^32 towards minus infinity, plus c. */
S2S_INLINE int32_t s2s_high_plus(int32_t a, int32_t b, int32_t c)
{
#ifdef S2S_HAVE_SMMULR
    int32_t high;

    __asm__("smmla %0, %1, %2, %3" : "=r"(high) : "r"(a), "r"(b), "r"(c));
    return high;
#else
    return c + s2s_low_i32(s2s_floor_shift_i64((int64_t)a * b, 32u));
#endif
}

/* s2s_rescale_double for |x| < 2^30 and a shift of 0. */
S2S_INLINE int32_t s2s_rescale_high(int32_t x, int32_t multiplier)
{
    return s2s_rounded_high(x * 2, multiplier);
}

/* offset and a half, before a division by 2^-shift. */
S2S_INLINE int32_t s2s_offset_and_half(int32_t offset, int8_t shift)
{
    const int32_t left = -1 - (int32_t)shift;
    const uint32_t half = (uint32_t)1 << (uint32_t)left;

    return (2 * offset + 1) * (int32_t)half;
}

/* s2s_rescale_double + offset for |x| < 2^30, a positive multiplier, |offset| < 256 and a shift from -22 to -1; the last
 * rounding takes halves up. doubled is 2 * x. */
S2S_INLINE int32_t s2s_rescale_doubled_upward(int32_t doubled, int32_t multiplier, int8_t shift, int32_t offset)
{
    const int32_t high = s2s_rounded_high_plus(doubled, multiplier, s2s_offset_and_half(offset, shift));

    return s2s_floor_shift_i32(high, (uint32_t)(-(int32_t)shift));
}

/* As above, halves away from zero, as s2s_rescale_double has them. */
S2S_INLINE int32_t s2s_rescale_doubled_negative(int32_t doubled, int32_t multiplier, int8_t shift, int32_t offset)
{
    const int32_t added = s2s_offset_and_half(offset, shift) + s2s_floor_shift_i32(doubled, 31u);

    return s2s_floor_shift_i32(s2s_rounded_high_plus(doubled, multiplier, added), (uint32_t)(-(int32_t)shift));
}

/* Of the sum itself. */
S2S_INLINE int32_t s2s_rescale_upward(int32_t x, int32_t multiplier, int8_t shift, int32_t offset)
{
    return s2s_rescale_doubled_upward(x * 2, multiplier, shift, offset);
}

S2S_INLINE int32_t s2s_rescale_negative(int32_t x, int32_t multiplier, int8_t shift, int32_t offset)
{
    return s2s_rescale_doubled_negative(x * 2, multiplier, shift, offset);
}

/* Of sum / 256, where sum is a multiple of 256, for a shift from -15 to -1. Its product is 128 times as large, and so are
 * the two halves that are added, 64 and one of the last division. */
S2S_INLINE int32_t s2s_rescale_upward_of_pairs(int32_t sum, int32_t multiplier, int8_t shift, int32_t offset)
{
    const int32_t down = 7 - (int32_t)shift, left = 6 - (int32_t)shift;
    const uint32_t half = (uint32_t)1 << (uint32_t)left;
    const int32_t added = (2 * offset + 1) * (int32_t)half;

    return s2s_floor_shift_i32(s2s_high_plus(sum, multiplier, added + 64), (uint32_t)down);
}

S2S_INLINE int32_t s2s_rescale_negative_of_pairs(int32_t sum, int32_t multiplier, int8_t shift, int32_t offset)
{
    return s2s_rescale_doubled_negative(s2s_floor_shift_i32(sum, 7u), multiplier, shift, offset);
}

/* x limited to -128 ... 127. */
S2S_INLINE int8_t s2s_saturate_i8(int32_t x)
{
#ifdef S2S_HAVE_SSAT
    return (int8_t)__builtin_arm_ssat(x, 8); /* __ssat of gcc 12 converts signs without a cast */
#else
    const int32_t low = (x < -128) ? -128 : x;

    return (int8_t)((low > 127) ? 127 : low);
#endif
}

/* x limited to -32,768 ... 32,767. */
S2S_INLINE int16_t s2s_saturate_i16(int32_t x)
{
#ifdef S2S_HAVE_SSAT
    return (int16_t)__builtin_arm_ssat(x, 16);
#else
    const int32_t low = (x < -32768) ? -32768 : x;

    return (int16_t)((low > 32767) ? 32767 : low);
#endif
}

/* Rounds once, halves up. */
S2S_INLINE int32_t s2s_rescale_single(int32_t x, int32_t multiplier, int8_t shift)
{
    const int64_t product = (int64_t)x * (int64_t)multiplier;
    const int32_t right = 31 - (int32_t)shift;
    const uint64_t half = ((uint64_t)1 << (uint32_t)right) >> 1u;

    return s2s_low_i32(s2s_floor_shift_i64(product + (int64_t)half, (uint32_t)right));
}

/* Rounds the multiplier to 16 bits, and then once, halves up; x lies between -2^47 and 2^47. */
S2S_INLINE int32_t s2s_rescale_reduced(int64_t x, int32_t multiplier, int8_t shift)
{
    const int32_t reduced = (multiplier < 0x7fff0000) ? s2s_floor_shift_i32(multiplier + 0x8000, 16u) : 0x7fff;
    const int32_t right = 15 - (int32_t)shift;
    const uint64_t product = (uint64_t)x * (uint64_t)(int64_t)reduced;
    const uint64_t rounded = product + (((uint64_t)1 << (uint32_t)right) >> 1u);

    return s2s_low_i32(s2s_floor_shift_i64((int64_t)rounded, (uint32_t)right));
}

#endif
