/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_select.h: the first elements of rows, in order.
 *
 *   s2s_largest_T(places, scratch, x, rows, size, count)     the `count` largest elements, the largest first
 *   s2s_smallest_T(places, scratch, x, rows, size, count)    the `count` smallest elements, the smallest first
 *
 * x holds `rows` rows of `size` elements; places takes the positions of `count` elements of each row. T is f32, f64,
 * i32, i64 or u64. 0 < count <= size. Among equal elements the one with the lower position comes first. NaN counts as larger than
 * every number. The arrays do not overlap. scratch holds S2S_SELECT_WORDS(size) numbers, uint32_t for f32 and i32, else
 * uint64_t.
 *
 * Where count is small, the maxima of parts of a row give a bound that leaves few elements. These are sorted, by
 * insertion or by their digits; a row takes a number of steps in proportion to its size, whatever it holds. */
#ifndef S2S_SELECT_H
#define S2S_SELECT_H

#include "s2s_bits.h"
#include "s2s_config.h"

#include <stdint.h>

#define S2S_SELECT_WORDS(size) (4 * (size) + 256)

#define S2S_SELECT_BLOCK 16
/* How many elements are compared at once. */
#define S2S_SELECT_FEW 48
/* So many elements are sorted by insertion. */

/* Keys, in whose order numbers stand: 0.0 and -0.0 have the same, NaN has the highest. */
S2S_INLINE uint32_t s2s_key_f32(float x)
{
    const uint32_t bits = s2s_f32_bits(x + 0.0f);
    const uint32_t key = bits ^ ((0u - (bits >> 31)) | 0x80000000u);

    return x != x ? UINT32_MAX : key;
}

S2S_INLINE uint64_t s2s_key_f64(double x)
{
    const uint64_t bits = s2s_f64_bits(x + 0.0);
    const uint64_t key = bits ^ (((uint64_t)0u - (bits >> 63)) | ((uint64_t)1u << 63));

    return x != x ? UINT64_MAX : key;
}

S2S_INLINE uint32_t s2s_key_i32(int32_t x)
{
    return (uint32_t)x ^ 0x80000000u;
}

S2S_INLINE uint64_t s2s_key_i64(int64_t x)
{
    return (uint64_t)x ^ ((uint64_t)1u << 63);
}

S2S_INLINE uint64_t s2s_key_u64(uint64_t x)
{
    return x;
}

#define S2S_ORDER(name) s2s_##name##_f32
#define S2S_ORDER_ELEMENT float
#define S2S_ORDER_KEY uint32_t
#include "s2s_select_rows.h"

#define S2S_ORDER(name) s2s_##name##_f64
#define S2S_ORDER_ELEMENT double
#define S2S_ORDER_KEY uint64_t
#include "s2s_select_rows.h"

#define S2S_ORDER(name) s2s_##name##_i32
#define S2S_ORDER_ELEMENT int32_t
#define S2S_ORDER_KEY uint32_t
#include "s2s_select_rows.h"

#define S2S_ORDER(name) s2s_##name##_i64
#define S2S_ORDER_ELEMENT int64_t
#define S2S_ORDER_KEY uint64_t
#include "s2s_select_rows.h"

#define S2S_ORDER(name) s2s_##name##_u64
#define S2S_ORDER_ELEMENT uint64_t
#define S2S_ORDER_KEY uint64_t
#include "s2s_select_rows.h"

#endif
