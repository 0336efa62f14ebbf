/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_stage.h: copies of rows of bytes with 128 added to each, which makes signed bytes unsigned ones in their order.
 *
 *   s2s_stage_flipped(to, from, count)        to[i] = from[i] + 128
 *   s2s_stage_flipped_part(to, from, first, count, low, high, fill)
 *                                             to[i] = from[first + i] + 128 for low <= i < high, else fill; what lies
 *                                             outside of the range is not read, and the range may begin before or end
 *                                             behind the row
 *   s2s_stage_flipped_column(to, from, first, stride, count, low, high, fill)
 *                                             the same with from[first + i * stride]
 *   s2s_stage_flipped_fill(to, count, fill)   to[i] = fill */
#ifndef S2S_STAGE_H
#define S2S_STAGE_H

#include "s2s_config.h"

#include <stdint.h>

S2S_INLINE int8_t s2s_flipped(int8_t x)
{
    return (int8_t)((int32_t)x ^ -128);
}

S2S_INLINE void s2s_stage_flipped(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = s2s_flipped(from[i]);
    }
}

S2S_INLINE void s2s_stage_flipped_fill(int8_t *to, int32_t count, int32_t fill)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = (int8_t)fill;
    }
}

S2S_INLINE void s2s_stage_flipped_column(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t first,
                                         int32_t stride, int32_t count, int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    s2s_stage_flipped_fill(to, begin, fill);
    for (int32_t i = begin; i < end; ++i) {
        to[i] = s2s_flipped(from[first + i * stride]);
    }
    s2s_stage_flipped_fill(&to[end], count - end, fill);
}

S2S_INLINE void s2s_stage_flipped_part(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t first,
                                       int32_t count, int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    s2s_stage_flipped_fill(to, begin, fill);
    if (begin < end) {
        s2s_stage_flipped(&to[begin], &from[first + begin], end - begin);
    }
    s2s_stage_flipped_fill(&to[end], count - end, fill);
}

#endif
