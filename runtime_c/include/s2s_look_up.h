/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_look_up.h: constants as codes of four bits, two in a byte, the first in its low bits, into tables of at most 16.
 *
 *   s2s_look_up(p, at, table)     the value in the table whose number is code `at` of those that begin at p */
#ifndef S2S_LOOK_UP_H
#define S2S_LOOK_UP_H

#include "s2s_config.h"

#include <stdint.h>

S2S_ALWAYS_INLINE int8_t s2s_look_up(const int8_t *p, int32_t at, const int8_t *table)
{
    const uint32_t place = (uint32_t)at;
    const uint32_t both = (uint8_t)p[place >> 1];

    return table[(both >> (4u * (place & 1u))) & 15u];
}

#endif
