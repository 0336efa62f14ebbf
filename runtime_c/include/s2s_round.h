/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_round.h: numbers that are rounded and saturated to bytes.
 *
 *   s2s_f32_quantize_i8(x, zero_point)       x rounded to an integer, halves to even, plus zero_point (-128 ... 127),
 *                                            and limited to -128 ... 127; with a zero_point of 0, NaN gives 0, with
 *                                            any other one x is no NaN
 *   s2s_f32_quantize_i8_nan(x, zero_point)   the same, and 0 for NaN
 *
 * Cores with an FPU of Armv7-M have no instruction that rounds to a float, so rintf is a call there. VCVTR rounds to
 * an integer as FPSCR says, to nearest with halves to even unless a program changes it, and saturates; NaN gives 0. */
#ifndef S2S_ROUND_H
#define S2S_ROUND_H

#include "s2s_config.h"

#include <stdint.h>

#if defined(__ARM_FP) && (__ARM_FP & 4) && defined(__thumb2__) && defined(__GNUC__) && defined(__ARM_FEATURE_DSP) &&    \
    !defined(__SOFTFP__) && !defined(S2S_DSP_PORTABLE)
#include <arm_acle.h>
#include <string.h>

S2S_ALWAYS_INLINE int8_t s2s_f32_quantize_i8(float x, int32_t zero_point)
{
    float rounded;
    int32_t number;

    __asm__("vcvtr.s32.f32 %0, %1" : "=t"(rounded) : "t"(x));
    (void)memcpy((void *)&number, (const void *)&rounded, sizeof number);
    return (int8_t)__builtin_arm_ssat(__builtin_arm_qadd(number, zero_point), 8);
}

S2S_ALWAYS_INLINE int8_t s2s_f32_quantize_i8_nan(float x, int32_t zero_point)
{
    const int8_t number = s2s_f32_quantize_i8(x, zero_point);

    return (x == x) ? number : (int8_t)0;
}
#else
#include "s2s_math.h"

S2S_INLINE int8_t s2s_f32_quantize_i8(float x, int32_t zero_point)
{
    return s2s_f32_to_i8(s2s_f32_min(127.0f, s2s_f32_max(-128.0f, rintf(x) + (float)zero_point)));
}

S2S_INLINE int8_t s2s_f32_quantize_i8_nan(float x, int32_t zero_point)
{
    return s2s_f32_quantize_i8(x, zero_point);
}
#endif

#endif
