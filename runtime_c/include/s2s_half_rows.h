/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_half_rows.h: products of a row of bytes with four rows of constants of four bits, two in a byte.
 *
 * Arm cores with vectors for integers (MVE) or with the DSP extension get a few instructions for each function; any other
 * C99 compiler, or -DS2S_HALF_ROWS_PORTABLE, gets loops with the same names and the same results.
 *
 *   s2s_i32x4_dot_halves_by_16(x, w, steps), s2s_i32x4_dot_halves_by_4(x, w, steps)
 *       lane c: the sum of x[k] * low(w[p]) + x[steps / 2 + k] * high(w[p]) for k < steps / 2, a multiple of n, with
 *       p = k / n * 4 * n + c * n + k % n; n is the number at the end of the name, low and high are the halves of a
 *       byte, from 0 to 15. w is aligned to n bytes, and x is so for n = 4. */
#ifndef S2S_HALF_ROWS_H
#define S2S_HALF_ROWS_H

#include "s2s_config.h"
#include "s2s_simd.h"

#include <stdint.h>

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(S2S_SIMD_PORTABLE) && !defined(S2S_HALF_ROWS_PORTABLE)
#define S2S_HALF_ROWS_BY_16
#include <arm_mve.h>

#define S2S_ADD_HALVES(acc, p)                                                                                         \
    do {                                                                                                               \
        const uint8x16_t both = vldrbq_u8((const uint8_t *)(p));                                                       \
                                                                                                                       \
        (acc) = vmladavaq_s8((acc), low, (int8x16_t)vandq_u8(both, vdupq_n_u8(15)));                                   \
        (acc) = vmladavaq_s8((acc), high, (int8x16_t)vshrq_n_u8(both, 4));                                             \
    } while (0)

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_halves_by_16(const int8_t *x, const int8_t *w, int32_t steps)
{
    int32_t a = 0, b = 0, c = 0, d = 0;
    int32x4_t sums;

    S2S_UNROLL(4)
    for (int32_t k = 0; k < steps / 2; k += 16) {
        const int8x16_t low = vldrbq_s8(x + k);
        const int8x16_t high = vldrbq_s8(x + steps / 2 + k);

        S2S_ADD_HALVES(a, w + 4 * k);
        S2S_ADD_HALVES(b, w + 4 * k + 16);
        S2S_ADD_HALVES(c, w + 4 * k + 32);
        S2S_ADD_HALVES(d, w + 4 * k + 48);
    }
    __asm__("vmov %q0[2], %q0[0], %1, %3\n\tvmov %q0[3], %q0[1], %2, %4" : "=&w"(sums) : "r"(a), "r"(b), "r"(c), "r"(d));
    return (s2s_i32x4)sums;
}
#undef S2S_ADD_HALVES
#endif

#if defined(__ARM_FEATURE_DSP) && defined(__thumb2__) && defined(__GNUC__) && !defined(__ARM_BIG_ENDIAN) &&            \
    !defined(S2S_SIMD_PORTABLE) && !defined(S2S_HALF_ROWS_PORTABLE)
#define S2S_HALF_ROWS_BY_4
#include "s2s_dsp.h"

/* Adds the products of the eight constants at w to acc, and moves w behind them. low and high are the bytes of x, in the
 * order 0, 2, 1, 3. In one piece, because GCC would load ahead for all rows and then have no registers left. */
#define S2S_ADD_HALVES(acc)                                                                                            \
    __asm__("ldr %[both], [%[w]], #4\n\t"                                                                              \
            "and %[half], %[mask], %[both]\n\t"                                                                        \
            "smlad %[sum], %[half], %[even_low], %[sum]\n\t"                                                           \
            "and %[half], %[mask], %[both], lsr #4\n\t"                                                                \
            "smlad %[sum], %[half], %[even_high], %[sum]\n\t"                                                          \
            "and %[half], %[mask], %[both], lsr #8\n\t"                                                                \
            "smlad %[sum], %[half], %[odd_low], %[sum]\n\t"                                                            \
            "and %[half], %[mask], %[both], lsr #12\n\t"                                                               \
            "smlad %[sum], %[half], %[odd_high], %[sum]"                                                               \
            : [sum] "+r"(acc), [w] "+r"(w), [both] "=&r"(both), [half] "=&r"(half)                                     \
            : [mask] "r"(0x000f000f), [even_low] "r"(low.low), [even_high] "r"(high.low), [odd_low] "r"(low.high),     \
              [odd_high] "r"(high.high), "m"(*(const int8_t(*)[4])w))

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_halves_by_4(const int8_t *x, const int8_t *w, int32_t steps)
{
    int32_t a = 0, b = 0, c = 0, d = 0;
    int32_t both, half;

    S2S_UNROLL(4)
    for (int32_t k = 0; k < steps / 2; k += 4) {
        const s2s_i16x4 low = s2s_i8x4_extend(s2s_i8x4_load(x + k));
        const s2s_i16x4 high = s2s_i8x4_extend(s2s_i8x4_load(x + steps / 2 + k));

        S2S_ADD_HALVES(a);
        S2S_ADD_HALVES(b);
        S2S_ADD_HALVES(c);
        S2S_ADD_HALVES(d);
    }
    const int32_t sums[4] = {a, b, c, d};

    return s2s_i32x4_load(sums);
}
#undef S2S_ADD_HALVES
#endif

#define S2S_DOT_HALVES(name, n)                                                                                        \
    S2S_ALWAYS_INLINE s2s_i32x4 name(const int8_t *x, const int8_t *w, int32_t steps)                                  \
    {                                                                                                                  \
        int32_t lanes[4] = {0, 0, 0, 0};                                                                               \
                                                                                                                       \
        for (int32_t k = 0; k < steps / 2; k++) {                                                                      \
            for (int32_t c = 0; c < 4; c++) {                                                                          \
                const uint32_t both = (uint8_t)w[k / (n) * 4 * (n) + c * (n) + k % (n)];                               \
                                                                                                                       \
                lanes[c] += (int32_t)x[k] * (int32_t)(both & 15u);                                                     \
                lanes[c] += (int32_t)x[steps / 2 + k] * (int32_t)(both >> 4);                                          \
            }                                                                                                          \
        }                                                                                                              \
        return s2s_i32x4_load(lanes);                                                                                  \
    }

#ifndef S2S_HALF_ROWS_BY_16
S2S_DOT_HALVES(s2s_i32x4_dot_halves_by_16, 16)
#endif
#ifndef S2S_HALF_ROWS_BY_4
S2S_DOT_HALVES(s2s_i32x4_dot_halves_by_4, 4)
#endif

#undef S2S_DOT_HALVES
#undef S2S_HALF_ROWS_BY_16
#undef S2S_HALF_ROWS_BY_4
#endif
