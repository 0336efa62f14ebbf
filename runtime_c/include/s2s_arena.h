/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_arena.h: static memory for a network.
 *
 *     S2S_ARENA(kws_arena, KWS_ARENA_SIZE, KWS_ARENA_ALIGN);
 *     ...
 *     status = kws_run(kws_arena, mfcc, scores);
 *
 * The arena is scratch: its contents need not be set and mean nothing between two runs, except for copies that an
 * executor keeps there. One arena serves one run at a time. */
#ifndef S2S_ARENA_H
#define S2S_ARENA_H

#include "s2s.h"
#include "s2s_align.h"

/* Where the arena goes, for instance __attribute__((section(".dtcm"))); nothing by default. */
#ifndef S2S_ARENA_SECTION
#define S2S_ARENA_SECTION
#endif

/* Defines `static uint8_t name[bytes]`, aligned to alignment, a power of two; of one byte if bytes is 0. */
#define S2S_ARENA(name, bytes, alignment)                                                                              \
    S2S_ARENA_SECTION static S2S_ALIGNED(alignment) uint8_t name[(bytes) > 0 ? (bytes) : 1]

/* S2S_OK if the arena can serve a network that needs bytes at alignment, else the error that its run would report. */
S2S_INLINE s2s_status s2s_arena_check(const void *arena, size_t arena_size, size_t bytes, size_t alignment)
{
    if (arena == NULL && bytes > 0u) {
        return S2S_ERR_NULL;
    }
    if (!s2s_is_aligned(arena, alignment)) {
        return S2S_ERR_ALIGN;
    }
    return arena_size < bytes ? S2S_ERR_ARENA_SIZE : S2S_OK;
}

#endif
