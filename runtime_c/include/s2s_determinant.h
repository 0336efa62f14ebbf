/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_determinant.h: determinants of square matrices.
 *
 *   s2s_determinant_T(y, scratch, x, count, size)
 *
 * x holds `count` matrices of size * size numbers, row by row; y takes a number for each. T is f32 or f64. The arrays do
 * not overlap; scratch holds size * size numbers. Gaussian elimination, whose pivot is the largest number of a column (of
 * equal ones the first); a column without any but 0 makes the determinant 0, and NaN makes it NaN. */
#ifndef S2S_DETERMINANT_H
#define S2S_DETERMINANT_H

#include "s2s_config.h"

#include <math.h>
#include <stdint.h>

#define S2S_DETERMINANT(name) s2s_##name##_f32
#define S2S_DETERMINANT_ELEMENT float
#define S2S_DETERMINANT_ABS fabsf
#include "s2s_determinant_rows.h"

#define S2S_DETERMINANT(name) s2s_##name##_f64
#define S2S_DETERMINANT_ELEMENT double
#define S2S_DETERMINANT_ABS fabs
#include "s2s_determinant_rows.h"

#endif
