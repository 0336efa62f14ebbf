/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_suppress.h: boxes with high scores that overlap little (non-maximum suppression).
 *
 *   s2s_suppressed_f32(y, high, places, scratch, boxes, scores, overlap, least, images, classes, count, most, centered)
 *
 * boxes holds `count` boxes of four numbers for each image, scores as many for each image and class. A class takes boxes
 * in the order of their scores, the highest first, as long as these are above *least and it has fewer than `most`; it
 * leaves out those whose intersection over union with a box that it has taken is above *overlap. y takes `most` numbers
 * of boxes for each image and class, -1 behind the last one. A box is two opposite corners, or if `centered` its centre,
 * width and height; empty ones overlap nothing. Scratch: `count` floats in high, 2 * count numbers in places, and
 * S2S_SELECT_WORDS(count). The arrays do not overlap. */
#ifndef S2S_SUPPRESS_H
#define S2S_SUPPRESS_H

#include "s2s_config.h"
#include "s2s_select.h"

#include <stdbool.h>
#include <stdint.h>

/* The lower and the upper end of a box along an axis. */
S2S_INLINE void s2s_box_ends(const float *box, int32_t axis, int32_t centered, float *low, float *high)
{
    const float first = box[axis];
    const float second = box[axis + 2];

    if (centered != 0) {
        *low = first - second / 2.0f;
        *high = first + second / 2.0f;
    } else {
        *low = first < second ? first : second;
        *high = first < second ? second : first;
    }
}

/* Whether the intersection over union of two boxes is above a limit. */
S2S_INLINE bool s2s_boxes_overlap(const float *a, const float *b, int32_t centered, float limit)
{
    float area_a = 1.0f;
    float area_b = 1.0f;
    float inner = 1.0f;

    for (int32_t axis = 0; axis < 2; ++axis) {
        float low_a, high_a, low_b, high_b;
        s2s_box_ends(a, axis, centered, &low_a, &high_a);
        s2s_box_ends(b, axis, centered, &low_b, &high_b);
        const float side = (high_a < high_b ? high_a : high_b) - (low_a > low_b ? low_a : low_b);
        if (!(side > 0.0f)) {
            return false;
        }
        area_a *= high_a - low_a;
        area_b *= high_b - low_b;
        inner *= side;
    }
    return area_a > 0.0f && area_b > 0.0f && inner / (area_a + area_b - inner) > limit;
}

S2S_INLINE void s2s_suppressed_f32(
    int32_t *y, float *high, int32_t *places, uint32_t *scratch, const float *boxes, const float *scores,
    const float *overlap, const float *least, int32_t images, int32_t classes, int32_t count, int32_t most,
    int32_t centered)
{
    int32_t *const order = places + count;

    for (int32_t group = 0; group < images * classes; ++group) {
        const float *const image = boxes + (group / classes) * count * 4;
        const float *const row = scores + group * count;
        int32_t *const taken = y + group * most;
        int32_t left = 0;
        int32_t found = 0;

        for (int32_t i = 0; i < count; ++i) {
            if (row[i] > *least) {
                high[left] = row[i];
                places[left] = i;
                ++left;
            }
        }
        if (left > 0) {
            s2s_largest_f32(order, scratch, high, 1, left, left);
        }
        for (int32_t i = 0; i < left && found < most; ++i) {
            const int32_t box = places[order[i]];
            bool is_free = true;

            for (int32_t j = 0; j < found && is_free; ++j) {
                is_free = !s2s_boxes_overlap(image + 4 * taken[j], image + 4 * box, centered, *overlap);
            }
            if (is_free) {
                taken[found] = box;
                ++found;
            }
        }
        for (int32_t i = found; i < most; ++i) {
            taken[i] = -1;
        }
    }
}

#endif
