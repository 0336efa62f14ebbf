/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_pairs.h: two neighbouring floats, loaded by one instruction where a core without vectors has one.
 *
 *   s2s_f32_pair_load(p)   { p[0], p[1] }
 *
 * VLDR loads two single registers at once, from any address that a float may have. GCC 12 makes two loads of such a
 * copy, since it holds doubles to be aligned to eight bytes. */
#ifndef S2S_PAIRS_H
#define S2S_PAIRS_H

#include "s2s_config.h"

typedef struct s2s_f32_pair { float low, high; } s2s_f32_pair;

#if defined(__ARM_FP) && (__ARM_FP & 4) && defined(__thumb2__) && defined(__GNUC__) && !defined(__ARM_BIG_ENDIAN) &&   \
    !defined(__SOFTFP__) && !defined(S2S_SIMD_PORTABLE)
typedef double s2s_two_floats __attribute__((may_alias, aligned(4)));

S2S_ALWAYS_INLINE s2s_f32_pair s2s_f32_pair_load(const float *p)
{
    union { double both; s2s_f32_pair pair; } a;

    __asm__("vldr.64 %P0, %1" : "=w"(a.both) : "Uv"(*(const s2s_two_floats *)(const void *)p));
    return a.pair;
}
#else
S2S_ALWAYS_INLINE s2s_f32_pair s2s_f32_pair_load(const float *p)
{
    s2s_f32_pair a;

    a.low = p[0];
    a.high = p[1];
    return a;
}
#endif

#endif
