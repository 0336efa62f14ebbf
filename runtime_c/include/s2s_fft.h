/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_fft.h: discrete Fourier transforms of rows, by the mixed-radix algorithm of Stockham.
 *
 *   s2s_fft_T(y, scratch, x, roots, rows, size, parts, bins, inverse, lanes)
 *
 * x holds `rows` rows of `size` numbers, real ones if parts is 1, complex ones if it is 2. y takes the first `bins`
 * complex numbers of the transform of each row, bins <= size; complex numbers are pairs of a real and an imaginary part.
 * roots holds exp(-2 pi i k / size) for k = 0 to size - 1. inverse is 1 for the inverse transform, which is not divided
 * by size, else 0. T is f32 or f64. The arrays do not overlap.
 *
 * `lanes` rows are transformed side by side; scratch holds S2S_FFT_SCRATCH(size, lanes) elements. The number of steps of
 * a row is in proportion to its size times the sum of the prime factors of the size. */
#ifndef S2S_FFT_H
#define S2S_FFT_H

#include "s2s_config.h"

#include <stdint.h>

#define S2S_FFT_SCRATCH(size, lanes) (4 * (size) * (lanes))

#define S2S_FFT(name) s2s_##name##_f32
#define S2S_FFT_ELEMENT float
#include "s2s_fft_rows.h"

#define S2S_FFT(name) s2s_##name##_f64
#define S2S_FFT_ELEMENT double
#include "s2s_fft_rows.h"

#endif
