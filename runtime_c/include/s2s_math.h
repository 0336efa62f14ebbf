/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_math.h: scalar arithmetic that generated kernels need and C99 does not define, or not for every value.
 *
 * Floating point: s2s_f32_... for float and s2s_f64_... for double; s2s_f32_to_i8(a) and so on cast to integers.
 * Integers: s2s_i8_... to s2s_i64_... and s2s_u8_... to s2s_u64_... are the same functions for each type:
 *
 *   _add _sub _mul (a, b), _neg _abs _sign (a)   modulo 2^bits, also where C leaves overflow undefined
 *   _min _max (a, b)
 *   _div(a, b)      towards zero; 0 if b is 0
 *   _rem(a, b)      remainder with the sign of a, as C's %; 0 if b is 0
 *   _mod(a, b)      remainder with the sign of b, as Python's %; 0 if b is 0
 *   _pow(a, b)      modulo 2^bits; for b < 0 the true power towards zero, and 0 if a is 0
 *   _shift_left _shift_right (a, count)          0 if count is negative or at least the number of bits, except that a
 *                   negative value shifted right by so much is -1: right shifts copy the sign
 *
 * s2s_bool_at(values, i) is an element of an array. All functions are pure. */
#ifndef S2S_MATH_H
#define S2S_MATH_H

#include "s2s_bits.h"
#include "s2s_config.h"
#include "s2s_scalar.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The functions for one integer type are those of s2s_integer.h, which wants S2S_INT_NAME (i8, ...), S2S_INT (the
 * type), S2S_WORD (an unsigned type at least as wide, in which products neither promote nor overflow), S2S_INT_BITS,
 * S2S_INT_SIGNED (1 or 0), S2S_INT_MIN, S2S_INT_MAX, and as double S2S_INT_LOWEST (the same as S2S_INT_MIN) and
 * S2S_INT_ABOVE (the first number above S2S_INT_MAX). */
#define S2S_INT_SIGNED 1

#define S2S_INT_NAME i8
#define S2S_INT int8_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 8
#define S2S_INT_MIN (-INT8_MAX - 1)
#define S2S_INT_MAX INT8_MAX
#define S2S_INT_LOWEST (-128.0)
#define S2S_INT_ABOVE 128.0
#include "s2s_integer.h"

#define S2S_INT_NAME i16
#define S2S_INT int16_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 16
#define S2S_INT_MIN (-INT16_MAX - 1)
#define S2S_INT_MAX INT16_MAX
#define S2S_INT_LOWEST (-32768.0)
#define S2S_INT_ABOVE 32768.0
#include "s2s_integer.h"

#define S2S_INT_NAME i64
#define S2S_INT int64_t
#define S2S_WORD uint64_t
#define S2S_INT_BITS 64
#define S2S_INT_MIN (-INT64_MAX - 1)
#define S2S_INT_MAX INT64_MAX
#define S2S_INT_LOWEST (-9223372036854775808.0)
#define S2S_INT_ABOVE 9223372036854775808.0
#include "s2s_integer.h"

#undef S2S_INT_SIGNED
#define S2S_INT_SIGNED 0

#define S2S_INT_NAME u8
#define S2S_INT uint8_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 8u
#define S2S_INT_MIN 0u
#define S2S_INT_MAX UINT8_MAX
#define S2S_INT_LOWEST 0.0
#define S2S_INT_ABOVE 256.0
#include "s2s_integer.h"

#define S2S_INT_NAME u16
#define S2S_INT uint16_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 16u
#define S2S_INT_MIN 0u
#define S2S_INT_MAX UINT16_MAX
#define S2S_INT_LOWEST 0.0
#define S2S_INT_ABOVE 65536.0
#include "s2s_integer.h"

#define S2S_INT_NAME u32
#define S2S_INT uint32_t
#define S2S_WORD uint32_t
#define S2S_INT_BITS 32u
#define S2S_INT_MIN 0u
#define S2S_INT_MAX 4294967295u
#define S2S_INT_LOWEST 0.0
#define S2S_INT_ABOVE 4294967296.0
#include "s2s_integer.h"

#define S2S_INT_NAME u64
#define S2S_INT uint64_t
#define S2S_WORD uint64_t
#define S2S_INT_BITS 64u
#define S2S_INT_MIN 0u
#define S2S_INT_MAX 18446744073709551615u
#define S2S_INT_LOWEST 0.0
#define S2S_INT_ABOVE 18446744073709551616.0
#include "s2s_integer.h"

#undef S2S_INT_SIGNED
#endif
