/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_dsp.h: sums of products of small integers, several at a time, and copies of operands to scratch.
 *
 * Types     s2s_i8x2, s2s_i8x4, s2s_i8x8 (int8_t), s2s_i16x2, s2s_i16x4 (int16_t).
 * Compilers for Arm cores with the DSP extension (Cortex-M4, M7, M33 and more) get one or two instructions for each
 * function; any other C99 compiler, or -DS2S_DSP_PORTABLE, gets loops with the same names and the same results.
 *
 *   s2s_i8x4_load(p)                      four neighbours at p
 *   s2s_i8x8_load(p), s2s_i16x4_load(p)   eight or four neighbours at p, which is aligned to four bytes
 *   s2s_i8x2_load(p), s2s_i16x2_load(p)   two neighbours at p, which is aligned to two or four bytes
 *   s2s_i8x2_extend_add(a, offset)        both lanes as 16 bits, with the offset added to each
 *   s2s_i16x2_zero()                      two zeros
 *   s2s_i16x2_add(a, b), s2s_i16x2_sub(a, b)
 *                                         the sum and the difference of each lane, which wrap around
 *   s2s_i16x2_store(p, a)                 stores both lanes at p, which is aligned to four bytes
 *   s2s_i16x4_load_at(p, at)              s2s_i16x4_load(p + at), where at is a constant, even and from 0 to 510
 *   s2s_i8x4_load_at(p, at)               s2s_i8x4_load(p + at), where at is a constant from 0 to 1020
 *   s2s_i8x4_load_nibbles(p), s2s_i8x8_load_nibbles(p)
 *                                         the same of numbers from -8 to 7, with 8 added to each: the low four bits of
 *                                         two or four bytes at p, then the high ones
 *   s2s_i8x8_load_nibbles_by_4(p)         s2s_i8x4_load_nibbles at p and at p + 2
 *   s2s_i8x4_extend(a)                    lanes 0, 2, 1, 3 of a, in this order, as 16 bits
 *   s2s_i8x4_extend_add(a, offset)        the same with the offset added to each
 *   s2s_i8x8_extend_low(a), s2s_i8x8_extend_high(a)
 *                                         the same of the first or the last four lanes
 *   s2s_i8x4_pairs(a), s2s_i8x8_pairs_low(a), s2s_i8x8_pairs_high(a)
 *                                         two numbers of 16 bits, then the low byte of each with its sign
 *   s2s_i8x4_pairs_first(a), s2s_i8x4_pairs_second(a), and of the lanes of s2s_i8x8
 *                                         the first two and the last two lanes of s2s_i8x4_pairs(a)
 *   s2s_i8x4_pair_factors(a)              127 - a0, 127 - a2, 256 * a1 + a0 + 128, 256 * a3 + a2 + 128
 *   s2s_i16x4_dot(acc, a, b)              acc + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3, wrapping around
 *   s2s_i16x2_dot(acc, a, b)              acc + a0 * b0 + a1 * b1, wrapping around
 *   s2s_i16x4_low(a), s2s_i16x4_high(a)   the first and the last two lanes
 *   s2s_i8x4_dot_extend(acc, a, b), s2s_i8x8_dot_extend_low(acc, a, b), s2s_i8x8_dot_extend_high(acc, a, b)
 *                                         s2s_i16x4_dot of a and s2s_i8x4_extend of b, or of its first or last four lanes
 *   s2s_i8x4_dot_pairs(acc, a, b), s2s_i8x8_dot_pairs_low(acc, a, b), s2s_i8x8_dot_pairs_high(acc, a, b)
 *                                         the same with s2s_i8x4_pairs of b
 *   s2s_i16x4_dot_taps(acc, a, b)         acc + a0 * b0 + a1 * b1 + a2 * b3, wrapping around
 *   s2s_i16x4_dot_next(acc, a, b)         acc + a1 * b0 + a2 * b2 + a3 * b3, wrapping around
 *
 * Copies of operands to scratch:
 *
 *   s2s_cache_read_i16(to, from, count, offset)
 *       to[i] = from[i] + offset; with _few, which is written out where it is called, for small constant counts
 *   s2s_cache_read_i16_clipped(to, from, first, count, low, high, offset)
 *       to[i] = from[first + i] + offset for low <= i < high, else 0; elements outside of the range are not read, and
 *       the range may begin before the row or end behind it
 *   s2s_cache_read_i16_strided(to, from, first, stride, count, low, high, offset)
 *       the same with from[first + i * stride]
 *   s2s_cache_read_i16_apart(to, from, stride, count, offset)
 *       to[i] = from[i * stride] + offset; s2s_cache_read_i16_column is the same, written out where it is called
 *   s2s_cache_read_i16_zeros(to, count)
 *       to[i] = 0
 *   s2s_cache_read_pairs(to, from, count), s2s_cache_read_pairs_clipped, s2s_cache_read_pairs_fill
 *       s2s_i8x4_pair_factors of every four bytes, those outside of the range being the last argument
 *   s2s_cache_read_points(to, from, count, points), s2s_cache_read_points_clipped, s2s_cache_read_points_fill
 *       the same with the last two factors of every four 2 * points elements behind the first two, and the next four
 *       bytes twice as far, so that the rows of as many points lie side by side
 *   s2s_cache_read_all_points(to, from, count, points)
 *       the same of the rows of all points, an even number of rows of count bytes that follow each other
 *   s2s_cache_read_i8(to, from, count), s2s_cache_read_i8_clipped, s2s_cache_read_i8_strided, s2s_cache_read_i8_apart,
 *   s2s_cache_read_i8_fill
 *       the same with bytes as they are; their last argument is stored instead of 0 */
#ifndef S2S_DSP_H
#define S2S_DSP_H

#include "s2s_config.h"

#include <stdint.h>
#include <string.h>

/* Thumb-2, because LDRD of the A32 instruction set takes registers in pairs. */
#if defined(__ARM_FEATURE_DSP) && defined(__thumb2__) && defined(__GNUC__) && !defined(__ARM_BIG_ENDIAN) &&            \
    !defined(S2S_DSP_PORTABLE)
#include "s2s_dsp_arm.h"
#else

typedef struct s2s_i8x2 { int8_t lane[2]; } s2s_i8x2;
typedef struct s2s_i16x2 { int16_t lane[2]; } s2s_i16x2;
typedef struct s2s_i8x4 { int8_t lane[4]; } s2s_i8x4;
typedef struct s2s_i8x8 { s2s_i8x4 low, high; } s2s_i8x8;
typedef struct s2s_i16x4 { int16_t lane[4]; } s2s_i16x4;

S2S_ALWAYS_INLINE s2s_i8x4 s2s_i8x4_load(const int8_t *p)
{
    s2s_i8x4 a;

    (void)memcpy(a.lane, p, sizeof a.lane);
    return a;
}

S2S_ALWAYS_INLINE s2s_i8x8 s2s_i8x8_load(const int8_t *p)
{
    s2s_i8x8 a;

    a.low = s2s_i8x4_load(p);
    a.high = s2s_i8x4_load(p + 4);
    return a;
}

S2S_ALWAYS_INLINE s2s_i8x4 s2s_i8x4_load_nibbles(const int8_t *p)
{
    s2s_i8x4 a;

    for (int32_t i = 0; i < 2; i++) {
        const uint32_t both = (uint32_t)p[i];
        const uint32_t low = both & 15u, high = (both >> 4) & 15u;

        a.lane[i] = (int8_t)((int32_t)low - 8);
        a.lane[i + 2] = (int8_t)((int32_t)high - 8);
    }
    return a;
}

S2S_ALWAYS_INLINE s2s_i8x8 s2s_i8x8_load_nibbles(const int8_t *p)
{
    s2s_i8x8 a;

    for (int32_t i = 0; i < 4; i++) {
        const uint32_t both = (uint32_t)p[i];
        const uint32_t low = both & 15u, high = (both >> 4) & 15u;

        a.low.lane[i] = (int8_t)((int32_t)low - 8);
        a.high.lane[i] = (int8_t)((int32_t)high - 8);
    }
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_load(const int16_t *p)
{
    s2s_i16x4 a;

    (void)memcpy(a.lane, p, sizeof a.lane);
    return a;
}

#define s2s_i16x4_load_at(p, at) s2s_i16x4_load((p) + (at))
#define s2s_i8x4_load_at(p, at) s2s_i8x4_load((p) + (at))

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_extend_add(s2s_i8x4 a, int32_t offset)
{
    s2s_i16x4 wide;

    wide.lane[0] = (int16_t)(a.lane[0] + offset);
    wide.lane[1] = (int16_t)(a.lane[2] + offset);
    wide.lane[2] = (int16_t)(a.lane[1] + offset);
    wide.lane[3] = (int16_t)(a.lane[3] + offset);
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_extend(s2s_i8x4 a) { return s2s_i8x4_extend_add(a, 0); }

S2S_ALWAYS_INLINE s2s_i8x2 s2s_i8x2_load(const int8_t *p)
{
    const s2s_i8x2 a = {{p[0], p[1]}};

    return a;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x2_extend_add(s2s_i8x2 a, int32_t offset)
{
    const s2s_i16x2 wide = {{(int16_t)(a.lane[0] + offset), (int16_t)(a.lane[1] + offset)}};

    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_zero(void)
{
    const s2s_i16x2 zero = {{0, 0}};

    return zero;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_load(const int16_t *p)
{
    s2s_i16x2 a;

    a.lane[0] = p[0];
    a.lane[1] = p[1];
    return a;
}

S2S_ALWAYS_INLINE void s2s_i16x2_store(int16_t *p, s2s_i16x2 a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_add(s2s_i16x2 a, s2s_i16x2 b)
{
    const s2s_i16x2 sum = {{(int16_t)(a.lane[0] + b.lane[0]), (int16_t)(a.lane[1] + b.lane[1])}};

    return sum;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_sub(s2s_i16x2 a, s2s_i16x2 b)
{
    const s2s_i16x2 difference = {{(int16_t)(a.lane[0] - b.lane[0]), (int16_t)(a.lane[1] - b.lane[1])}};

    return difference;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_pairs(s2s_i8x4 a)
{
    s2s_i16x4 wide;

    wide.lane[0] = (int16_t)(a.lane[1] * 256 + (a.lane[0] & 0xff));
    wide.lane[1] = (int16_t)(a.lane[3] * 256 + (a.lane[2] & 0xff));
    wide.lane[2] = a.lane[0];
    wide.lane[3] = a.lane[2];
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x4_pairs_first(s2s_i8x4 a)
{
    s2s_i16x2 numbers;

    numbers.lane[0] = (int16_t)(a.lane[1] * 256 + (a.lane[0] & 0xff));
    numbers.lane[1] = (int16_t)(a.lane[3] * 256 + (a.lane[2] & 0xff));
    return numbers;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x4_pairs_second(s2s_i8x4 a)
{
    s2s_i16x2 bytes;

    bytes.lane[0] = a.lane[0];
    bytes.lane[1] = a.lane[2];
    return bytes;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x4_low(s2s_i16x4 a)
{
    s2s_i16x2 half;

    half.lane[0] = a.lane[0];
    half.lane[1] = a.lane[1];
    return half;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x4_high(s2s_i16x4 a)
{
    s2s_i16x2 half;

    half.lane[0] = a.lane[2];
    half.lane[1] = a.lane[3];
    return half;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_pair_factors(s2s_i8x4 a)
{
    s2s_i16x4 wide;

    wide.lane[0] = (int16_t)(127 - a.lane[0]);
    wide.lane[1] = (int16_t)(127 - a.lane[2]);
    wide.lane[2] = (int16_t)(a.lane[1] * 256 + a.lane[0] + 128);
    wide.lane[3] = (int16_t)(a.lane[3] * 256 + a.lane[2] + 128);
    return wide;
}

S2S_ALWAYS_INLINE int32_t s2s_i16x2_dot(int32_t acc, s2s_i16x2 a, s2s_i16x2 b)
{
    uint32_t sum = (uint32_t)acc;

    for (int32_t i = 0; i < 2; ++i) {
        const int32_t product = a.lane[i] * b.lane[i];

        sum += (uint32_t)product;
    }
    return (int32_t)sum;
}

S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    uint32_t sum = (uint32_t)acc;

    for (int32_t i = 0; i < 4; ++i) {
        const int32_t product = (int32_t)a.lane[i] * (int32_t)b.lane[i];

        sum += (uint32_t)product;
    }
    return (int32_t)sum;
}

S2S_ALWAYS_INLINE int32_t s2s_i8x4_dot_extend(int32_t acc, s2s_i16x4 a, s2s_i8x4 b)
{
    return s2s_i16x4_dot(acc, a, s2s_i8x4_extend(b));
}

S2S_ALWAYS_INLINE int32_t s2s_i8x4_dot_pairs(int32_t acc, s2s_i16x4 a, s2s_i8x4 b)
{
    return s2s_i16x4_dot(acc, a, s2s_i8x4_pairs(b));
}

S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot_taps(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    b.lane[2] = b.lane[3];
    b.lane[3] = 0;
    return s2s_i16x4_dot(acc, a, b);
}

S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot_next(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    b.lane[1] = b.lane[0];
    b.lane[0] = 0;
    return s2s_i16x4_dot(acc, a, b);
}

S2S_ALWAYS_INLINE void s2s_cache_read_i16_few(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = (int16_t)(from[i] + offset);
    }
}

S2S_OUTLINE void s2s_cache_read_i16(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    const int8_t *const fours_end = from + (count & ~3);
    const int8_t *const end = from + count;

    while (from < fours_end) {
        to[0] = (int16_t)(from[0] + offset);
        to[1] = (int16_t)(from[1] + offset);
        to[2] = (int16_t)(from[2] + offset);
        to[3] = (int16_t)(from[3] + offset);
        to += 4;
        from += 4;
    }
    while (from < end) {
        *to++ = (int16_t)(*from++ + offset);
    }
}

S2S_ALWAYS_INLINE void s2s_cache_read_i16_column(int16_t *to, const int8_t *from, int32_t stride, int32_t count,
                                                 int32_t offset)
{
    int32_t at = 0;

    for (int32_t i = 0; i < count; ++i) {
        to[i] = (int16_t)(from[at] + offset);
        at += stride;
    }
}

S2S_ALWAYS_INLINE void s2s_store_two_points(int16_t *to, const int8_t *from, const int8_t *other, int32_t between)
{
    const s2s_i16x4 a = s2s_i8x4_pair_factors(s2s_i8x4_load(from)), b = s2s_i8x4_pair_factors(s2s_i8x4_load(other));

    s2s_i16x2_store(to, s2s_i16x4_low(a));
    s2s_i16x2_store(to + 2, s2s_i16x4_low(b));
    s2s_i16x2_store(to + between, s2s_i16x4_high(a));
    s2s_i16x2_store(to + between + 2, s2s_i16x4_high(b));
}

S2S_OUTLINE_ONCE void s2s_cache_read_pairs(int16_t *to, const int8_t *from, int32_t count)
{
    const int8_t *const end = from + count;

    while (from < end) {
        const s2s_i16x4 factors = s2s_i8x4_pair_factors(s2s_i8x4_load(from));

        (void)memcpy((void *)to, (const void *)&factors, sizeof factors);
        to += 4;
        from += 4;
    }
}

#endif

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x8_extend_low(s2s_i8x8 a) { return s2s_i8x4_extend(a.low); }
S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x8_extend_high(s2s_i8x8 a) { return s2s_i8x4_extend(a.high); }

S2S_ALWAYS_INLINE s2s_i8x8 s2s_i8x8_load_nibbles_by_4(const int8_t *p)
{
    s2s_i8x8 a;

    a.low = s2s_i8x4_load_nibbles(p);
    a.high = s2s_i8x4_load_nibbles(p + 2);
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x8_pairs_low(s2s_i8x8 a) { return s2s_i8x4_pairs(a.low); }
S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x8_pairs_high(s2s_i8x8 a) { return s2s_i8x4_pairs(a.high); }
S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x8_pairs_low_first(s2s_i8x8 a) { return s2s_i8x4_pairs_first(a.low); }
S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x8_pairs_low_second(s2s_i8x8 a) { return s2s_i8x4_pairs_second(a.low); }
S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x8_pairs_high_first(s2s_i8x8 a) { return s2s_i8x4_pairs_first(a.high); }
S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x8_pairs_high_second(s2s_i8x8 a) { return s2s_i8x4_pairs_second(a.high); }

S2S_ALWAYS_INLINE int32_t s2s_i8x8_dot_extend_low(int32_t acc, s2s_i16x4 a, s2s_i8x8 b)
{
    return s2s_i8x4_dot_extend(acc, a, b.low);
}

S2S_ALWAYS_INLINE int32_t s2s_i8x8_dot_extend_high(int32_t acc, s2s_i16x4 a, s2s_i8x8 b)
{
    return s2s_i8x4_dot_extend(acc, a, b.high);
}

S2S_ALWAYS_INLINE int32_t s2s_i8x8_dot_pairs_low(int32_t acc, s2s_i16x4 a, s2s_i8x8 b)
{
    return s2s_i8x4_dot_pairs(acc, a, b.low);
}

S2S_ALWAYS_INLINE int32_t s2s_i8x8_dot_pairs_high(int32_t acc, s2s_i16x4 a, s2s_i8x8 b)
{
    return s2s_i8x4_dot_pairs(acc, a, b.high);
}

S2S_OUTLINE_ONCE void s2s_cache_read_pairs_fill(int16_t *to, int32_t count, int32_t fill)
{
    const int8_t byte = (int8_t)fill;
    const int8_t bytes[4] = {byte, byte, byte, byte};
    const s2s_i16x4 factors = s2s_i8x4_pair_factors(s2s_i8x4_load(bytes));

    for (int32_t i = 0; i < count; i += 4) {
        (void)memcpy((void *)&to[i], (const void *)&factors, sizeof factors);
    }
}

S2S_OUTLINE_ONCE void s2s_cache_read_pairs_border(int16_t *to, const int8_t *from, int32_t first, int32_t count,
                                             int32_t low, int32_t high, int32_t fill)
{
    const int32_t end = (high < count) ? high : count;
    int32_t i = 0;

    while (i < count) {
        int32_t step = 4;

        if (i + 4 <= low || i >= end) {
            step = (((i < end && low < count) ? low : count) - i) & ~3;
            s2s_cache_read_pairs_fill(&to[i], step, fill);
        } else if (i >= low && i + 4 <= end) {
            step = (end - i) & ~3;
            s2s_cache_read_pairs(&to[i], &from[first + i], step);
        } else {
            int8_t bytes[4];

            for (int32_t k = 0; k < 4; ++k) {
                bytes[k] = (i + k >= low && i + k < high) ? from[first + i + k] : (int8_t)fill;
            }
            s2s_cache_read_pairs(&to[i], bytes, 4);
        }
        i += step;
    }
}

/* Most rows lie inside of their range. */
S2S_INLINE void s2s_cache_read_pairs_clipped(int16_t *to, const int8_t *from, int32_t first, int32_t count, int32_t low,
                                             int32_t high, int32_t fill)
{
    if (low <= 0 && high >= count) {
        s2s_cache_read_pairs(to, &from[first], count);
    } else {
        s2s_cache_read_pairs_border(to, from, first, count, low, high, fill);
    }
}

/* Stores the factors of four bytes; between is the distance of their halves. */
S2S_ALWAYS_INLINE void s2s_store_points(int16_t *to, const int8_t *from, int32_t between)
{
    const s2s_i16x4 factors = s2s_i8x4_pair_factors(s2s_i8x4_load(from));

    s2s_i16x2_store(to, s2s_i16x4_low(factors));
    s2s_i16x2_store(to + between, s2s_i16x4_high(factors));
}

S2S_OUTLINE_ONCE void s2s_cache_read_points(int16_t *to, const int8_t *from, int32_t count, int32_t points)
{
    const int32_t between = 2 * points;
    const int8_t *const end = from + count;

    while (from < end) {
        s2s_store_points(to, from, between);
        to = &to[2 * between];
        from += 4;
    }
}

/* Two rows at a time, whose words lie side by side. */
S2S_OUTLINE_ONCE void s2s_cache_read_all_points(int16_t *to, const int8_t *from, int32_t count, int32_t points)
{
    const int8_t *const end = from + count;

    while (from < end) {
        const int8_t *row = from;

        for (int32_t point = 0; point < points; point += 2) {
            s2s_store_two_points(to, row, row + count, 2 * points);
            row = &row[2 * count];
            to += 4;
        }
        to = &to[2 * points];
        from += 4;
    }
}

S2S_OUTLINE_ONCE void s2s_cache_read_points_fill(int16_t *to, int32_t count, int32_t fill, int32_t points)
{
    int8_t bytes[4];

    for (int32_t k = 0; k < 4; ++k) {
        bytes[k] = (int8_t)fill;
    }
    for (int32_t i = 0; i < count; i += 4) {
        s2s_store_points(&to[i * points], bytes, 2 * points);
    }
}

S2S_OUTLINE_ONCE void s2s_cache_read_points_border(int16_t *to, const int8_t *from, int32_t first, int32_t count,
                                                   int32_t low, int32_t high, int32_t fill, int32_t points)
{
    for (int32_t i = 0; i < count; i += 4) {
        int8_t bytes[4];

        for (int32_t k = 0; k < 4; ++k) {
            bytes[k] = (i + k >= low && i + k < high) ? from[first + i + k] : (int8_t)fill;
        }
        s2s_store_points(&to[i * points], bytes, 2 * points);
    }
}

S2S_INLINE void s2s_cache_read_points_clipped(int16_t *to, const int8_t *from, int32_t first, int32_t count,
                                              int32_t low, int32_t high, int32_t fill, int32_t points)
{
    if (low <= 0 && high >= count) {
        s2s_cache_read_points(to, &from[first], count, points);
    } else {
        s2s_cache_read_points_border(to, from, first, count, low, high, fill, points);
    }
}

#if !defined(S2S_CACHE_READ_ZEROS_ARM)
S2S_OUTLINE void s2s_cache_read_i16_zeros(int16_t *to, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = 0;
    }
}
#endif

S2S_OUTLINE void s2s_cache_read_i16_border(int16_t *to, const int8_t *from, int32_t first, int32_t count, int32_t low,
                                           int32_t high, int32_t offset)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    if (begin > 0) {
        s2s_cache_read_i16_zeros(to, begin);
    }
    if (begin < end) {
        s2s_cache_read_i16(&to[begin], &from[first + begin], end - begin, offset);
    }
    if (end < count) {
        s2s_cache_read_i16_zeros(&to[end], count - end);
    }
}

S2S_INLINE void s2s_cache_read_i16_clipped(int16_t *to, const int8_t *from, int32_t first, int32_t count, int32_t low,
                                           int32_t high, int32_t offset)
{
    if (low <= 0 && high >= count) {
        s2s_cache_read_i16(to, &from[first], count, offset);
    } else {
        s2s_cache_read_i16_border(to, from, first, count, low, high, offset);
    }
}

S2S_INLINE void s2s_cache_read_i16_few_clipped(int16_t *to, const int8_t *from, int32_t first, int32_t count,
                                               int32_t low, int32_t high, int32_t offset)
{
    if (low <= 0 && high >= count) {
        s2s_cache_read_i16_few(to, &from[first], count, offset);
    } else {
        s2s_cache_read_i16_border(to, from, first, count, low, high, offset);
    }
}

S2S_ALWAYS_INLINE void s2s_cache_read_i16_few_strided(int16_t *to, const int8_t *from, int32_t first, int32_t stride,
                                                      int32_t count, int32_t low, int32_t high, int32_t offset)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    for (int32_t i = 0; i < begin; ++i) {
        to[i] = 0;
    }
    s2s_cache_read_i16_column(&to[begin], &from[first + begin * stride], stride, end - begin, offset);
    for (int32_t i = end; i < count; ++i) {
        to[i] = 0;
    }
}

S2S_OUTLINE void s2s_cache_read_i16_apart(int16_t *to, const int8_t *from, int32_t stride, int32_t count,
                                          int32_t offset)
{
    s2s_cache_read_i16_column(to, from, stride, count, offset);
}

S2S_OUTLINE void s2s_cache_read_i16_strided(int16_t *to, const int8_t *from, int32_t first, int32_t stride,
                                            int32_t count, int32_t low, int32_t high, int32_t offset)
{
    s2s_cache_read_i16_few_strided(to, from, first, stride, count, low, high, offset);
}

#if !defined(S2S_CACHE_READ_I8_ARM)
S2S_OUTLINE void s2s_cache_read_i8_fill(int8_t *to, int32_t count, int32_t fill)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = (int8_t)fill;
    }
}

S2S_OUTLINE void s2s_cache_read_i8(int8_t *to, const int8_t *from, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = from[i];
    }
}
#endif

S2S_OUTLINE void s2s_cache_read_i8_clipped(int8_t *to, const int8_t *from, int32_t first, int32_t count, int32_t low,
                                           int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    if (begin > 0) {
        s2s_cache_read_i8_fill(to, begin, fill);
    }
    if (begin < end) {
        s2s_cache_read_i8(&to[begin], &from[first + begin], end - begin);
    }
    if (end < count) {
        s2s_cache_read_i8_fill(&to[end], count - end, fill);
    }
}

#if !defined(S2S_CACHE_READ_I8_ARM)
S2S_ALWAYS_INLINE void s2s_cache_read_i8_apart(int8_t *to, const int8_t *from, int32_t stride, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = from[i * stride];
    }
}

S2S_OUTLINE void s2s_cache_read_i8_strided(int8_t *to, const int8_t *from, int32_t first, int32_t stride, int32_t count,
                                           int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    for (int32_t i = 0; i < begin; ++i) {
        to[i] = (int8_t)fill;
    }
    s2s_cache_read_i8_apart(&to[begin], &from[first + begin * stride], stride, end - begin);
    for (int32_t i = end; i < count; ++i) {
        to[i] = (int8_t)fill;
    }
}
#endif

#endif
