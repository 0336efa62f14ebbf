/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_window.h: a window over a stream that moves through memory, so that few runs copy what it keeps.
 *
 *   s2s_move_down(memory, size, by)                  the last size - by bytes to the start of memory
 *   s2s_advance(memory, position, size, by, slack)   the same, once in several calls
 *   s2s_window(memory, position)                     where the window is
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

#if defined(__ARM_FEATURE_UNALIGNED) && defined(__thumb2__)
S2S_INLINE void s2s_move_words(unsigned char *to, const unsigned char *from)
{
    uint32_t a, b, c, d;

    (void)memcpy((void *)&a, (const void *)from, 4u);
    (void)memcpy((void *)&b, (const void *)(from + 4), 4u);
    (void)memcpy((void *)&c, (const void *)(from + 8), 4u);
    (void)memcpy((void *)&d, (const void *)(from + 12), 4u);
    (void)memcpy((void *)to, (const void *)&a, 4u);
    (void)memcpy((void *)(to + 4), (const void *)&b, 4u);
    (void)memcpy((void *)(to + 8), (const void *)&c, 4u);
    (void)memcpy((void *)(to + 12), (const void *)&d, 4u);
}
#endif

/* The C library for small cores moves bytes one by one where their distance is no multiple of words. */
S2S_INLINE void s2s_move_down(void *memory, size_t size, size_t by)
{
#if defined(__ARM_FEATURE_UNALIGNED) && defined(__thumb2__)
    unsigned char *to = (unsigned char *)memory;
    const unsigned char *from = to + by;
    size_t left = size - by;

    for (; left >= 32u; left -= 32u) {
        s2s_move_words(to, from);
        s2s_move_words(to + 16, from + 16);
        from += 32;
        to += 32;
    }
    for (; left >= 4u; left -= 4u) {
        uint32_t word;

        (void)memcpy((void *)&word, (const void *)from, 4u);
        (void)memcpy((void *)to, (const void *)&word, 4u);
        from += 4;
        to += 4;
    }
    for (; left > 0u; --left) {
        *to = *from;
        ++to;
        ++from;
    }
#else
    (void)memmove(memory, (const unsigned char *)memory + by, size - by);
#endif
}

S2S_INLINE void *s2s_advance(void *memory, int32_t *position, size_t size, size_t by, size_t slack)
{
    unsigned char *const start = (unsigned char *)memory;
    const size_t next = (size_t)*position + by;

    if (next > slack) {
        s2s_move_down(start, next + size - by, next);
        *position = 0;
        return start;
    }
    *position = (int32_t)next;
    return start + next;
}

S2S_INLINE void *s2s_window(void *memory, const int32_t *position)
{
    return (unsigned char *)memory + *position;
}

#endif
