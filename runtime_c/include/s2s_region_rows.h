/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_region_rows.h: the functions of s2s_regions.h for one element type; s2s_regions.h includes this file for each.
 *
 * S2S_REGION(name) is the name of a function, S2S_REGION_ELEMENT the type of the elements, and S2S_REGION_CEIL rounds
 * one up. A bin has `count` samples along an axis, number i at start + (i + 0.5) * bin / count. */

/* How many samples a bin has along an axis. */
S2S_INLINE int32_t S2S_REGION(sample_count)(S2S_REGION_ELEMENT bin, int32_t ratio)
{
    if (ratio > 0) {
        return ratio;
    }
    return bin > 0 && bin <= S2S_LARGEST_BIN ? (int32_t)S2S_REGION_CEIL(bin) : 0;
}

/* Where sample i lies. */
S2S_INLINE S2S_REGION_ELEMENT S2S_REGION(sample_at)(
    S2S_REGION_ELEMENT start, S2S_REGION_ELEMENT bin, int32_t count, int32_t i)
{
    return start + ((S2S_REGION_ELEMENT)i + (S2S_REGION_ELEMENT)0.5) * bin / (S2S_REGION_ELEMENT)count;
}

/* The first sample that may lie in the image: samples of a growing place are found by halving. */
S2S_INLINE int32_t S2S_REGION(first_sample)(S2S_REGION_ELEMENT start, S2S_REGION_ELEMENT bin, int32_t count)
{
    int32_t low = 0;
    int32_t high = bin > 0 ? count : 0;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;

        if (S2S_REGION(sample_at)(start, bin, count, middle) >= -1) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Whether a place is one of the image along an axis of `size` pixels. */
S2S_INLINE int32_t S2S_REGION(is_inside)(S2S_REGION_ELEMENT at, int32_t size)
{
    return at >= -1 && at <= (S2S_REGION_ELEMENT)size;
}

/* The pixel before a place in the image, the one behind it, and the weight of the latter. */
S2S_INLINE void S2S_REGION(neighbours)(
    S2S_REGION_ELEMENT at, int32_t size, int32_t *before, int32_t *behind, S2S_REGION_ELEMENT *weight)
{
    const S2S_REGION_ELEMENT place = at > 0 ? at : 0;
    const int32_t low = s2s_limited_index((int32_t)place, size - 1);

    *before = low;
    *behind = low < size - 1 ? low + 1 : low;
    *weight = low < size - 1 ? place - (S2S_REGION_ELEMENT)low : 0;
}

/* The sum of the weights that the samples of a bin give each pixel along an axis, divided by the number of samples;
 * ends takes the first pixel with a weight, and the one behind the last. */
S2S_INLINE void S2S_REGION(bin_weights)(
    S2S_REGION_ELEMENT *weights, int32_t *ends, S2S_REGION_ELEMENT start, S2S_REGION_ELEMENT bin, int32_t ratio,
    int32_t size)
{
    const int32_t count = S2S_REGION(sample_count)(bin, ratio);

    ends[0] = size;
    ends[1] = 0;
    for (int32_t i = 0; i < size; ++i) {
        weights[i] = 0;
    }
    for (int32_t i = S2S_REGION(first_sample)(start, bin, count); i < count; ++i) {
        const S2S_REGION_ELEMENT at = S2S_REGION(sample_at)(start, bin, count, i);
        int32_t before, behind;
        S2S_REGION_ELEMENT weight;

        if (at > (S2S_REGION_ELEMENT)size && bin > 0) {
            break;
        }
        if (S2S_REGION(is_inside)(at, size)) {
            S2S_REGION(neighbours)(at, size, &before, &behind, &weight);
            weights[before] += (1 - weight) / (S2S_REGION_ELEMENT)count;
            weights[behind] += weight / (S2S_REGION_ELEMENT)count;
            ends[0] = before < ends[0] ? before : ends[0];
            ends[1] = behind >= ends[1] ? behind + 1 : ends[1];
        }
    }
}

/* The mean of the samples of a bin: the sum of the pixels by the weights of their rows and columns. */
S2S_INLINE void S2S_REGION(bin_mean)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, const S2S_REGION_ELEMENT *S2S_RESTRICT image,
    const S2S_REGION_ELEMENT *S2S_RESTRICT rows, const int32_t *row_ends,
    const S2S_REGION_ELEMENT *S2S_RESTRICT columns, const int32_t *column_ends, int32_t width, int32_t channels)
{
    for (int32_t c = 0; c < channels; ++c) {
        y[c] = 0;
    }
    for (int32_t row = row_ends[0]; row < row_ends[1]; ++row) {
        for (int32_t column = column_ends[0]; column < column_ends[1]; ++column) {
            const S2S_REGION_ELEMENT *const pixel = image + (row * width + column) * channels;
            const S2S_REGION_ELEMENT weight = rows[row] * columns[column];

            S2S_APART
            for (int32_t c = 0; c < channels; ++c) {
                y[c] += weight * pixel[c];
            }
        }
    }
}

/* y becomes the larger one of y and weight * pixel, NaN where one of them is. */
S2S_INLINE void S2S_REGION(raise)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, const S2S_REGION_ELEMENT *S2S_RESTRICT pixel, S2S_REGION_ELEMENT weight,
    int32_t channels)
{
    S2S_APART
    for (int32_t c = 0; c < channels; ++c) {
        const S2S_REGION_ELEMENT found = weight * pixel[c];

        y[c] = ((found > y[c]) | (found != found)) ? found : y[c];
    }
}

/* Lets the pixels of two columns, weighted for a sample, raise y. */
S2S_INLINE void S2S_REGION(raise_row)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, const S2S_REGION_ELEMENT *S2S_RESTRICT row, S2S_REGION_ELEMENT row_weight,
    int32_t before, int32_t behind, S2S_REGION_ELEMENT weight, int32_t channels)
{
    S2S_REGION(raise)(y, row + before * channels, row_weight * (1 - weight), channels);
    S2S_REGION(raise)(y, row + behind * channels, row_weight * weight, channels);
}

/* The largest weighted pixel of all samples of a bin; those outside of the image are 0. */
S2S_INLINE void S2S_REGION(bin_largest)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, const S2S_REGION_ELEMENT *S2S_RESTRICT image, const S2S_REGION_ELEMENT *start,
    const S2S_REGION_ELEMENT *bin, int32_t ratio, const int32_t *sizes, int32_t width, int32_t channels)
{
    const int32_t row_count = S2S_REGION(sample_count)(bin[0], ratio);
    const int32_t column_count = S2S_REGION(sample_count)(bin[1], ratio);
    const int32_t first = S2S_REGION(first_sample)(start[1], bin[1], column_count);
    int32_t inside = 0;

    for (int32_t c = 0; c < channels; ++c) {
        y[c] = -(S2S_REGION_ELEMENT)INFINITY;
    }
    for (int32_t i = S2S_REGION(first_sample)(start[0], bin[0], row_count); i < row_count; ++i) {
        const S2S_REGION_ELEMENT down = S2S_REGION(sample_at)(start[0], bin[0], row_count, i);
        int32_t upper, lower;
        S2S_REGION_ELEMENT row_weight;

        if (down > (S2S_REGION_ELEMENT)sizes[0] && bin[0] > 0) {
            break;
        }
        if (!S2S_REGION(is_inside)(down, sizes[0])) {
            continue;
        }
        S2S_REGION(neighbours)(down, sizes[0], &upper, &lower, &row_weight);
        for (int32_t j = first; j < column_count; ++j) {
            const S2S_REGION_ELEMENT across = S2S_REGION(sample_at)(start[1], bin[1], column_count, j);
            int32_t left, right;
            S2S_REGION_ELEMENT weight;

            if (across > (S2S_REGION_ELEMENT)sizes[1] && bin[1] > 0) {
                break;
            }
            if (S2S_REGION(is_inside)(across, sizes[1])) {
                S2S_REGION(neighbours)(across, sizes[1], &left, &right, &weight);
                S2S_REGION(raise_row)(y, image + upper * width * channels, 1 - row_weight, left, right, weight, channels);
                S2S_REGION(raise_row)(y, image + lower * width * channels, row_weight, left, right, weight, channels);
                ++inside;
            }
        }
    }
    if ((int64_t)inside < (int64_t)row_count * column_count || inside == 0) {
        for (int32_t c = 0; c < channels; ++c) {
            y[c] = y[c] < 0 ? 0 : y[c];
        }
    }
}

/* The means of all bins of a region. */
S2S_INLINE void S2S_REGION(region_means)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, S2S_REGION_ELEMENT *S2S_RESTRICT weights, int32_t *S2S_RESTRICT ends,
    const S2S_REGION_ELEMENT *S2S_RESTRICT image, const S2S_REGION_ELEMENT *start, const S2S_REGION_ELEMENT *bin,
    const int32_t *sizes, int32_t rows, int32_t columns, int32_t ratio, int32_t height, int32_t width,
    int32_t channels)
{
    for (int32_t q = 0; q < columns; ++q) {
        const S2S_REGION_ELEMENT across = start[1] + (S2S_REGION_ELEMENT)q * bin[1];

        S2S_REGION(bin_weights)(weights + height + q * width, ends + 2 * q, across, bin[1], ratio, sizes[1]);
    }
    for (int32_t p = 0; p < rows; ++p) {
        const S2S_REGION_ELEMENT down = start[0] + (S2S_REGION_ELEMENT)p * bin[0];
        int32_t row_ends[2];

        S2S_REGION(bin_weights)(weights, row_ends, down, bin[0], ratio, sizes[0]);
        for (int32_t q = 0; q < columns; ++q) {
            const S2S_REGION_ELEMENT *const across = weights + height + q * width;

            S2S_REGION(bin_mean)(
                y + (p * columns + q) * channels, image, weights, row_ends, across, ends + 2 * q, width, channels);
        }
    }
}

S2S_INLINE void S2S_REGION(roi_align)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, S2S_REGION_ELEMENT *S2S_RESTRICT weights, int32_t *S2S_RESTRICT ends,
    const S2S_REGION_ELEMENT *S2S_RESTRICT image, const int32_t *S2S_RESTRICT batch,
    const S2S_REGION_ELEMENT *S2S_RESTRICT starts, const S2S_REGION_ELEMENT *S2S_RESTRICT bins,
    const int32_t *S2S_RESTRICT sizes, int32_t regions, int32_t rows, int32_t columns, int32_t ratio, int32_t largest,
    int32_t images, int32_t height, int32_t width, int32_t channels)
{
    const int32_t pixels[2] = {sizes[0] < 1 ? 1 : s2s_limited_index(sizes[0], height),
                               sizes[1] < 1 ? 1 : s2s_limited_index(sizes[1], width)};

    for (int32_t r = 0; r < regions; ++r) {
        const S2S_REGION_ELEMENT *const x =
            image + s2s_limited_index(batch[r], images - 1) * height * width * channels;
        const S2S_REGION_ELEMENT *const bin = bins + 2 * r;
        S2S_REGION_ELEMENT *const region = y + r * rows * columns * channels;

        if (largest == 0) {
            S2S_REGION(region_means)(
                region, weights, ends, x, starts + 2 * r, bin, pixels, rows, columns, ratio, height, width, channels);
            continue;
        }
        for (int32_t i = 0; i < rows * columns; ++i) {
            const S2S_REGION_ELEMENT start[2] = {starts[2 * r] + (S2S_REGION_ELEMENT)(i / columns) * bin[0],
                                                 starts[2 * r + 1] + (S2S_REGION_ELEMENT)(i % columns) * bin[1]};

            S2S_REGION(bin_largest)(region + i * channels, x, start, bin, ratio, pixels, width, channels);
        }
    }
}

S2S_INLINE void S2S_REGION(max_regions)(
    S2S_REGION_ELEMENT *S2S_RESTRICT y, const S2S_REGION_ELEMENT *S2S_RESTRICT image,
    const int32_t *S2S_RESTRICT batch, const int32_t *S2S_RESTRICT high, const int32_t *S2S_RESTRICT wide,
    int32_t regions, int32_t rows, int32_t columns, int32_t images, int32_t height, int32_t width, int32_t channels)
{
    for (int32_t bin = 0; bin < regions * rows * columns; ++bin) {
        const int32_t r = bin / (rows * columns);
        const int32_t *const down = high + 2 * (bin / columns);
        const int32_t *const across = wide + 2 * (r * columns + bin % columns);
        const int32_t top = s2s_limited_index(down[0], height);
        const int32_t bottom = s2s_limited_index(down[1], height);
        const int32_t left = s2s_limited_index(across[0], width);
        const int32_t right = s2s_limited_index(across[1], width);
        const S2S_REGION_ELEMENT *const x =
            image + s2s_limited_index(batch[r], images - 1) * height * width * channels;
        S2S_REGION_ELEMENT *const to = y + bin * channels;

        for (int32_t c = 0; c < channels; ++c) {
            to[c] = top < bottom && left < right ? -(S2S_REGION_ELEMENT)INFINITY : 0;
        }
        for (int32_t row = top; row < bottom; ++row) {
            for (int32_t column = left; column < right; ++column) {
                const S2S_REGION_ELEMENT *const pixel = x + (row * width + column) * channels;

                S2S_APART
                for (int32_t c = 0; c < channels; ++c) {
                    to[c] = pixel[c] > to[c] ? pixel[c] : to[c];
                }
            }
        }
    }
}

#undef S2S_REGION
#undef S2S_REGION_ELEMENT
#undef S2S_REGION_CEIL
