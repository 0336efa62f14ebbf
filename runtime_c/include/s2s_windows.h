/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_windows.h: sums over a window of bytes.
 *
 * Arm's M-profile vector extension takes a row in two instructions; any other C99 compiler, or -DS2S_LANES_PORTABLE,
 * gets loops with the same names and the same results.
 *
 *   s2s_i8_dot_window_by_8(acc, x, distance, w, rows), s2s_i8_dot_window_by_16(acc, x, distance, w, rows)
 *       acc + the sum of x[r * distance + k] * w[r * n + k] for r < rows and k < n, wrapping around; n is the number at
 *       the end of the name */
#ifndef S2S_WINDOWS_H
#define S2S_WINDOWS_H

#include "s2s_config.h"

#include <stdint.h>

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(S2S_SIMD_PORTABLE) && !defined(S2S_LANES_PORTABLE)
#include <arm_mve.h>

#define S2S_ROW_OF_8(acc, x, w) vmladavaq_s16(acc, vldrbq_s16(x), vldrbq_s16(w))
#define S2S_ROW_OF_16(acc, x, w) vmladavaq_s8(acc, vldrbq_s8(x), vldrbq_s8(w))
#else
S2S_ALWAYS_INLINE int32_t s2s_i8_dot_row(int32_t acc, const int8_t *x, const int8_t *w, int32_t count)
{
    uint32_t sum = (uint32_t)acc;

    for (int32_t k = 0; k < count; k++) {
        sum += (uint32_t)((int32_t)x[k] * w[k]);
    }
    return (int32_t)sum;
}

#define S2S_ROW_OF_8(acc, x, w) s2s_i8_dot_row(acc, x, w, 8)
#define S2S_ROW_OF_16(acc, x, w) s2s_i8_dot_row(acc, x, w, 16)
#endif

/* Written out, so that neighbouring windows share the constants in registers. */
S2S_ALWAYS_INLINE int32_t s2s_i8_dot_window_by_8(int32_t acc, const int8_t *x, int32_t distance, const int8_t *w,
                                                 int32_t rows)
{
    S2S_UNROLL(16)
    for (int32_t r = 0; r < rows; r++) {
        acc = S2S_ROW_OF_8(acc, &x[r * distance], &w[r * 8]);
    }
    return acc;
}

S2S_ALWAYS_INLINE int32_t s2s_i8_dot_window_by_16(int32_t acc, const int8_t *x, int32_t distance, const int8_t *w,
                                                  int32_t rows)
{
    S2S_UNROLL(16)
    for (int32_t r = 0; r < rows; r++) {
        acc = S2S_ROW_OF_16(acc, &x[r * distance], &w[r * 16]);
    }
    return acc;
}

#undef S2S_ROW_OF_8
#undef S2S_ROW_OF_16

#endif
