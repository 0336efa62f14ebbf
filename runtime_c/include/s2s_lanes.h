/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_lanes.h: four numbers of 32 bits at a time, for networks of bytes; beside s2s_simd.h, which has the arithmetic.
 *
 * Cores with vectors for integers (Arm MVE) get a few instructions for each function; any other C99 compiler, or
 * -DS2S_LANES_PORTABLE, gets loops with the same names and the same results.
 *
 *   s2s_i32x4_load_i8(p), s2s_i32x4_store_i8(p, a)
 *                              four bytes at p, widened; the low byte of each lane to p
 *   s2s_i32x4_load_i8_at(p, at)
 *                              s2s_i32x4_load_i8(p + at), where at is a constant from 0 to 127
 *   s2s_i32x4_saturate_i8(a)   each lane limited to -128 ... 127
 *   s2s_i32x4_store_saturated_i8(p, a)
 *                              the same lanes, limited, to p
 *   s2s_i32x4_rescale_double(x, multiplier, shift), s2s_i32x4_rescale_high(x, multiplier)
 *                              the functions of s2s_quantize.h, lane by lane
 *   s2s_i32x4_rescale_negative(x, multiplier, shift), s2s_i32x4_rescale_upward(x, multiplier, shift)
 *                              those of s2s_quantize.h with an offset of 0, lane by lane
 *   s2s_i32x4_rescale_negative_by(x, multiplier, shift), s2s_i32x4_rescale_upward_by(x, multiplier, shift)
 *                              the same with one multiplier and one shift for all lanes
 *   s2s_i32x4_dot_i8_by_16(x, w, steps), s2s_i32x4_dot_i8_by_8(x, w, steps), s2s_i32x4_dot_i16_by_8(x, w, steps)
 *                              lane c: the sum of x[k] * w[k / n * 4 * n + c * n + k % n] for k < steps, a multiple of n;
 *                              n is the number at the end of the name */
#ifndef S2S_LANES_H
#define S2S_LANES_H

#include "s2s_config.h"
#include "s2s_quantize.h"
#include "s2s_simd.h"

#include <stdint.h>

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(S2S_SIMD_PORTABLE) && !defined(S2S_LANES_PORTABLE)
#include "s2s_lanes_mve.h"
#else

#define S2S_OF_LANES(expression)                                                                                       \
    int32_t lanes[4];                                                                                                  \
                                                                                                                       \
    for (int32_t i = 0; i < 4; i++) {                                                                                  \
        lanes[i] = (expression);                                                                                       \
    }                                                                                                                  \
    return s2s_i32x4_load(lanes)

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_load_i8(const int8_t *p)
{
    S2S_OF_LANES(p[i]);
}

#define s2s_i32x4_load_i8_at(p, at) s2s_i32x4_load_i8((p) + (at))

S2S_ALWAYS_INLINE void s2s_i32x4_store_i8(int8_t *p, s2s_i32x4 a)
{
    for (int32_t i = 0; i < 4; i++) {
        p[i] = (int8_t)s2s_i32x4_lane(a, i);
    }
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_saturate_i8(s2s_i32x4 a)
{
    S2S_OF_LANES(s2s_saturate_i8(s2s_i32x4_lane(a, i)));
}

S2S_ALWAYS_INLINE void s2s_i32x4_store_saturated_i8(int8_t *p, s2s_i32x4 a)
{
    s2s_i32x4_store_i8(p, s2s_i32x4_saturate_i8(a));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_high(s2s_i32x4 x, s2s_i32x4 multiplier)
{
    S2S_OF_LANES(s2s_rescale_high(s2s_i32x4_lane(x, i), s2s_i32x4_lane(multiplier, i)));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_double(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    S2S_OF_LANES(s2s_rescale_double(s2s_i32x4_lane(x, i), s2s_i32x4_lane(multiplier, i),
                                    (int8_t)s2s_i32x4_lane(shift, i)));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_negative(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    return s2s_i32x4_rescale_double(x, multiplier, shift);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_upward(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    /* Lanes behind the last channel have a shift of 0, and any result. */
    const s2s_i32x4 negative = s2s_i32x4_min(s2s_i32x4_splat(-1), shift);

    S2S_OF_LANES(s2s_rescale_upward(s2s_i32x4_lane(x, i), s2s_i32x4_lane(multiplier, i),
                                    (int8_t)s2s_i32x4_lane(negative, i), 0));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_negative_by(s2s_i32x4 x, int32_t multiplier, int32_t shift)
{
    return s2s_i32x4_rescale_negative(x, s2s_i32x4_splat(multiplier), s2s_i32x4_splat(shift));
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_upward_by(s2s_i32x4 x, int32_t multiplier, int32_t shift)
{
    return s2s_i32x4_rescale_upward(x, s2s_i32x4_splat(multiplier), s2s_i32x4_splat(shift));
}

#define S2S_DOT(name, element, n)                                                                                      \
    S2S_ALWAYS_INLINE s2s_i32x4 name(const element *x, const int8_t *w, int32_t steps)                                 \
    {                                                                                                                  \
        int32_t lanes[4] = {0, 0, 0, 0};                                                                               \
                                                                                                                       \
        for (int32_t k = 0; k < steps; k++) {                                                                          \
            for (int32_t c = 0; c < 4; c++) {                                                                          \
                lanes[c] += (int32_t)x[k] * (int32_t)w[k / (n) * 4 * (n) + c * (n) + k % (n)];                         \
            }                                                                                                          \
        }                                                                                                              \
        return s2s_i32x4_load(lanes);                                                                                  \
    }

S2S_DOT(s2s_i32x4_dot_i8_by_16, int8_t, 16)
S2S_DOT(s2s_i32x4_dot_i8_by_8, int8_t, 8)
S2S_DOT(s2s_i32x4_dot_i16_by_8, int16_t, 8)

#undef S2S_DOT
#undef S2S_OF_LANES
#endif

#endif
