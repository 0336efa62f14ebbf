/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_nibble_rows.h: products of a row with four rows of constants of four bits, two in a byte.
 *
 * Arm cores with vectors for integers (MVE) get a few instructions; any other C99 compiler, or -DS2S_NIBBLE_ROWS_PORTABLE,
 * gets loops with the same names and the same results.
 *
 *   s2s_i32x4_dot_i4_by_16(x, w, steps)
 *       lane c: the sum of x[k] * s2s_nibble(w, k / 16 * 64 + c * 16 + k % 16) for k < steps, a multiple of 16 */
#ifndef S2S_NIBBLE_ROWS_H
#define S2S_NIBBLE_ROWS_H

#include "s2s_config.h"
#include "s2s_nibbles.h"
#include "s2s_simd.h"

#include <stdint.h>

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(S2S_SIMD_PORTABLE) && !defined(S2S_NIBBLE_ROWS_PORTABLE)
#include <arm_mve.h>

/* Sixteen numbers: each byte widened to 16 bits, its halves moved to the upper bits of a byte each. */
S2S_ALWAYS_INLINE int8x16_t s2s_i8x16_load_nibbles(const int8_t *p)
{
    const uint16x8_t both = vldrbq_u16((const uint8_t *)p);

    return vshrq_n_s8((int8x16_t)vsliq_n_u16(vshlq_n_u16(both, 4), both, 8), 4);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_i4_by_16(const int8_t *x, const int8_t *w, int32_t steps)
{
    int32_t a = 0, b = 0, c = 0, d = 0;
    int32x4_t sums;

    for (int32_t k = 0; k < steps; k += 16) {
        const int8x16_t row = vldrbq_s8(x + k);

        a = vmladavaq_s8(a, row, s2s_i8x16_load_nibbles(w + 2 * k));
        b = vmladavaq_s8(b, row, s2s_i8x16_load_nibbles(w + 2 * k + 8));
        c = vmladavaq_s8(c, row, s2s_i8x16_load_nibbles(w + 2 * k + 16));
        d = vmladavaq_s8(d, row, s2s_i8x16_load_nibbles(w + 2 * k + 24));
    }
    __asm__("vmov %q0[2], %q0[0], %1, %3\n\tvmov %q0[3], %q0[1], %2, %4" : "=&w"(sums) : "r"(a), "r"(b), "r"(c), "r"(d));
    return (s2s_i32x4)sums;
}
#else

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_i4_by_16(const int8_t *x, const int8_t *w, int32_t steps)
{
    int32_t lanes[4] = {0, 0, 0, 0};

    for (int32_t k = 0; k < steps; k++) {
        for (int32_t c = 0; c < 4; c++) {
            lanes[c] += (int32_t)x[k] * (int32_t)s2s_nibble(w, k / 16 * 64 + c * 16 + k % 16);
        }
    }
    return s2s_i32x4_load(lanes);
}
#endif

#endif
