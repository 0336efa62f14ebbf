/* SPDX-License-Identifier: Apache-2.0 */
/* Interleaved stores of floats and integers: lane i of several vectors side by side; included by s2s_simd_lanes.h once
 * for each width.
 *
 * V_store_interleaved(p, stride, lanes, count, a0, a1, ...) stores lane i of vector k to p[i * stride + k] for every
 * i < lanes and k < count. There are as many vectors as lanes; those from number count on are not read.
 *
 * V_store_by_2(p, a, b) stores lane i of a to p[2 * i] and lane i of b to p[2 * i + 1]. */

#include "s2s_simd_operands.h"

#define S2S_V S2S_F32V
#define S2S_ELEMENT float
#define S2S_FN(name) S2S_F32(name)
#define S2S_FN_HALF(name) S2S_F32H_(name)
#if S2S_LANES == 16 && defined(__AVX512F__)
#define S2S_HAS_MASKS
#endif
#include "s2s_simd_transpose_rows.h"
#undef S2S_V
#undef S2S_ELEMENT
#undef S2S_FN
#undef S2S_FN_HALF
#undef S2S_HAS_MASKS

#define S2S_V S2S_I32V
#define S2S_ELEMENT int32_t
#define S2S_FN(name) S2S_I32(name)
#define S2S_FN_HALF(name) S2S_I32H_(name)
#include "s2s_simd_transpose_rows.h"
#undef S2S_V
#undef S2S_ELEMENT
#undef S2S_FN
#undef S2S_FN_HALF

#undef S2S_VECTORS
#undef S2S_ALL_VECTORS
