/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_simd_half.h: numbers of half precision (IEEE 754 binary16) in memory, as lanes of the vectors of s2s_simd.h.
 *
 * Functions, with V = s2s_f32x16 and so on, N its lanes:
 *
 *   V_load_f16(p), V_store_f16(p, a)    N neighbours at p, exact; the lanes to p, to nearest, ties to even
 *
 * and with _part(p, n), _strided(p, stride) and _strided_part(p, stride, n) as in s2s_simd.h; and
 *
 *   V_round_f16(a)                      the lanes that a becomes when it is stored and loaded again
 *
 * Results are those of s2s_half.h, but for which NaN it is. Compilers for x86-64 with F16C or AVX-512 and for 64-bit
 * Arm get one instruction for a vector, GCC and clang for others operations on vectors; any other C99 compiler, or
 * -DS2S_SIMD_PORTABLE, gets loops. */
#ifndef S2S_SIMD_HALF_H
#define S2S_SIMD_HALF_H

#include "s2s_config.h"
#include "s2s_half.h"
#include "s2s_simd.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(S2S_SIMD_GNU) && defined(__F16C__)
#include <immintrin.h>
#elif defined(S2S_SIMD_GNU) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#define S2S_LANES 4
#include "s2s_simd_half_lanes.h"
#undef S2S_LANES

#define S2S_LANES 8
#define S2S_HALF 4
#include "s2s_simd_half_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#define S2S_LANES 16
#define S2S_HALF 8
#include "s2s_simd_half_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#endif
