/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_window.h: a window over a stream that moves through memory, so that few runs copy what it keeps.
 *
 *   s2s_advance(memory, position, size, by, slack)
 *
 * The window, of `size` bytes, begins *position bytes behind memory, which has `slack` bytes more. It moves on by `by`
 * bytes, and its address is returned; what was at its front is gone, and its last `by` bytes are the caller's to write.
 * Where the memory ends, the window is copied to the start: once in slack / by + 1 calls. */
#ifndef S2S_WINDOW_H
#define S2S_WINDOW_H

#include "s2s_config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

S2S_INLINE void *s2s_advance(void *memory, int32_t *position, size_t size, size_t by, size_t slack)
{
    unsigned char *const start = (unsigned char *)memory;
    const size_t next = (size_t)*position + by;

    if (next > slack) {
        memmove(start, start + next, size - by);
        *position = 0;
        return start;
    }
    *position = (int32_t)next;
    return start + next;
}

#endif
