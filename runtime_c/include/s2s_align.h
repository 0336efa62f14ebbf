/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_align.h: checks whether memory of the caller is aligned. */
#ifndef S2S_ALIGN_H
#define S2S_ALIGN_H

#include "s2s_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if address is a multiple of alignment, a power of two. */
S2S_INLINE bool s2s_is_aligned(const void *address, size_t alignment)
{
    return ((uintptr_t)address & (uintptr_t)(alignment - 1u)) == 0u;
}

#endif
