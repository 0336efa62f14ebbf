/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in vectors of four lanes on 64-bit Arm; included by s2s_simd_bytes_lanes.h. What is not defined here,
 * s2s_simd_bytes_loops.h defines. */

#define S2S_BYTES_DOT 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
#if defined(__ARM_FEATURE_DOTPROD)
    return (S2S_I32V)vdotq_s32((int32x4_t)acc, (int8x16_t)a, (int8x16_t)b);
#else
    const int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)b));
    const int16x8_t high = vmull_high_s8((int8x16_t)a, (int8x16_t)b);

    return (S2S_I32V)vaddq_s32((int32x4_t)acc, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
#if defined(__ARM_FEATURE_MATMUL_INT8)
    return (S2S_I32V)vusdotq_s32((int32x4_t)acc, (uint8x16_t)a, (int8x16_t)b);
#else
    /* a - 128 is signed; 128 times the sum of b goes on again. */
    const S2S_I32V offset = S2S_I32(splat)(INT32_MIN | 0x808080);
    const S2S_I32V less = S2S_I32(add_dot_i8)(S2S_I32(zero)(), offset, b);

    return S2S_I32(sub)(S2S_I32(add_dot_i8)(acc, S2S_I32(bit_xor)(a, offset), b), less);
#endif
}
