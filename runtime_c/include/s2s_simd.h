/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_simd.h: short vectors for generated kernels, in one notation for every compiler.
 *
 * Types     s2s_f32x4 s2s_f32x8 s2s_f32x16 (float), s2s_i32x4 s2s_i32x8 s2s_i32x16 (int32_t).
 * GCC >= 9 and clang map them to GNU vector types, one machine vector or several; any other C99 compiler, or
 * -DS2S_SIMD_PORTABLE, gets arrays and loops with the same names and the same results. Only whether a * b + c is
 * rounded once or twice may differ between compilers; -ffp-contract decides it in both forms.
 *
 * Functions, with V = s2s_f32x16 and so on, N its lanes, a, b, c of type V, M = s2s_i32xN:
 *
 *   V_splat(x), V_zero()                every lane x, or 0
 *   V_load(p), V_store(p, a)            N neighbours at p; p needs the alignment of one element only
 *   V_load_part(p, n)                   the first n lanes, 0 <= n <= N, from p; the others are 0 and are not read
 *   V_store_part(p, n, a)               the first n lanes to p; nothing else is written
 *   V_load_strided(p, stride)           lane i from p[i * stride]; the stride counts elements and may be negative
 *   V_store_strided(p, stride, a)       lane i to p[i * stride]
 *   V_load_strided_part(p, stride, n), V_store_strided_part(p, stride, n, a)
 *                                       the first n lanes so; other elements are neither read nor written
 *   V_store_interleaved(p, stride, lanes, count, a0, a1, ...)
 *                                       the first lanes of the first count of N vectors in turn, lane i of vector k to
 *                                       p[i * stride + k]
 *   V_store_by_2(p, a, b)               lane i of a to p[2 * i], lane i of b to p[2 * i + 1]
 *   V_lane(a, i)                        the value of lane i
 *   V_add V_sub V_mul (a, b)            lane by lane; integers wrap
 *   V_min V_max (a, b)                  lane by lane; a float result is NaN if either is, and either of two zeros; cheapest
 *                                       with a constant a, then with a an accumulator
 *   V_neg V_abs (a)                     lane by lane; integers wrap
 *   V_reduce_add V_reduce_mul V_reduce_min V_reduce_max (a)
 *                                       over the lanes, by halves: lane i meets lane i + N/2, then i + N/4, ...
 *   V_equal V_not_equal V_less V_less_equal (a, b)
 *                                       M with all bits of a lane set where it holds
 *   V_select(m, a, b)                   a where the lane of the mask m is all ones, b where it is zero
 *
 * float only: V_div(a, b), V_fma(a, b, c) = a * b + c, V_sqrt(a), V_from_i32(m),
 *             V_to_i32(a) (towards zero, limited to the range of int32_t, NaN gives 0),
 *             V_bits(a) (M with the bits of the lanes), V_from_bits(m),
 *             V_map(f, a) (f of each lane, for functions of <math.h>; s2s_simd_functions.h and s2s_simd_trigonometry.h
 *             have many of them on whole vectors).
 * int32 only: V_bit_and V_bit_or V_bit_xor (a, b), V_bit_not(a), V_shift_left V_shift_right (a, count) with
 *             0 <= count < 32; right shifts copy the sign.
 *
 * All functions are pure but for the memory they name, and keep no state. */
#ifndef S2S_SIMD_H
#define S2S_SIMD_H

#include "s2s_config.h"
#include "s2s_scalar.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(S2S_SIMD_PORTABLE) || (defined(__i386__) && !defined(__SSE2__))
/* Arrays and loops. */
#elif defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)
#define S2S_SIMD_GNU 1
#endif
#if defined(S2S_SIMD_GNU) && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define S2S_SIMD_MVE 1 /* vectors of floats, which GCC multiplies and adds, but does not convert */
#include <arm_mve.h>
#endif

/* Lanes of the widest vector that the target holds in one register. Wider types are a pair of halves: GCC and clang
 * would pass and lower a vector wider than that through memory, and warn of it. */
#ifndef S2S_SIMD_NATIVE_LANES
#if !defined(S2S_SIMD_GNU) || defined(__AVX512F__)
#define S2S_SIMD_NATIVE_LANES 16
#elif defined(__AVX__)
#define S2S_SIMD_NATIVE_LANES 8
#else
#define S2S_SIMD_NATIVE_LANES 4
#endif
#endif

#define S2S_SIMD_JOIN_(type, lanes, rest) type##lanes##rest
#define S2S_SIMD_JOIN(type, lanes, rest) S2S_SIMD_JOIN_(type, lanes, rest)

#define S2S_LANES 4
#include "s2s_simd_lanes.h"
#undef S2S_LANES

#define S2S_LANES 8
#define S2S_HALF 4
#include "s2s_simd_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#define S2S_LANES 16
#define S2S_HALF 8
#include "s2s_simd_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#endif
