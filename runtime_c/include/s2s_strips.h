/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_strips.h: vectors whose length is known at run time only.
 *
 * A loop takes as many elements at a time as vectors hold, and fewer in its last turn:
 *
 *   for (int32_t i = 0, n; i < count; i += n) {
 *       n = s2s_strip(count - i);
 *       s2s_i32xn_store(&y[i], s2s_i32xn_add(s2s_i32xn_load(&a[i], n), s2s_i32xn_load(&b[i], n), n), n);
 *   }
 *
 * RISC-V V 1.0 and SVE2 have instructions for each function; any other C99 compiler, or -DS2S_STRIPS_PORTABLE, gets
 * loops with the same names and, for integers, the same results. Every function works on the first n lanes. s2s_T for i8, i16, i32, f32:
 *
 *   s2s_strip(left)                    the lanes of the next turn, of left elements; the same for all types
 *   s2s_Txn_load(p, n), s2s_Txn_store(p, a, n)
 *                                      n neighbours at p
 *   s2s_Txn_load_strided(p, step, n), s2s_Txn_store_strided(p, step, a, n)
 *                                      n elements at p, step elements apart
 *   s2s_Txn_splat(x, n)                x in each lane
 *   s2s_i16xn_of_i8(a, n), s2s_i32xn_of_i8(a, n), s2s_i32xn_of_i16(a, n)
 *                                      the same numbers, wider
 *   s2s_f32xn_of_i32(a, n)             the same numbers, rounded to floats
 *   s2s_i8xn_of_i32(a, n), s2s_i8xn_saturated(a, n)
 *                                      the low byte of each lane; each lane limited to -128 ... 127
 *   s2s_i8xn_quantize(x, zero_point, n)
 *                                      s2s_f32_quantize_i8 of s2s_round.h lane by lane; x is no NaN
 *   s2s_Txn_add, _sub, _mul, _min, _max (a, b, n)
 *                                      lane by lane; modulo 2^bits, i16 has _add and _sub only; f32 has _div, too
 *   s2s_i32xn_greater(a, b, n), s2s_i32xn_select(mask, a, b, n)
 *                                      whether a > b, as a mask s2s_maskxn; a where the mask is set, else b
 *   s2s_i32xn_div(a, divisor, n)       each lane / a number from 1 on, towards zero
 *   s2s_i32xn_shift_right(a, count, n) each lane / 2^count towards minus infinity, count from 0 to 31
 *   s2s_i32xn_add_products(a, b, c, n), s2s_i32xn_add_multiples(a, x, c, n)
 *                                      a + b * c for b and c of 16 bits; a + x * c for a number x from -32768 to 32767
 *   s2s_i8x4xn_load(p, n), s2s_i32xn_add_dots(a, x, w, n)
 *                                      four bytes for each lane; a + s2s_i8x4_dot(0, x, w) lane by lane
 *   s2s_f32xn_add_products(a, b, c, n), s2s_f32xn_add_multiples(a, x, c, n)
 *                                      the same of floats, rounded once where the target has that, else twice
 *   s2s_i8x4_dot(acc, x, w)             acc + x0 * w0 + x1 * w1 + x2 * w2 + x3 * w3 of numbers
 *   s2s_i32xn_rescale_double, _single, _high, _negative, _upward
 *                                      the functions of s2s_quantize.h, lane by lane; shifts are i8 */
#ifndef S2S_STRIPS_H
#define S2S_STRIPS_H

#include "s2s_config.h"
#include "s2s_dsp.h"

#include "s2s_math.h"

#include <stdint.h>

S2S_INLINE int32_t s2s_i8x4_dot(int32_t acc, s2s_i8x4 x, s2s_i8x4 w)
{
    const int32_t pair = (x.lane[0] * w.lane[0]) + (x.lane[1] * w.lane[1]);

    return s2s_i32_add(acc, pair + (x.lane[2] * w.lane[2]) + (x.lane[3] * w.lane[3]));
}

#if defined(__riscv_vector) && defined(__clang__) && !defined(S2S_STRIPS_PORTABLE)
#include "s2s_strips_rvv.h"
#elif defined(__ARM_FEATURE_SVE2) && !defined(S2S_STRIPS_PORTABLE)
#include "s2s_strips_sve.h"
#else
#include "s2s_quantize.h"
#include "s2s_round.h"

/* Lanes of a vector; any number is right. */
#ifndef S2S_STRIP
#define S2S_STRIP 16
#endif

typedef struct {
    int8_t lane[S2S_STRIP];
} s2s_i8xn;
typedef struct {
    uint8_t lane[S2S_STRIP];
} s2s_maskxn;
typedef struct {
    s2s_i8x4 lane[S2S_STRIP];
} s2s_i8x4xn;
typedef struct {
    int16_t lane[S2S_STRIP];
} s2s_i16xn;
typedef struct {
    int32_t lane[S2S_STRIP];
} s2s_i32xn;
typedef struct {
    float lane[S2S_STRIP];
} s2s_f32xn;

S2S_ALWAYS_INLINE int32_t s2s_strip(int32_t left)
{
    return s2s_i32_min(left, S2S_STRIP);
}

/* A function that gives `expression` in each of the first n lanes, and 0 behind them. */
#define S2S_STRIP_FUNCTION(result, name, parameters, expression)                                                       \
    S2S_ALWAYS_INLINE result name parameters                                                                           \
    {                                                                                                                  \
        result made;                                                                                                   \
                                                                                                                       \
        for (int32_t i = 0; i < S2S_STRIP; i++) {                                                                      \
            if (i < n) {                                                                                               \
                made.lane[i] = (expression);                                                                           \
            } else {                                                                                                   \
                made.lane[i] = 0;                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return made;                                                                                                   \
    }

S2S_ALWAYS_INLINE s2s_i8x4xn s2s_i8x4xn_load(const int8_t *p, int32_t n)
{
    s2s_i8x4xn made = {{{{0, 0, 0, 0}}}};

    for (int32_t i = 0; i < n; i++) {
        made.lane[i] = s2s_i8x4_load(&p[4 * i]);
    }
    return made;
}

#define S2S_STRIP_MEMORY(vector, element)                                                                              \
    S2S_STRIP_FUNCTION(vector, vector##_load, (const element *p, int32_t n), p[i])                                     \
    S2S_STRIP_FUNCTION(vector, vector##_load_strided, (const element *p, int32_t step, int32_t n), p[i * step])        \
    S2S_STRIP_FUNCTION(vector, vector##_splat, (element x, int32_t n), x)                                              \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store_strided(element *p, int32_t step, vector a, int32_t n)                       \
    {                                                                                                                  \
        for (int32_t i = 0; i < n; i++) {                                                                              \
            p[i * step] = a.lane[i];                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    S2S_ALWAYS_INLINE void vector##_store(element *p, vector a, int32_t n)                                             \
    {                                                                                                                  \
        vector##_store_strided(p, 1, a, n);                                                                            \
    }

S2S_STRIP_MEMORY(s2s_i8xn, int8_t)
S2S_STRIP_MEMORY(s2s_i16xn, int16_t)
S2S_STRIP_MEMORY(s2s_i32xn, int32_t)
S2S_STRIP_MEMORY(s2s_f32xn, float)

S2S_STRIP_FUNCTION(s2s_i16xn, s2s_i16xn_of_i8, (s2s_i8xn a, int32_t n), a.lane[i])
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i8, (s2s_i8xn a, int32_t n), a.lane[i])
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_of_i16, (s2s_i16xn a, int32_t n), a.lane[i])
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_of_i32, (s2s_i32xn a, int32_t n), (float)a.lane[i])
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_of_i32, (s2s_i32xn a, int32_t n), (int8_t)a.lane[i])
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_saturated, (s2s_i32xn a, int32_t n), s2s_saturate_i8(a.lane[i]))
S2S_STRIP_FUNCTION(s2s_i8xn, s2s_i8xn_quantize, (s2s_f32xn x, int32_t zero_point, int32_t n),
                   s2s_f32_quantize_i8(x.lane[i], zero_point))

#define S2S_STRIP_BINARY(vector, name, function)                                                                       \
    S2S_STRIP_FUNCTION(vector, vector##_##name, (vector a, vector b, int32_t n), function(a.lane[i], b.lane[i]))
#define S2S_STRIP_OPERATOR(vector, name, operator)                                                                     \
    S2S_STRIP_FUNCTION(vector, vector##_##name, (vector a, vector b, int32_t n), a.lane[i] operator b.lane[i])

S2S_STRIP_BINARY(s2s_i16xn, add, s2s_i16_add)
S2S_STRIP_BINARY(s2s_i16xn, sub, s2s_i16_sub)
S2S_STRIP_BINARY(s2s_i32xn, add, s2s_i32_add)
S2S_STRIP_BINARY(s2s_i32xn, sub, s2s_i32_sub)
S2S_STRIP_BINARY(s2s_i32xn, mul, s2s_i32_mul)
S2S_STRIP_BINARY(s2s_i32xn, min, s2s_i32_min)
S2S_STRIP_BINARY(s2s_i32xn, max, s2s_i32_max)
S2S_STRIP_BINARY(s2s_f32xn, min, s2s_f32_min)
S2S_STRIP_BINARY(s2s_f32xn, max, s2s_f32_max)
S2S_STRIP_OPERATOR(s2s_f32xn, add, +)
S2S_STRIP_OPERATOR(s2s_f32xn, sub, -)
S2S_STRIP_OPERATOR(s2s_f32xn, mul, *)
S2S_STRIP_OPERATOR(s2s_f32xn, div, /)

S2S_STRIP_FUNCTION(s2s_maskxn, s2s_i32xn_greater, (s2s_i32xn a, s2s_i32xn b, int32_t n),
                   (a.lane[i] > b.lane[i]) ? 1u : 0u)
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_select, (s2s_maskxn mask, s2s_i32xn a, s2s_i32xn b, int32_t n),
                   (mask.lane[i] != 0u) ? a.lane[i] : b.lane[i])
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_div, (s2s_i32xn a, int32_t divisor, int32_t n), a.lane[i] / divisor)
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_shift_right, (s2s_i32xn a, int32_t count, int32_t n),
                   s2s_floor_shift_i32(a.lane[i], (uint32_t)count))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_products, (s2s_i32xn a, s2s_i16xn b, s2s_i16xn c, int32_t n),
                   s2s_i32_add(a.lane[i], (int32_t)b.lane[i] * c.lane[i]))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_multiples, (s2s_i32xn a, int32_t x, s2s_i16xn c, int32_t n),
                   s2s_i32_add(a.lane[i], x * c.lane[i]))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_add_dots, (s2s_i32xn a, s2s_i8x4 x, s2s_i8x4xn w, int32_t n),
                   s2s_i8x4_dot(a.lane[i], x, w.lane[i]))
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_products, (s2s_f32xn a, s2s_f32xn b, s2s_f32xn c, int32_t n),
                   a.lane[i] + (b.lane[i] * c.lane[i]))
S2S_STRIP_FUNCTION(s2s_f32xn, s2s_f32xn_add_multiples, (s2s_f32xn a, float x, s2s_f32xn c, int32_t n),
                   a.lane[i] + (x * c.lane[i]))

S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_double, (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n),
                   s2s_rescale_double(x.lane[i], multiplier.lane[i], shift.lane[i]))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_single, (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t n),
                   s2s_rescale_single(x.lane[i], multiplier.lane[i], shift.lane[i]))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_high, (s2s_i32xn x, s2s_i32xn multiplier, int32_t n),
                   s2s_rescale_high(x.lane[i], multiplier.lane[i]))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_negative,
                   (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset, int32_t n),
                   s2s_rescale_negative(x.lane[i], multiplier.lane[i], shift.lane[i], offset))
S2S_STRIP_FUNCTION(s2s_i32xn, s2s_i32xn_rescale_upward,
                   (s2s_i32xn x, s2s_i32xn multiplier, s2s_i8xn shift, int32_t offset, int32_t n),
                   s2s_rescale_upward(x.lane[i], multiplier.lane[i], shift.lane[i], offset))

#undef S2S_STRIP_OPERATOR
#undef S2S_STRIP_BINARY
#undef S2S_STRIP_MEMORY
#undef S2S_STRIP_FUNCTION
#endif

#endif
