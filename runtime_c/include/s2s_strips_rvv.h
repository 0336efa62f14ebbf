/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_strips_rvv.h: the functions of s2s_strips.h for RISC-V V 1.0; include that. Vectors of four registers of 32 bits a
 * lane leave room for the sums of four points, and a lane of each type has the same number of lanes. */
#ifndef S2S_STRIPS_RVV_H
#define S2S_STRIPS_RVV_H

#include <riscv_vector.h>
#include <stddef.h>

typedef vint8m1_t s2s_i8xn;
typedef vbool8_t s2s_maskxn;
typedef vint8m1x4_t s2s_i8x4xn;
typedef vint16m2_t s2s_i16xn;
typedef vint32m4_t s2s_i32xn;
typedef vfloat32m4_t s2s_f32xn;

S2S_ALWAYS_INLINE int32_t s2s_strip(int32_t left)
{
    return (int32_t)__riscv_vsetvl_e32m4((size_t)left);
}

/* A function of n lanes that is one expression. */
#define S2S_STRIP_FUNCTION(result, name, parameters, expression)                                                       \
    S2S_ALWAYS_INLINE result name parameters                                                                           \
    {                                                                                                                  \
        const size_t vl = (size_t)n;                                                                                   \
                                                                                                                       \
        return (expression);                                                                                           \
    }

/* letter is i or f, bits those of an element, group the registers of a vector, set the instruction that fills one. */
#define S2S_STRIP_MEMORY(vector, element, letter, bits, group, set)                                                    \
    S2S_STRIP_FUNCTION(vector, vector##_load, (const element *p, int32_t n),                                           \
                       __riscv_vle##bits##_v_##letter##bits##group(p, vl))                                             \
    S2S_STRIP_FUNCTION(vector, vector##_load_strided, (const element *p, int32_t step, int32_t n),                     \
                       __riscv_vlse##bits##_v_##letter##bits##group(p, (ptrdiff_t)step * (ptrdiff_t)sizeof *p, vl))    \
    S2S_STRIP_FUNCTION(vector, vector##_splat, (element x, int32_t n), set##_##letter##bits##group(x, vl))             \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store_strided(element *p, int32_t step, vector a, int32_t n)                       \
    {                                                                                                                  \
        __riscv_vsse##bits##_v_##letter##bits##group(p, (ptrdiff_t)step * (ptrdiff_t)sizeof *p, a, (size_t)n);         \
    }                                                                                                                  \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store(element *p, vector a, int32_t n)                                             \
    {                                                                                                                  \
        __riscv_vse##bits##_v_##letter##bits##group(p, a, (size_t)n);                                                  \
    }

S2S_STRIP_MEMORY(s2s_i8xn, int8_t, i, 8, m1, __riscv_vmv_v_x)
S2S_STRIP_MEMORY(s2s_i16xn, int16_t, i, 16, m2, __riscv_vmv_v_x)
S2S_STRIP_MEMORY(s2s_i32xn, int32_t, i, 32, m4, __riscv_vmv_v_x)
S2S_STRIP_MEMORY(s2s_f32xn, float, f, 32, m4, __riscv_vfmv_v_f)

S2S_STRIP_FUNCTION(s2s_i16xn, s2s_i16xn_of_i8, (s2s_i8xn a, int32_t n), __riscv_vsext_vf2_i16m2(a, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i8, (s2s_i8xn a, int32_t n), __riscv_vsext_vf4_i32m4(a, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i16, (s2s_i16xn a, int32_t n), __riscv_vsext_vf2_i32m4(a, vl))
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_of_i32, (s2s_i32xn a, int32_t n), __riscv_vfcvt_f_x_v_f32m4(a, vl))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_of_i32, (s2s_i32xn a, int32_t n),
                   __riscv_vncvt_x_x_w_i8m1(__riscv_vncvt_x_x_w_i16m2(a, vl), vl))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_saturated, (s2s_i32xn a, int32_t n),
                   __riscv_vnclip_wx_i8m1(__riscv_vnclip_wx_i16m2(a, 0, __RISCV_VXRM_RDN, vl), 0, __RISCV_VXRM_RDN, vl))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_quantize, (s2s_f32xn x, int32_t zero_point, int32_t n),
                   s2s_i8xn_saturated(
                       __riscv_vsadd_vx_i32m4(__riscv_vfcvt_x_f_v_i32m4_rm(x, __RISCV_FRM_RNE, vl), zero_point, vl), n))

#define S2S_STRIP_BINARY(vector, name, instruction)                                                                    \
    S2S_STRIP_FUNCTION(vector, vector##_##name, (vector a, vector b, int32_t n), instruction(a, b, vl))

S2S_STRIP_BINARY(s2s_i16xn, add, __riscv_vadd_vv_i16m2)
S2S_STRIP_BINARY(s2s_i16xn, sub, __riscv_vsub_vv_i16m2)
S2S_STRIP_BINARY(s2s_i32xn, add, __riscv_vadd_vv_i32m4)
S2S_STRIP_BINARY(s2s_i32xn, sub, __riscv_vsub_vv_i32m4)
S2S_STRIP_BINARY(s2s_i32xn, mul, __riscv_vmul_vv_i32m4)
S2S_STRIP_BINARY(s2s_i32xn, min, __riscv_vmin_vv_i32m4)
S2S_STRIP_BINARY(s2s_i32xn, max, __riscv_vmax_vv_i32m4)
S2S_STRIP_BINARY(s2s_f32xn, add, __riscv_vfadd_vv_f32m4)
S2S_STRIP_BINARY(s2s_f32xn, sub, __riscv_vfsub_vv_f32m4)
S2S_STRIP_BINARY(s2s_f32xn, mul, __riscv_vfmul_vv_f32m4)
S2S_STRIP_BINARY(s2s_f32xn, div, __riscv_vfdiv_vv_f32m4)

/* NaN where a or b is: the instructions give the other operand. a + b is NaN where one of them is. */
#define S2S_STRIP_EXTREME(name, instruction)                                                                           \
    S2S_ALWAYS_INLINE s2s_f32xn s2s_f32xn_##name(s2s_f32xn a, s2s_f32xn b, int32_t n)                                  \
    {                                                                                                                  \
        const size_t vl = (size_t)n;                                                                                   \
        const s2s_f32xn made = instruction(a, b, vl);                                                                  \
        const s2s_f32xn without_b = __riscv_vmerge_vvm_f32m4(b, made, __riscv_vmfeq_vv_f32m4_b8(b, b, vl), vl);        \
                                                                                                                       \
        return __riscv_vmerge_vvm_f32m4(a, without_b, __riscv_vmfeq_vv_f32m4_b8(a, a, vl), vl);                        \
    }

S2S_STRIP_EXTREME(min, __riscv_vfmin_vv_f32m4)
S2S_STRIP_EXTREME(max, __riscv_vfmax_vv_f32m4)

S2S_STRIP_FUNCTION(s2s_maskxn, s2s_i32xn_greater, (s2s_i32xn a, s2s_i32xn b, int32_t n),
                   __riscv_vmsgt_vv_i32m4_b8(a, b, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_select, (s2s_maskxn mask, s2s_i32xn a, s2s_i32xn b, int32_t n),
                   __riscv_vmerge_vvm_i32m4(b, a, mask, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_div, (s2s_i32xn a, int32_t divisor, int32_t n),
                   __riscv_vdiv_vx_i32m4(a, divisor, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_shift_right, (s2s_i32xn a, int32_t count, int32_t n),
                   __riscv_vsra_vx_i32m4(a, (size_t)count, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_products, (s2s_i32xn a, s2s_i16xn b, s2s_i16xn c, int32_t n),
                   __riscv_vwmacc_vv_i32m4(a, b, c, vl))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_multiples, (s2s_i32xn a, int32_t x, s2s_i16xn c, int32_t n),
                   __riscv_vwmacc_vx_i32m4(a, (int16_t)x, c, vl))
S2S_STRIP_FUNCTION(s2s_i8x4xn, s2s_i8x4xn_load, (const int8_t *p, int32_t n), __riscv_vlseg4e8_v_i8m1x4(p, vl))
S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_add_dots(s2s_i32xn a, s2s_i8x4 x, s2s_i8x4xn w, int32_t n)
{
    const s2s_i32xn low = s2s_i32xn_add_multiples(
        s2s_i32xn_add_multiples(a, x.lane[0], s2s_i16xn_of_i8(__riscv_vget_v_i8m1x4_i8m1(w, 0), n), n), x.lane[1],
        s2s_i16xn_of_i8(__riscv_vget_v_i8m1x4_i8m1(w, 1), n), n);

    return s2s_i32xn_add_multiples(
        s2s_i32xn_add_multiples(low, x.lane[2], s2s_i16xn_of_i8(__riscv_vget_v_i8m1x4_i8m1(w, 2), n), n), x.lane[3],
        s2s_i16xn_of_i8(__riscv_vget_v_i8m1x4_i8m1(w, 3), n), n);
}

S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_products, (s2s_f32xn a, s2s_f32xn b, s2s_f32xn c, int32_t n),
                   __riscv_vfmacc_vv_f32m4(a, b, c, vl))
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_multiples, (s2s_f32xn a, float x, s2s_f32xn c, int32_t n),
                   __riscv_vfmacc_vf_f32m4(a, x, c, vl))

/* x * multiplier / 2^31, halves up; VSMUL saturates for INT32_MIN times INT32_MIN only, which no multiplier is. */
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_high, (s2s_i32xn x, s2s_i32xn multiplier, int32_t n),
                   __riscv_vsmul_vv_i32m4(x, multiplier, __RISCV_VXRM_RNU, vl))

/* The absolute values of the shifts to the right, and 0 for those to the left. */
S2S_STRIP_FUNCTION(vuint32m4_t, s2s_strip_right_shifts, (s2s_i8xn shift, int32_t n),
                   __riscv_vreinterpret_v_i32m4_u32m4(
                       __riscv_vmax_vx_i32m4(__riscv_vneg_v_i32m4(s2s_i32xn_of_i8(shift, n), vl), 0, vl)))

/* Halves go up; one less in a negative number, which is not INT32_MIN, takes them away from zero. */
S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_double(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n)
{
    const size_t vl = (size_t)n;
    const s2s_i32xn wide = s2s_i32xn_of_i8(shift, n);
    const vuint32m4_t left = __riscv_vreinterpret_v_i32m4_u32m4(__riscv_vmax_vx_i32m4(wide, 0, vl));
    const s2s_i32xn high = s2s_i32xn_rescale_high(__riscv_vsll_vv_i32m4(x, left, vl), multiplier, n);
    const s2s_i32xn less = __riscv_vsra_vx_i32m4(__riscv_vand_vv_i32m4(high, wide, vl), 31, vl);

    return __riscv_vssra_vv_i32m4(__riscv_vsadd_vv_i32m4(high, less, vl), s2s_strip_right_shifts(shift, n),
                                  __RISCV_VXRM_RNU, vl);
}

S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_upward(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset,
                                                     int32_t n)
{
    const size_t vl = (size_t)n;
    const s2s_i32xn high = s2s_i32xn_rescale_high(x, multiplier, n);

    return __riscv_vadd_vx_i32m4(
        __riscv_vssra_vv_i32m4(high, s2s_strip_right_shifts(shift, n), __RISCV_VXRM_RNU, vl), offset, vl);
}

S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_negative(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset,
                                                       int32_t n)
{
    const size_t vl = (size_t)n;
    const s2s_i32xn less = __riscv_vadd_vv_i32m4(s2s_i32xn_rescale_high(x, multiplier, n),
                                                 __riscv_vsra_vx_i32m4(x, 31, vl), vl);

    return __riscv_vadd_vx_i32m4(
        __riscv_vssra_vv_i32m4(less, s2s_strip_right_shifts(shift, n), __RISCV_VXRM_RNU, vl), offset, vl);
}

S2S_ALWAYS_INLINE s2s_i32xn s2s_i32xn_rescale_single(s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n)
{
    const size_t vl = (size_t)n;
    const s2s_i32xn right = __riscv_vrsub_vx_i32m4(s2s_i32xn_of_i8(shift, n), 31, vl);
    const vuint64m8_t count = __riscv_vzext_vf2_u64m8(__riscv_vreinterpret_v_i32m4_u32m4(right), vl);
    const vint64m8_t product = __riscv_vwmul_vv_i64m8(x, multiplier, vl);

    return __riscv_vncvt_x_x_w_i32m4(__riscv_vssra_vv_i64m8(product, count, __RISCV_VXRM_RNU, vl), vl);
}

#undef S2S_STRIP_EXTREME
#undef S2S_STRIP_BINARY
#undef S2S_STRIP_MEMORY
#undef S2S_STRIP_FUNCTION

#endif
