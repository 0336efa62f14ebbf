/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_simd_bytes.h: networks of bytes in the vectors of s2s_simd.h.
 *
 * Bytes are carried in lanes of 32 bits, or four in a lane: a group, its first byte the lowest of the lane. Compilers
 * for x86-64 (SSE4.1, AVX2, AVX-512, VNNI), 64-bit Arm and WebAssembly get a few instructions for each function; any
 * other C99 compiler, or -DS2S_SIMD_PORTABLE, gets loops with the same names and the same results.
 *
 * Functions, with I = s2s_i32x16 and so on, N its lanes, F = s2s_f32xN:
 *
 *   I_load_i8(p), I_store_i8(p, a)      N bytes at p, widened; the low byte of each lane to p. With _part(p, n), _strided
 *                                       (p, stride) and _strided_part(p, stride, n) as in s2s_simd.h
 *   I_store_i16(p, a)                   the low 16 bits of each lane to p
 *   I_store_i8_by_2(p, a, b), I_store_i8_by_3(p, a, b, c), I_store_i8_by_4(p, a, b, c, d)
 *                                       the low bytes of lane 0 of each vector, then those of lane 1, ...
 *   I_store_i8_interleaved(p, stride, lanes, count, a0, a1, ...)
 *                                       the first lanes of the first count of N vectors in turn, the low byte of lane i
 *                                       of vector k to p[i * stride + k]
 *   I_saturate_i8(a)                    each lane limited to -128 ... 127
 *   I_store_saturated_i8(p, a)          the same lanes, limited, to N bytes at p
 *   I_rescale_double(x, multiplier, shift), I_rescale_high(x, multiplier)
 *                                       the functions of s2s_quantize.h, lane by lane
 *   I_rescale_negative(x, multiplier, shift), I_rescale_upward(x, multiplier, shift)
 *                                       those of s2s_quantize.h with an offset of 0, lane by lane
 *   I_look_up_i8(table, index)          table[index] of each lane, for a table of 256 bytes
 *   I_load_groups(p)                    N groups of four neighbours, 4 N bytes at p
 *   I_load_group_nibbles(p), I_load_pair_nibbles(p)
 *                                       N groups of four neighbours, or of two numbers widened to 16 bits, of four bits,
 *                                       two in a byte: see s2s_nibbles.h
 *   I_load_group(p)                     the four bytes at p in every lane
 *   I_load_columns(p, stride, count)    byte k of lane i from p[i + k * stride] for k < count, 0 for the others;
 *                                       1 <= count <= 4
 *   I_add_dot_i8(acc, a, b)             acc + the sum of the products of four bytes each of a and b; sums wrap
 *   I_add_dot_u8(acc, a, b)             the same where the bytes of a are unsigned
 *   I_load_pairs(p), I_load_pairs_i8(p) N groups of two numbers of 16 bits: 2 N of them at p, or 2 N bytes widened
 *   I_load_pair(p)                      the two numbers of 16 bits at p in every lane
 *   I_add_pairs(a, b)                   a + b of two numbers of 16 bits in each lane, modulo 2^16
 *   I_add_dot_i16(acc, a, b)            acc + the sum of the products of two numbers of 16 bits each of a and b; sums
 *                                       wrap, and no two products are of four times -32768
 *   F_to_i32_inside(a)                  towards zero, for lanes in the range of int32_t; any number for others */
#ifndef S2S_SIMD_BYTES_H
#define S2S_SIMD_BYTES_H

#include "s2s_config.h"
#include "s2s_lanes.h"
#include "s2s_quantize.h"
#include "s2s_simd.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef S2S_SIMD_GNU
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define S2S_BYTES_IN_ORDER 1
#endif
#if defined(__x86_64__) && defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#endif

/* Four bytes as one number, the first the lowest. */
S2S_ALWAYS_INLINE int32_t s2s_group(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    return (int32_t)((uint32_t)a | ((uint32_t)b << 8) | ((uint32_t)c << 16) | ((uint32_t)d << 24));
}

/* Two numbers of 16 bits as one number, the first the lower half. */
S2S_ALWAYS_INLINE int32_t s2s_pair(int16_t a, int16_t b)
{
    return (int32_t)((uint32_t)(uint16_t)a | ((uint32_t)(uint16_t)b << 16));
}

/* Four numbers of four bits in two bytes, and two in one, as a group of bytes and as a pair. The sign of each is moved to
 * the bits above it: 8 becomes 240, of 8 bits, or 65520, of 16 bits. */
S2S_ALWAYS_INLINE int32_t s2s_group_of_nibbles(uint8_t low, uint8_t high)
{
    const uint32_t apart = (uint32_t)low | ((uint32_t)high << 16);
    const uint32_t halves = (apart | (apart << 4)) & 0x0f0f0f0fu;
    const uint32_t signs = halves & 0x08080808u;

    return (int32_t)(halves | ((signs << 5) - (signs << 1)));
}

S2S_ALWAYS_INLINE int32_t s2s_pair_of_nibbles(uint8_t both)
{
    const uint32_t halves = ((uint32_t)both | ((uint32_t)both << 12)) & 0x000f000fu;
    const uint32_t signs = halves & 0x00080008u;

    return (int32_t)(halves | ((signs << 13) - (signs << 1)));
}

#define S2S_LANES 4
#include "s2s_simd_bytes_lanes.h"
#undef S2S_LANES

#define S2S_LANES 8
#define S2S_HALF 4
#include "s2s_simd_bytes_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#define S2S_LANES 16
#define S2S_HALF 8
#include "s2s_simd_bytes_lanes.h"
#undef S2S_LANES
#undef S2S_HALF

#endif
