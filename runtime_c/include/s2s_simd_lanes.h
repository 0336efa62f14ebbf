/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of S2S_LANES lanes; included by s2s_simd.h, which describes the functions, once for each width.
 * S2S_HALF is S2S_LANES / 2 where vectors of that width exist. */

#define S2S_F32V S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, )
#define S2S_I32V S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, )
#define S2S_F32(name) S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, _##name)
#define S2S_I32(name) S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, _##name)
#define S2S_EACH_LANE(i) for (int i = 0; i < S2S_LANES; ++i)

#ifdef S2S_HALF
#define S2S_F32H S2S_SIMD_JOIN(s2s_f32x, S2S_HALF, )
#define S2S_I32H S2S_SIMD_JOIN(s2s_i32x, S2S_HALF, )
#define S2S_F32H_(name) S2S_SIMD_JOIN(s2s_f32x, S2S_HALF, _##name)
#define S2S_I32H_(name) S2S_SIMD_JOIN(s2s_i32x, S2S_HALF, _##name)
#endif

/* Types, arithmetic and memory. */
#if S2S_LANES > S2S_SIMD_NATIVE_LANES
#include "s2s_simd_halves.h"
#elif defined(S2S_SIMD_GNU)
#include "s2s_simd_gnu.h"
#else
#include "s2s_simd_portable.h"
#endif

/* Reductions: one definition for every kind of vector. */
#include "s2s_simd_reduce.h"

/* Interleaved stores. */
#include "s2s_simd_transpose.h"

/* The bits of the lanes, and lanes from bits. */
S2S_ALWAYS_INLINE S2S_I32V S2S_F32(bits)(S2S_F32V a)
{
    S2S_I32V r;

    (void)memcpy((void *)&r, (const void *)&a, sizeof r);
    return r;
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(from_bits)(S2S_I32V a)
{
    S2S_F32V r;

    (void)memcpy((void *)&r, (const void *)&a, sizeof r);
    return r;
}

#ifdef S2S_HALF
#undef S2S_F32H
#undef S2S_I32H
#undef S2S_F32H_
#undef S2S_I32H_
#endif
#undef S2S_F32V
#undef S2S_I32V
#undef S2S_F32
#undef S2S_I32
#undef S2S_EACH_LANE
