/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_regions.h: regions of images, each pooled to `rows` x `columns` bins.
 *
 *   s2s_roi_align_T(y, weights, ends, image, batch, starts, bins, sizes, regions, rows, columns, ratio, largest,
 *                   images, height, width, channels)
 *   s2s_max_regions_T(y, image, batch, high, wide, regions, rows, columns, images, height, width, channels)
 *
 * image holds `images` images of height x width pixels of `channels` numbers; batch[r] says which of them region r is
 * of (one that there is not counts as the nearest), and y takes rows x columns x channels numbers for each region. T is
 * f32 or f64. The arrays do not overlap.
 *
 * s2s_roi_align: the mean, or if `largest` the largest weighted pixel, of samples between the pixels. Region r starts
 * at pixel (starts[2 * r], starts[2 * r + 1]), its bins are (bins[2 * r], bins[2 * r + 1]) pixels large, and `ratio`
 * samples lie in a bin along each axis; if ratio is 0, the size of the bin rounded up. A sample is interpolated from
 * four pixels, and is 0 if it lies over a pixel outside of the image, of which the first sizes[0] x sizes[1] pixels
 * count (at least one, at most all). With a ratio of 0 a bin has no sample, and is 0, if its size is not above 0, above
 * 2^24, or not a number. Samples lie at least half a pixel apart then: of any bin at most 2 * (size + 4) samples along
 * an axis are computed. Scratch: height + columns * width numbers in weights, 2 * columns in ends.
 *
 * s2s_max_regions: the largest of the pixels of rows high[2 * (rows * r + p)] up to (not with) the number behind it, and
 * of such columns of `wide`, for bin (p, q) of region r; 0 if there is none. NaN is left out. */
#ifndef S2S_REGIONS_H
#define S2S_REGIONS_H

#include "s2s_config.h"

#include <math.h>
#include <stdint.h>

/* The largest bin of which the number of samples depends: all numbers of its samples are floats. */
#define S2S_LARGEST_BIN 16777216

/* x, limited to 0 up to `high`. */
S2S_INLINE int32_t s2s_limited_index(int32_t x, int32_t high)
{
    return x < 0 ? 0 : x > high ? high : x;
}

#define S2S_REGION(name) s2s_##name##_f32
#define S2S_REGION_ELEMENT float
#define S2S_REGION_CEIL ceilf
#include "s2s_region_rows.h"

#define S2S_REGION(name) s2s_##name##_f64
#define S2S_REGION_ELEMENT double
#define S2S_REGION_CEIL ceil
#include "s2s_region_rows.h"

#endif
