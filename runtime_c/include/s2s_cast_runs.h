/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_cast_runs.h: sixteen neighbouring floats as integers: each towards zero, limited to the range, NaN as 0.
 *
 *   s2s_f64_to_i8_x16(y, x)             y[i] = s2s_f64_to_i8(x[i]) for 0 <= i < 16, as s2s_math.h describes it
 *
 * and likewise from f64 to each integer type, from f32 to i64 and u64, and from f16 to i16, u16 and u32. All numbers may
 * be read before one is written, or not.
 *
 * Compilers for x86-64 with AVX2 and F16C get vectors, which C compilers make of no loop of these: they compare less, or
 * convert what a test of the whole run has found to be in range. Any other C99 compiler, or -DS2S_SIMD_PORTABLE, gets
 * loops with the same names and the same results. */
#ifndef S2S_CAST_RUNS_H
#define S2S_CAST_RUNS_H

#include "s2s_config.h"
#include "s2s_half.h"
#include "s2s_math.h"

#include <stdint.h>

#define S2S_CAST_RUN 16
#define S2S_CAST_EACH(y, x, function)                                                                                  \
    for (int i = 0; i < S2S_CAST_RUN; ++i) { (y)[i] = function((x)[i]); }

#if defined(__GNUC__) && defined(__x86_64__) && defined(__AVX2__) && defined(__F16C__) && !defined(S2S_SIMD_PORTABLE)
#include "s2s_cast_runs_x86.h"
#else

#define S2S_CAST_F64(to, type)                                                                                         \
    S2S_INLINE void s2s_f64_to_##to##_x16(type *y, const double *x)                                                    \
    {                                                                                                                  \
        S2S_CAST_EACH(y, x, s2s_f64_to_##to)                                                                           \
    }
S2S_CAST_F64(i8, int8_t)
S2S_CAST_F64(u8, uint8_t)
S2S_CAST_F64(i16, int16_t)
S2S_CAST_F64(u16, uint16_t)
S2S_CAST_F64(i32, int32_t)
S2S_CAST_F64(u32, uint32_t)
S2S_CAST_F64(i64, int64_t)
S2S_CAST_F64(u64, uint64_t)
#undef S2S_CAST_F64

#define S2S_CAST_F32(to, type)                                                                                         \
    S2S_INLINE void s2s_f32_to_##to##_x16(type *y, const float *x)                                                     \
    {                                                                                                                  \
        S2S_CAST_EACH(y, x, s2s_f32_to_##to)                                                                           \
    }
S2S_CAST_F32(i64, int64_t)
S2S_CAST_F32(u64, uint64_t)
#undef S2S_CAST_F32

#define S2S_CAST_F16(to, type)                                                                                         \
    S2S_INLINE void s2s_f16_to_##to##_x16(type *y, const s2s_f16 *x)                                                   \
    {                                                                                                                  \
        for (int i = 0; i < S2S_CAST_RUN; ++i) { y[i] = s2s_f32_to_##to(s2s_f16_to_f32(x[i])); }                       \
    }
S2S_CAST_F16(i16, int16_t)
S2S_CAST_F16(u16, uint16_t)
S2S_CAST_F16(u32, uint32_t)
#undef S2S_CAST_F16
#endif

#endif
