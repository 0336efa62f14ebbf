/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_fixed_dft.h: discrete Fourier transforms of real numbers in fixed point, with the results of KissFFT.
 *
 *   s2s_fixed_dft_T(y, x, roots, turns, rows, size)
 *   s2s_fixed_idft_T(y, x, roots, turns, rows, size)
 *
 * The first takes `rows` rows of `size` real numbers to size / 2 + 1 complex ones, divided by `size`; the second takes
 * these back, divided by `size` as well. Complex numbers are pairs of a real and an imaginary part. T is i16 or i32, with
 * 15 or 31 fractional bits. size is even, at least 4, and has no prime factors but 2, 3 and 5. For h = size / 2, roots
 * holds exp(-2 pi i k / h) for k < h and turns exp(-pi i ((k + 1) / h + 1 / 2)) for k < h / 2; for the inverse, the
 * conjugates of both. The arrays do not overlap. */
#ifndef S2S_FIXED_DFT_H
#define S2S_FIXED_DFT_H

#include "s2s_config.h"

#include <stdint.h>

/* The most factors of a number of 32 bits of which only one is 2. */
#define S2S_FIXED_DFT_STEPS 20

/* How a transform is made of steps: the radix of each, and the distance of the numbers that come together in it. */
typedef struct {
    int32_t count;
    int32_t radix[S2S_FIXED_DFT_STEPS];
    int32_t stride[S2S_FIXED_DFT_STEPS];
    int32_t digit[S2S_FIXED_DFT_STEPS];
} s2s_fixed_dft_steps;

/* Fours, at most one two, then threes and fives. */
S2S_INLINE void s2s_fixed_dft_plan(s2s_fixed_dft_steps *steps, int32_t size)
{
    int32_t factor = 4;
    int32_t rest = size;
    int32_t stride = 1;

    steps->count = 0;
    while (rest > 1) {
        while (rest % factor != 0) {
            factor = factor == 4 ? 2 : (factor == 2 ? 3 : 5);
        }
        steps->radix[steps->count] = factor;
        steps->stride[steps->count] = stride;
        steps->digit[steps->count] = 0;
        ++steps->count;
        stride *= factor;
        rest /= factor;
    }
}

/* The number of the row that goes to the place after that of number `from`: its digits to the radices count up from the
 * last one. */
S2S_INLINE int32_t s2s_fixed_dft_next(s2s_fixed_dft_steps *steps, int32_t from)
{
    for (int32_t s = steps->count - 1; s >= 0; --s) {
        from += steps->stride[s];
        if (++steps->digit[s] < steps->radix[s]) {
            break;
        }
        from -= steps->stride[s] * steps->radix[s];
        steps->digit[s] = 0;
    }
    return from;
}

#define S2S_FIXED(name) s2s_##name##_i16
#define S2S_FIXED_ELEMENT int16_t
#define S2S_FIXED_WIDE int32_t
#define S2S_FIXED_UNSIGNED uint32_t
#define S2S_FIXED_BITS 15
#include "s2s_fixed_dft_rows.h"

#define S2S_FIXED(name) s2s_##name##_i32
#define S2S_FIXED_ELEMENT int32_t
#define S2S_FIXED_WIDE int64_t
#define S2S_FIXED_UNSIGNED uint64_t
#define S2S_FIXED_BITS 31
#include "s2s_fixed_dft_rows.h"

#endif
