/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_row_order.h: the rows of a matrix in lexicographic order.
 *
 *   s2s_row_order_T(places, scratch, x, rows, size)
 *
 * x holds `rows` rows of `size` elements; places takes the positions of the rows in ascending order: that of the first
 * elements in which two rows differ. T is f32, f64, i32, i64 or u64. Equal rows stay in the order of their positions.
 * NaN counts as larger than every number, and 0.0 and -0.0 are equal. The arrays do not overlap; scratch holds `rows`
 * numbers. Rows are merged, log2(rows) times, so that few of them are compared. */
#ifndef S2S_ROW_ORDER_H
#define S2S_ROW_ORDER_H

#include "s2s_select.h"

#define S2S_ORDER(name) s2s_##name##_f32
#define S2S_ORDER_ELEMENT float
#define S2S_ORDER_KEY uint32_t
#include "s2s_row_order_rows.h"

#define S2S_ORDER(name) s2s_##name##_f64
#define S2S_ORDER_ELEMENT double
#define S2S_ORDER_KEY uint64_t
#include "s2s_row_order_rows.h"

#define S2S_ORDER(name) s2s_##name##_i32
#define S2S_ORDER_ELEMENT int32_t
#define S2S_ORDER_KEY uint32_t
#include "s2s_row_order_rows.h"

#define S2S_ORDER(name) s2s_##name##_i64
#define S2S_ORDER_ELEMENT int64_t
#define S2S_ORDER_KEY uint64_t
#include "s2s_row_order_rows.h"

#define S2S_ORDER(name) s2s_##name##_u64
#define S2S_ORDER_ELEMENT uint64_t
#define S2S_ORDER_KEY uint64_t
#include "s2s_row_order_rows.h"

#endif
