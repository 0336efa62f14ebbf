/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_nibbles.h: constants of four bits, two in a byte, the first in its low bits, as ONNX and TFLite store them.
 *
 *   s2s_nibble(p, at)     number `at` of those that begin at p, from -8 to 7 */
#ifndef S2S_NIBBLES_H
#define S2S_NIBBLES_H

#include "s2s_config.h"

#include <stdint.h>

S2S_ALWAYS_INLINE int8_t s2s_nibble(const int8_t *p, int32_t at)
{
    const uint32_t place = (uint32_t)at;
    const uint32_t both = (uint8_t)p[place >> 1];
    const uint32_t half = (both >> (4u * (place & 1u))) & 15u;

    return (int8_t)((int32_t)(half ^ 8u) - 8);
}

#endif
