/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_dsp_arm.h: s2s_dsp.h in instructions of the DSP extension; included by it.
 *
 * SXTB16 with rotation, PKHTB and LDRD have no intrinsics in <arm_acle.h> that GCC 12 knows or keeps in one piece. */
#ifndef S2S_DSP_ARM_H
#define S2S_DSP_ARM_H

#include "s2s_config.h"

#if defined(__ARM_FEATURE_DSP) && defined(__thumb2__) && defined(__GNUC__)
#include <arm_acle.h>
#ifdef __ARM_FEATURE_MVE
#include <arm_mve.h>
#endif
#include <stdint.h>
#include <string.h>

typedef int64_t s2s_two_words __attribute__((may_alias, aligned(4)));

typedef struct s2s_i8x2 { int32_t word; } s2s_i8x2;
typedef struct s2s_i16x2 { int32_t word; } s2s_i16x2;

/* What a load with an offset may read. */
typedef struct s2s_kilobyte { int16_t numbers[512]; } __attribute__((may_alias)) s2s_kilobyte;

typedef struct s2s_i8x4 { int32_t word; } s2s_i8x4;
typedef struct s2s_i8x8 { s2s_i8x4 low, high; } s2s_i8x8;
/* Lanes 0 and 1, lanes 2 and 3. */
typedef struct s2s_i16x4 { int32_t low, high; } s2s_i16x4;

S2S_ALWAYS_INLINE s2s_i8x4 s2s_i8x4_load(const int8_t *p)
{
    s2s_i8x4 a;

    (void)memcpy((void *)&a.word, (const void *)p, sizeof a.word);
    return a;
}

S2S_ALWAYS_INLINE s2s_i8x8 s2s_i8x8_load(const int8_t *p)
{
    s2s_i8x8 a;

    __asm__("ldrd %0, %1, %2" : "=r"(a.low.word), "=r"(a.high.word) : "m"(*(const s2s_two_words *)(const void *)p));
    return a;
}

/* Bytes from 0 to 15, less 8. */
S2S_ALWAYS_INLINE s2s_i8x4 s2s_nibbles_i8x4(uint32_t word)
{
    const uint32_t digits = word & 0x0f0f0f0fu;
    s2s_i8x4 a;

    a.word = __ssub8((int32_t)digits, 0x08080808);
    return a;
}

S2S_ALWAYS_INLINE s2s_i8x4 s2s_i8x4_load_nibbles(const int8_t *p)
{
    uint16_t half;

    (void)memcpy((void *)&half, (const void *)p, sizeof half);
    return s2s_nibbles_i8x4((uint32_t)half | ((uint32_t)half << 12));
}

S2S_ALWAYS_INLINE s2s_i8x8 s2s_i8x8_load_nibbles(const int8_t *p)
{
    uint32_t word;
    s2s_i8x8 a;

    (void)memcpy((void *)&word, (const void *)p, sizeof word);
    a.low = s2s_nibbles_i8x4(word);
    a.high = s2s_nibbles_i8x4(word >> 4);
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_load(const int16_t *p)
{
    s2s_i16x4 a;

    __asm__("ldrd %0, %1, %2" : "=r"(a.low), "=r"(a.high) : "m"(*(const s2s_two_words *)(const void *)p));
    return a;
}

/* The offset is part of the instruction. GCC would move p + at, which does not change in a loop, to a register of its own
 * for each offset, and then spill. */
#define s2s_i16x4_load_at(p, at)                                                                                       \
    __extension__({                                                                                                    \
        s2s_i16x4 s2s_loaded_;                                                                                         \
        __asm__("ldrd %0, %1, [%m2, %3]"                                                                               \
                : "=r"(s2s_loaded_.low), "=r"(s2s_loaded_.high)                                                        \
                : "Q"(*(const s2s_kilobyte *)(const void *)(p)), "i"(2 * (at)));                                       \
        s2s_loaded_;                                                                                                   \
    })

#define s2s_i8x4_load_at(p, at)                                                                                        \
    __extension__({                                                                                                    \
        s2s_i8x4 s2s_loaded_;                                                                                          \
        __asm__("ldr %0, [%m1, %2]"                                                                                    \
                : "=r"(s2s_loaded_.word)                                                                               \
                : "Q"(*(const s2s_kilobyte *)(const void *)(p)), "i"(at));                                             \
        s2s_loaded_;                                                                                                   \
    })

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_extend(s2s_i8x4 a)
{
    s2s_i16x4 wide;

    wide.low = __sxtb16(a.word);
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(wide.high) : "r"(a.word));
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_extend_add(s2s_i8x4 a, int32_t offset)
{
    const uint32_t pair = ((uint32_t)offset << 16) | ((uint32_t)offset & 0xffffu);
    const int32_t both = (int32_t)pair;
    s2s_i16x4 wide;

    wide.low = __sxtab16(both, a.word);
    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(wide.high) : "r"(both), "r"(a.word));
    return wide;
}

/* The first byte in bits 0 to 7, the second one in bits 16 to 23. */
S2S_ALWAYS_INLINE s2s_i8x2 s2s_i8x2_load(const int8_t *p)
{
    uint16_t half;
    uint32_t both;
    s2s_i8x2 a;

    (void)memcpy((void *)&half, (const void *)p, sizeof half);
    both = (uint32_t)half | ((uint32_t)half << 8);
    a.word = (int32_t)both;
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x2_extend_add(s2s_i8x2 a, int32_t offset)
{
    const uint32_t pair = ((uint32_t)offset << 16) | ((uint32_t)offset & 0xffffu);
    s2s_i16x2 wide;

    wide.word = __sxtab16((int32_t)pair, a.word);
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_zero(void)
{
    const s2s_i16x2 zero = {0};

    return zero;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_load(const int16_t *p)
{
    s2s_i16x2 a;

    (void)memcpy((void *)&a.word, (const void *)p, sizeof a.word);
    return a;
}

S2S_ALWAYS_INLINE void s2s_i16x2_store(int16_t *p, s2s_i16x2 a)
{
    (void)memcpy((void *)p, (const void *)&a.word, sizeof a.word);
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_add(s2s_i16x2 a, s2s_i16x2 b)
{
    a.word = __sadd16(a.word, b.word);
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x2_sub(s2s_i16x2 a, s2s_i16x2 b)
{
    a.word = __ssub16(a.word, b.word);
    return a;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_pairs(s2s_i8x4 a)
{
    s2s_i16x4 wide;

    wide.low = a.word;
    wide.high = __sxtb16(a.word);
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x4_pairs_first(s2s_i8x4 a)
{
    s2s_i16x2 numbers;

    numbers.word = a.word;
    return numbers;
}

/* Volatile, so that the bytes stay in the register that their numbers were in: between two products. */
S2S_ALWAYS_INLINE s2s_i16x2 s2s_i8x4_pairs_second(s2s_i8x4 a)
{
    s2s_i16x2 bytes;

    __asm__ volatile("sxtb16 %0, %1" : "=r"(bytes.word) : "r"(a.word));
    return bytes;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x4_low(s2s_i16x4 a)
{
    s2s_i16x2 half;

    half.word = a.low;
    return half;
}

S2S_ALWAYS_INLINE s2s_i16x2 s2s_i16x4_high(s2s_i16x4 a)
{
    s2s_i16x2 half;

    half.word = a.high;
    return half;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i8x4_pair_factors(s2s_i8x4 a)
{
    const uint32_t even = __uxtb16((uint32_t)a.word ^ 0x007f007fu);
    const uint32_t odd = (uint32_t)a.word ^ 0x00800080u;
    s2s_i16x4 wide;

    wide.low = (int32_t)even;
    wide.high = (int32_t)odd;
    return wide;
}

/* Adds to the register that acc is in. */
S2S_ALWAYS_INLINE int32_t s2s_i16x2_dot(int32_t acc, s2s_i16x2 a, s2s_i16x2 b)
{
    __asm__ volatile("smlad %0, %1, %2, %0" : "+r"(acc) : "r"(a.word), "r"(b.word));
    return acc;
}

/* Volatile, so that the products stay in the order of the program: GCC would load ahead for all of them and then have
 * no registers left. */
S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    __asm__ volatile("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(a.low), "r"(b.low), "r"(acc));
    __asm__ volatile("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(a.high), "r"(b.high), "r"(acc));
    return acc;
}

S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot_taps(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    __asm__ volatile("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(a.low), "r"(b.low), "r"(acc));
    __asm__ volatile("smlabt %0, %1, %2, %3" : "=r"(acc) : "r"(a.high), "r"(b.high), "r"(acc));
    return acc;
}

S2S_ALWAYS_INLINE int32_t s2s_i16x4_dot_next(int32_t acc, s2s_i16x4 a, s2s_i16x4 b)
{
    __asm__ volatile("smlatb %0, %1, %2, %3" : "=r"(acc) : "r"(a.low), "r"(b.low), "r"(acc));
    __asm__ volatile("smlad %0, %1, %2, %3" : "=r"(acc) : "r"(a.high), "r"(b.high), "r"(acc));
    return acc;
}

/* Bytes are widened in the registers that they are in, between products, so that a tile of eight sums needs no others. */
S2S_ALWAYS_INLINE int32_t s2s_i8x4_dot_extend(int32_t acc, s2s_i16x4 a, s2s_i8x4 b)
{
    int32_t even;

    __asm__ volatile("sxtb16 %[even], %[bytes]\n\t"
                     "smlad %[acc], %[low], %[even], %[acc]\n\t"
                     "sxtb16 %[bytes], %[bytes], ror #8\n\t"
                     "smlad %[acc], %[high], %[bytes], %[acc]"
                     : [acc] "+r"(acc), [bytes] "+r"(b.word), [even] "=&r"(even)
                     : [low] "r"(a.low), [high] "r"(a.high));
    return acc;
}

S2S_ALWAYS_INLINE int32_t s2s_i8x4_dot_pairs(int32_t acc, s2s_i16x4 a, s2s_i8x4 b)
{
    __asm__ volatile("smlad %[acc], %[low], %[bytes], %[acc]\n\t"
                     "sxtb16 %[bytes], %[bytes]\n\t"
                     "smlad %[acc], %[high], %[bytes], %[acc]"
                     : [acc] "+r"(acc), [bytes] "+r"(b.word)
                     : [low] "r"(a.low), [high] "r"(a.high));
    return acc;
}

/* Two words, the first one's address being that of p, which is aligned to four bytes. */
S2S_ALWAYS_INLINE void s2s_store_two_words(int16_t *p, int32_t low, int32_t high)
{
    __asm__("strd %1, %2, %0" : "=m"(*(s2s_two_words *)(void *)p) : "r"(low), "r"(high));
}

S2S_ALWAYS_INLINE void s2s_store_pair_factors(int16_t *to, const int8_t *from)
{
    const s2s_i16x4 factors = s2s_i8x4_pair_factors(s2s_i8x4_load(from));

    s2s_store_two_words(to, factors.low, factors.high);
}

S2S_ALWAYS_INLINE void s2s_store_two_points(int16_t *to, const int8_t *from, const int8_t *other, int32_t between)
{
    const s2s_i16x4 a = s2s_i8x4_pair_factors(s2s_i8x4_load(from)), b = s2s_i8x4_pair_factors(s2s_i8x4_load(other));

    s2s_store_two_words(to, a.low, b.low);
    s2s_store_two_words(to + between, a.high, b.high);
}

/* Bytes of a pass of the loop. */
#ifdef __OPTIMIZE_SIZE__
#define S2S_BLOCK_OF_PAIRS 8
#else
#define S2S_BLOCK_OF_PAIRS 16
#endif

S2S_OUTLINE_ONCE void s2s_cache_read_pairs(int16_t *to, const int8_t *from, int32_t count)
{
    const int8_t *const end = from + count;
    const int8_t *const blocks_end = from + (count & ~(S2S_BLOCK_OF_PAIRS - 1));

    while (from < blocks_end) {
        s2s_store_pair_factors(to, from);
        s2s_store_pair_factors(to + 4, from + 4);
#if S2S_BLOCK_OF_PAIRS > 8
        s2s_store_pair_factors(to + 8, from + 8);
        s2s_store_pair_factors(to + 12, from + 12);
#endif
        to += S2S_BLOCK_OF_PAIRS;
        from += S2S_BLOCK_OF_PAIRS;
    }
    while (from < end) {
        s2s_store_pair_factors(to, from);
        to += 4;
        from += 4;
    }
}

#ifdef __ARM_FEATURE_MVE
S2S_ALWAYS_INLINE void s2s_cache_read_i16_few(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    __asm__ volatile("wlstp.16 lr, %[count], 2f\n"
                     "1:\n\t"
                     "vldrb.s16 q0, [%[from]], #8\n\t"
                     "vadd.i16 q0, q0, %[offset]\n\t"
                     "vstrh.16 q0, [%[to]], #16\n\t"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+l"(to), [from] "+l"(from)
                     : [count] "r"(count), [offset] "r"(offset)
                     : "lr", "q0", "cc", "memory");
}

S2S_OUTLINE void s2s_cache_read_i16(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    s2s_cache_read_i16_few(to, from, count, offset);
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

#define S2S_CACHE_READ_I8_ARM
S2S_OUTLINE void s2s_cache_read_i8_long(int8_t *to, const int8_t *from, int32_t count)
{
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     "1:\n\t"
                     "vldrb.u8 q0, [%[from]], #16\n\t"
                     "vstrb.8 q0, [%[to]], #16\n\t"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+l"(to), [from] "+l"(from)
                     : [count] "r"(count)
                     : "lr", "q0", "cc", "memory");
}

/* Eight bytes at a time, whose distances from the first one fit 16 bits. */
S2S_ALWAYS_INLINE void s2s_cache_read_i8_apart(int8_t *to, const int8_t *from, int32_t stride, int32_t count)
{
    const uint16x8_t places = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)stride);

    __asm__ volatile("wlstp.16 lr, %[count], 2f\n"
                     "1:\n\t"
                     "vldrb.s16 q0, [%[from], %q[places]]\n\t"
                     "add %[from], %[from], %[stride], lsl #3\n\t"
                     "vstrb.16 q0, [%[to]], #8\n\t"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+l"(to), [from] "+r"(from)
                     : [count] "r"(count), [places] "w"(places), [stride] "r"(stride)
                     : "lr", "q0", "cc", "memory");
}

S2S_OUTLINE void s2s_cache_read_i8_fill(int8_t *to, int32_t count, int32_t fill)
{
    __asm__ volatile("vdup.8 q0, %[fill]\n\t"
                     "wlstp.8 lr, %[count], 2f\n"
                     "1:\n\t"
                     "vstrb.8 q0, [%[to]], #16\n\t"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+l"(to)
                     : [count] "r"(count), [fill] "r"(fill)
                     : "lr", "q0", "cc", "memory");
}

/* Padding of a row is short, so that filling all of it takes less than two calls. */
S2S_OUTLINE void s2s_cache_read_i8_strided(int8_t *to, const int8_t *from, int32_t first, int32_t stride, int32_t count,
                                           int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    s2s_cache_read_i8_fill(to, count, fill);
    s2s_cache_read_i8_apart(&to[begin], &from[first + begin * stride], stride, end - begin);
}

/* A few bytes take less than a call: a word, or one vector of which only these bytes are read and written. */
S2S_ALWAYS_INLINE void s2s_cache_read_i8(int8_t *to, const int8_t *from, int32_t count)
{
    if (!__builtin_constant_p(count) || count > 16) {
        s2s_cache_read_i8_long(to, from, count);
    } else if (count == 4) {
        (void)memcpy((void *)to, (const void *)from, 4);
    } else {
        __asm__ volatile("vctp.8 %[count]\n\t"
                         "vpstt\n\t"
                         "vldrbt.u8 q0, [%[from]]\n\t"
                         "vstrbt.8 q0, [%[to]]"
                         :
                         : [to] "r"(to), [from] "r"(from), [count] "r"(count)
                         : "q0", "p0", "memory");
    }
}
#else
/* GCC would compute what a pointer is after a loop anew, and call memset for a loop of few elements. */
#define S2S_KEEP_IN_PLACE(p) __asm__("" : "+r"(p))

#define S2S_CACHE_READ_ZEROS_ARM
S2S_OUTLINE_ONCE void s2s_cache_read_i16_zeros(int16_t *to, int32_t count)
{
    const int32_t zero = 0;

    for (int32_t fours = count / 4; fours > 0; --fours) {
        (void)memcpy((void *)to, (const void *)&zero, sizeof zero);
        (void)memcpy((void *)(to + 2), (const void *)&zero, sizeof zero);
        to += 4;
        S2S_KEEP_IN_PLACE(to);
    }
    for (int32_t rest = count % 4; rest > 0; --rest) {
        *to++ = 0;
        S2S_KEEP_IN_PLACE(to);
    }
}

/* a and b, as 16 bits, in a word. */
S2S_ALWAYS_INLINE int32_t s2s_pack_halves(int32_t a, int32_t b)
{
    int32_t both;

    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(both) : "r"(a), "r"(b));
    return both;
}

S2S_ALWAYS_INLINE void s2s_store_four(int16_t *to, const int8_t *from, int32_t both)
{
    const s2s_i8x4 bytes = s2s_i8x4_load(from);
    const int32_t even = __sxtab16(both, bytes.word);
    int32_t odd, low, high;

    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(odd) : "r"(both), "r"(bytes.word));
    low = s2s_pack_halves(even, odd);
    __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(high) : "r"(odd), "r"(even));
    (void)memcpy((void *)to, (const void *)&low, sizeof low);
    (void)memcpy((void *)(to + 2), (const void *)&high, sizeof high);
}

S2S_ALWAYS_INLINE void s2s_cache_read_i16_few(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    const int32_t both = s2s_pack_halves(offset, offset);
    int32_t i = 0;

    for (; i + 4 <= count; i += 4) {
        s2s_store_four(&to[i], &from[i], both);
    }
    for (; i < count; ++i) {
        to[i] = (int16_t)(from[i] + offset);
    }
}

S2S_OUTLINE void s2s_cache_read_i16(int16_t *to, const int8_t *from, int32_t count, int32_t offset)
{
    const int32_t both = s2s_pack_halves(offset, offset);
    const int8_t *const words_end = from + (count & ~3);
    const int8_t *const end = from + count;

    while (from < words_end) {
        s2s_store_four(to, from, both);
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
    const int32_t both = s2s_pack_halves(offset, offset);

    for (int32_t fours = count / 4; fours > 0; --fours) {
        const int8_t *const next = from + 2 * stride;
        const int32_t low = __sadd16(s2s_pack_halves(from[0], from[stride]), both);
        const int32_t high = __sadd16(s2s_pack_halves(next[0], next[stride]), both);

        (void)memcpy((void *)to, (const void *)&low, sizeof low);
        (void)memcpy((void *)(to + 2), (const void *)&high, sizeof high);
        to += 4;
        from = next + 2 * stride;
        S2S_KEEP_IN_PLACE(from);
    }
    for (int32_t rest = count % 4; rest > 0; --rest) {
        *to++ = (int16_t)(*from + offset);
        from = from + stride;
        S2S_KEEP_IN_PLACE(from);
    }
}
#endif

#endif

#endif
