/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_round_lanes.h: four numbers at a time that are rounded and saturated to bytes.
 *
 *   s2s_i32x4_quantize_i8(x, zero_point)       s2s_f32_quantize_i8 of s2s_round.h for each lane of a s2s_f32x4
 *   s2s_i32x4_quantize_i8_nan(x, zero_point)   the same, and 0 for NaN
 *   s2s_i32x4_quantize_i8_away(x, zero_point)  the same, halves away from zero; NaN gives zero_point
 *   s2s_i32x4_quotient_i8(x, divisor, high, low, zero_point), and so for _nan and _away
 *                                              s2s_f32_quotient_i8 for each lane
 *
 * Cores with vectors for floats (Arm MVE) get a few instructions; any other C99 compiler, or -DS2S_SIMD_PORTABLE, gets a
 * loop with the same results. */
#ifndef S2S_ROUND_LANES_H
#define S2S_ROUND_LANES_H

#include "s2s_config.h"
#include "s2s_round.h"
#include "s2s_simd.h"

#include <stdint.h>

#ifdef S2S_SIMD_MVE
S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_moved_i8(int32x4_t rounded, int32_t zero_point)
{
    const int32x4_t number = vqaddq_n_s32(rounded, zero_point);

    return (s2s_i32x4)vminq_s32(vmaxq_s32(number, vdupq_n_s32(-128)), vdupq_n_s32(127));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quantize_i8(s2s_f32x4 x, int32_t zero_point)
{
    return s2s_i32x4_moved_i8(vcvtnq_s32_f32((float32x4_t)x), zero_point);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quantize_i8_nan(s2s_f32x4 x, int32_t zero_point)
{
    const int32x4_t number = (int32x4_t)s2s_i32x4_quantize_i8(x, zero_point);

    return (s2s_i32x4)vpselq_s32(number, vdupq_n_s32(0), vcmpeqq_f32((float32x4_t)x, (float32x4_t)x));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quantize_i8_away(s2s_f32x4 x, int32_t zero_point)
{
    return s2s_i32x4_moved_i8(vcvtaq_s32_f32((float32x4_t)x), zero_point);
}

S2S_ALWAYS_INLINE s2s_f32x4 s2s_f32x4_quotient(s2s_f32x4 x, float divisor, float high, float low)
{
    const float32x4_t given = (float32x4_t)x;

    (void)divisor;
    return (s2s_f32x4)((low > 0.0f) ? vfmaq_n_f32(vmulq_n_f32(given, low), given, high) : vmulq_n_f32(given, high));
}

#define S2S_QUOTIENT_LANES(rounding)                                                                                   \
    S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quotient_i8##rounding(s2s_f32x4 x, float divisor, float high, float low,     \
                                                                int32_t zero_point)                                    \
    {                                                                                                                  \
        return s2s_i32x4_quantize_i8##rounding(s2s_f32x4_quotient(x, divisor, high, low), zero_point);                 \
    }
#else
#define S2S_QUANTIZE_LANES(rounding)                                                                                   \
    S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quantize_i8##rounding(s2s_f32x4 x, int32_t zero_point)                       \
    {                                                                                                                  \
        int32_t lanes[4];                                                                                              \
                                                                                                                       \
        for (int32_t i = 0; i < 4; i++) {                                                                              \
            lanes[i] = s2s_f32_quantize_i8##rounding(s2s_f32x4_lane(x, i), zero_point);                                \
        }                                                                                                              \
        return s2s_i32x4_load(lanes);                                                                                  \
    }

S2S_QUANTIZE_LANES()
S2S_QUANTIZE_LANES(_nan)
S2S_QUANTIZE_LANES(_away)

#define S2S_QUOTIENT_LANES(rounding)                                                                                   \
    S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_quotient_i8##rounding(s2s_f32x4 x, float divisor, float high, float low,     \
                                                                int32_t zero_point)                                    \
    {                                                                                                                  \
        int32_t lanes[4];                                                                                              \
                                                                                                                       \
        for (int32_t i = 0; i < 4; i++) {                                                                              \
            lanes[i] = s2s_f32_quotient_i8##rounding(s2s_f32x4_lane(x, i), divisor, high, low, zero_point);            \
        }                                                                                                              \
        return s2s_i32x4_load(lanes);                                                                                  \
    }
#endif

S2S_QUOTIENT_LANES()
S2S_QUOTIENT_LANES(_nan)
S2S_QUOTIENT_LANES(_away)

#endif
