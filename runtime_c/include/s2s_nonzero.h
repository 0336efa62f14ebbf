/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_nonzero.h: the positions of the true elements of a row.
 *
 *   s2s_nonzero_bool(places, mask, count, size, bound)
 *
 * mask holds `size` truth values, of which *count are true; places takes their positions in order, at most `bound`. What
 * lies behind them is left alone. The arrays do not overlap. */
#ifndef S2S_NONZERO_H
#define S2S_NONZERO_H

#include "s2s_config.h"

#include <stdbool.h>
#include <stdint.h>

S2S_INLINE void s2s_nonzero_bool(
    int32_t *places, const bool *mask, const int32_t *count, int32_t size, int32_t bound)
{
    const int32_t wanted = *count < bound ? *count : bound;
    int32_t found = 0;

    for (int32_t i = 0; i < size && found < wanted; ++i) {
        places[found] = i;
        found += mask[i] ? 1 : 0;
    }
}

#endif
