/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_cache_read.h: copies rows of signed bytes to scratch with 128 added to each, as unsigned bytes in the same order.
 *
 *   s2s_cache_read_flipped(to, from, count)
 *       to[i] = from[i] + 128
 *   s2s_cache_read_flipped_clipped(to, from, first, count, low, high, fill)
 *       to[i] = from[first + i] + 128 for low <= i < high, else fill; elements outside of the range are not read, and
 *       the range may begin before the row or end behind it
 *   s2s_cache_read_flipped_strided(to, from, first, stride, count, low, high, fill)
 *       the same with from[first + i * stride]
 *   s2s_cache_read_flipped_fill(to, count, fill)
 *       to[i] = fill */
#ifndef S2S_CACHE_READ_H
#define S2S_CACHE_READ_H

#include "s2s_config.h"

#include <stdint.h>

S2S_INLINE int8_t s2s_flipped(int8_t x)
{
    return (int8_t)((int32_t)x ^ -128);
}

S2S_INLINE void s2s_cache_read_flipped(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = s2s_flipped(from[i]);
    }
}

S2S_INLINE void s2s_cache_read_flipped_fill(int8_t *to, int32_t count, int32_t fill)
{
    for (int32_t i = 0; i < count; ++i) {
        to[i] = (int8_t)fill;
    }
}

S2S_INLINE void s2s_cache_read_flipped_strided(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t first,
                                               int32_t stride, int32_t count, int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    s2s_cache_read_flipped_fill(to, begin, fill);
    for (int32_t i = begin; i < end; ++i) {
        to[i] = s2s_flipped(from[first + i * stride]);
    }
    s2s_cache_read_flipped_fill(&to[end], count - end, fill);
}

S2S_INLINE void s2s_cache_read_flipped_clipped(int8_t *S2S_RESTRICT to, const int8_t *S2S_RESTRICT from, int32_t first,
                                               int32_t count, int32_t low, int32_t high, int32_t fill)
{
    const int32_t begin = (low < 0) ? 0 : ((low < count) ? low : count);
    const int32_t end = (high < begin) ? begin : ((high < count) ? high : count);

    s2s_cache_read_flipped_fill(to, begin, fill);
    if (begin < end) {
        s2s_cache_read_flipped(&to[begin], &from[first + begin], end - begin);
    }
    s2s_cache_read_flipped_fill(&to[end], count - end, fill);
}

#endif
