/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_strips_sve.h: the functions of s2s_strips.h for SVE2 of Arm; include that. A lane has 32 bits whatever its element
 * is: loads extend elements, and stores take their low bits. Lanes behind the first n hold any numbers. */
#ifndef S2S_STRIPS_SVE_H
#define S2S_STRIPS_SVE_H

#include <arm_sve.h>
#include <string.h>

typedef svint32_t s2s_i8xn;
typedef svbool_t s2s_maskxn;
typedef svint8_t s2s_i8x4xn;
typedef svint32_t s2s_i16xn;
typedef svint32_t s2s_i32xn;
typedef svfloat32_t s2s_f32xn;

S2S_ALWAYS_INLINE int32_t s2s_strip(int32_t left)
{
    const int32_t lanes = (int32_t)svcntw();

    return (left < lanes) ? left : lanes;
}

/* All lanes, and the first n. */
#define S2S_ALL svptrue_b32()
#define S2S_FIRST svwhilelt_b32_s32(0, n)

/* A function of n lanes that is one expression. */
#define S2S_STRIP_FUNCTION(result, name, parameters, expression)                                                       \
    S2S_ALWAYS_INLINE result name parameters                                                                           \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        return (expression);                                                                                           \
    }

/* load and store are instructions for an element, type that of the lanes, places how far apart elements are. */
#define S2S_STRIP_MEMORY(vector, element, type, load, store, places)                                                   \
    S2S_STRIP_FUNCTION(vector, vector##_load, (const element *p, int32_t n), load##_##type(S2S_FIRST, p))              \
    S2S_STRIP_FUNCTION(vector, vector##_load_strided, (const element *p, int32_t step, int32_t n),                     \
                       load##_gather_s32##places##_##type(S2S_FIRST, p, svindex_s32(0, step)))                         \
    S2S_STRIP_FUNCTION(vector, vector##_splat, (element x, int32_t n), svdup_n_##type(x))                              \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store_strided(element *p, int32_t step, vector a, int32_t n)                       \
    {                                                                                                                  \
        store##_scatter_s32##places##_##type(S2S_FIRST, p, svindex_s32(0, step), a);                                   \
    }                                                                                                                  \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store(element *p, vector a, int32_t n)                                             \
    {                                                                                                                  \
        store##_##type(S2S_FIRST, p, a);                                                                               \
    }

S2S_STRIP_MEMORY(s2s_i8xn, int8_t, s32, svld1sb, svst1b, offset)
S2S_STRIP_MEMORY(s2s_i16xn, int16_t, s32, svld1sh, svst1h, index)
S2S_STRIP_MEMORY(s2s_i32xn, int32_t, s32, svld1, svst1, index)
S2S_STRIP_MEMORY(s2s_f32xn, float, f32, svld1, svst1, index)

S2S_STRIP_FUNCTION(s2s_i16xn, s2s_i16xn_of_i8, (s2s_i8xn a, int32_t n), a)
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i8, (s2s_i8xn a, int32_t n), a)
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i16, (s2s_i16xn a, int32_t n), a)
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_of_i32, (s2s_i32xn a, int32_t n), svcvt_f32_s32_x(S2S_ALL, a))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_of_i32, (s2s_i32xn a, int32_t n), svextb_s32_x(S2S_ALL, a))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_saturated, (s2s_i32xn a, int32_t n),
                   svmin_n_s32_x(S2S_ALL, svmax_n_s32_x(S2S_ALL, a, -128), 127))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_quantize, (s2s_f32xn x, int32_t zero_point, int32_t n),
                   s2s_i8xn_saturated(
                       svqadd_n_s32(svcvt_s32_f32_x(S2S_ALL, svrintn_f32_x(S2S_ALL, x)), zero_point), n))

#define S2S_STRIP_BINARY(vector, name, instruction)                                                                    \
    S2S_STRIP_FUNCTION(vector, vector##_##name, (vector a, vector b, int32_t n), instruction(S2S_ALL, a, b))

S2S_STRIP_BINARY(s2s_i16xn, add, svadd_s32_x)
S2S_STRIP_BINARY(s2s_i16xn, sub, svsub_s32_x)
S2S_STRIP_BINARY(s2s_i32xn, add, svadd_s32_x)
S2S_STRIP_BINARY(s2s_i32xn, sub, svsub_s32_x)
S2S_STRIP_BINARY(s2s_i32xn, mul, svmul_s32_x)
S2S_STRIP_BINARY(s2s_i32xn, min, svmin_s32_x)
S2S_STRIP_BINARY(s2s_i32xn, max, svmax_s32_x)
S2S_STRIP_BINARY(s2s_f32xn, add, svadd_f32_x)
S2S_STRIP_BINARY(s2s_f32xn, sub, svsub_f32_x)
S2S_STRIP_BINARY(s2s_f32xn, mul, svmul_f32_x)
S2S_STRIP_BINARY(s2s_f32xn, div, svdiv_f32_x)
S2S_STRIP_BINARY(s2s_f32xn, min, svmin_f32_x)
S2S_STRIP_BINARY(s2s_f32xn, max, svmax_f32_x)

S2S_STRIP_FUNCTION(s2s_maskxn, s2s_i32xn_greater, (s2s_i32xn a, s2s_i32xn b, int32_t n), svcmpgt_s32(S2S_ALL, a, b))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_select, (s2s_maskxn mask, s2s_i32xn a, s2s_i32xn b, int32_t n),
                   svsel_s32(mask, a, b))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_div, (s2s_i32xn a, int32_t divisor, int32_t n),
                   svdiv_n_s32_x(S2S_ALL, a, divisor))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_shift_right, (s2s_i32xn a, int32_t count, int32_t n),
                   svasr_n_s32_x(S2S_ALL, a, (uint32_t)count))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_products, (s2s_i32xn a, s2s_i16xn b, s2s_i16xn c, int32_t n),
                   svmla_s32_x(S2S_ALL, a, b, c))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_multiples, (s2s_i32xn a, int32_t x, s2s_i16xn c, int32_t n),
                   svmla_n_s32_x(S2S_ALL, a, c, x))
S2S_STRIP_FUNCTION(s2s_i8x4xn, s2s_i8x4xn_load, (const int8_t *p, int32_t n), svld1_s8(svwhilelt_b8_s32(0, 4 * n), p))
S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_add_dots(s2s_i32xn a, s2s_i8x4 x, s2s_i8x4xn w, int32_t n)
{
    int32_t bytes;

    memcpy(&bytes, &x, sizeof bytes);
    (void)n;
    return svdot_s32(a, svreinterpret_s8_s32(svdup_n_s32(bytes)), w);
}

S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_products, (s2s_f32xn a, s2s_f32xn b, s2s_f32xn c, int32_t n),
                   svmla_f32_x(S2S_ALL, a, b, c))
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_multiples, (s2s_f32xn a, float x, s2s_f32xn c, int32_t n),
                   svmla_n_f32_x(S2S_ALL, a, c, x))

/* x * multiplier / 2^31, halves up; SQRDMULH saturates for INT32_MIN times INT32_MIN only, which no multiplier is. */
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_high, (s2s_i32xn x, s2s_i32xn multiplier, int32_t n),
                   svqrdmulh_s32(x, multiplier))

/* Halves go up; one less in a negative number, which is not INT32_MIN, takes them away from zero. */
S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_double(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n)
{
    const svuint32_t left = svreinterpret_u32_s32(svmax_n_s32_x(S2S_ALL, shift, 0));
    const s2s_i32xn high = svqrdmulh_s32(svlsl_s32_x(S2S_ALL, x, left), multiplier);
    const s2s_i32xn less = svasr_n_s32_x(S2S_ALL, svand_s32_x(S2S_ALL, high, shift), 31);

    (void)n;
    return svrshl_s32_x(S2S_ALL, svqadd_s32(high, less), svmin_n_s32_x(S2S_ALL, shift, 0));
}

S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_upward,
                   (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset, int32_t n),
                   svadd_n_s32_x(S2S_ALL, svrshl_s32_x(S2S_ALL, svqrdmulh_s32(x, multiplier), shift), offset))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_negative,
                   (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset, int32_t n),
                   svadd_n_s32_x(S2S_ALL,
                                 svrshl_s32_x(S2S_ALL, svsra_n_s32(svqrdmulh_s32(x, multiplier), x, 31), shift),
                                 offset))

/* Products and counts of even lanes, then of odd ones, and the low halves in their order. */
S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_single(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n)
{
    const s2s_i32xn count = svsub_n_s32_x(S2S_ALL, shift, 31);
    const svint64_t even = svrshl_s64_x(svptrue_b64(), svmullb_s64(x, multiplier), svmovlb_s64(count));
    const svint64_t odd = svrshl_s64_x(svptrue_b64(), svmullt_s64(x, multiplier), svmovlt_s64(count));

    (void)n;
    return svtrn1_s32(svreinterpret_s32_s64(even), svreinterpret_s32_s64(odd));
}

#undef S2S_STRIP_BINARY
#undef S2S_STRIP_MEMORY
#undef S2S_STRIP_FUNCTION
#undef S2S_FIRST
#undef S2S_ALL

#endif
