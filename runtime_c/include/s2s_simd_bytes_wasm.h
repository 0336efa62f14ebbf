/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in vectors of four lanes in WebAssembly; included by s2s_simd_bytes_lanes.h. What is not defined here,
 * s2s_simd_bytes_loops.h defines. */

/* Four products a lane, as two pairs of 16 bits, which cannot overflow. */
#define S2S_BYTES_DOT 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_pairs)(S2S_I32V acc, v128_t a_even, v128_t a_odd, S2S_I32V b)
{
    const v128_t b_even = wasm_i16x8_shr(wasm_i16x8_shl((v128_t)b, 8), 8), b_odd = wasm_i16x8_shr((v128_t)b, 8);
    const v128_t even = wasm_i32x4_dot_i16x8(a_even, b_even), odd = wasm_i32x4_dot_i16x8(a_odd, b_odd);

    return (S2S_I32V)wasm_i32x4_add(wasm_i32x4_add((v128_t)acc, even), odd);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const v128_t even = wasm_v128_and((v128_t)a, wasm_i16x8_splat(255));

    return S2S_I32(add_dot_pairs)(acc, even, wasm_u16x8_shr((v128_t)a, 8), b);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const v128_t even = wasm_i16x8_shr(wasm_i16x8_shl((v128_t)a, 8), 8);

    return S2S_I32(add_dot_pairs)(acc, even, wasm_i16x8_shr((v128_t)a, 8), b);
}

/* Two products of 16 bits a lane. */
#define S2S_BYTES_DOT_PAIRS 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs_i8)(const int8_t *p)
{
    return (S2S_I32V)wasm_i16x8_load8x8(p);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_pairs)(S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)wasm_i16x8_add((v128_t)a, (v128_t)b);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i16)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)wasm_i32x4_add((v128_t)acc, wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b));
}
