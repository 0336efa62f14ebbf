/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_look_up_groups.h: four constants by their codes (s2s_look_up.h), as factors of s2s_i16x4_dot.
 *
 *   s2s_i16x4_look_up(p, table)         s2s_i8x4_extend of the values w0 to w3 whose codes are in two bytes at p
 *   s2s_i16x4_look_up_pairs(p, table)   16 bits of w1 - 256 * w0 and of w3 - 256 * w2, then w1 and w3 */
#ifndef S2S_LOOK_UP_GROUPS_H
#define S2S_LOOK_UP_GROUPS_H

#include "s2s_dsp.h"

#include <stdint.h>
#include <string.h>

#ifdef S2S_DSP_ARM_H

S2S_ALWAYS_INLINE int32_t s2s_two_halves(int32_t low, int32_t high)
{
    int32_t word;

    __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(word) : "r"(low), "r"(high));
    return word;
}

/* A pointer of which GCC knows nothing, or it would add the distance from codes to tables for each value. */
S2S_ALWAYS_INLINE const int8_t *s2s_own_pointer(const int8_t *p)
{
    __asm__("" : "+r"(p));
    return p;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_look_up(const int8_t *p, const int8_t *table)
{
    const int8_t *const own = s2s_own_pointer(table);
    uint16_t codes;
    s2s_i16x4 wide;

    (void)memcpy((void *)&codes, (const void *)p, sizeof codes);
    wide.low = s2s_two_halves(own[codes & 15u], own[(codes >> 8) & 15u]);
    wide.high = s2s_two_halves(own[(codes >> 4) & 15u], own[codes >> 12]);
    return wide;
}

/* 256 times the bytes of w0 and w2 without their signs are the same modulo 2^16. */
S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_look_up_pairs(const int8_t *p, const int8_t *table)
{
    const int8_t *const own = s2s_own_pointer(table);
    uint16_t codes;
    uint32_t first;
    s2s_i16x4 wide;

    (void)memcpy((void *)&codes, (const void *)p, sizeof codes);
    first = (uint32_t)(uint8_t)own[codes & 15u] | ((uint32_t)(uint8_t)own[(codes >> 8) & 15u] << 16);
    wide.high = s2s_two_halves(own[(codes >> 4) & 15u], own[codes >> 12]);
    wide.low = __ssub16(wide.high, (int32_t)(first << 8));
    return wide;
}

#else

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_look_up(const int8_t *p, const int8_t *table)
{
    const uint32_t first = (uint8_t)p[0], second = (uint8_t)p[1];
    s2s_i16x4 wide;

    wide.lane[0] = table[first & 15u];
    wide.lane[1] = table[second & 15u];
    wide.lane[2] = table[first >> 4];
    wide.lane[3] = table[second >> 4];
    return wide;
}

S2S_ALWAYS_INLINE s2s_i16x4 s2s_i16x4_look_up_pairs(const int8_t *p, const int8_t *table)
{
    s2s_i16x4 wide = s2s_i16x4_look_up(p, table);

    wide.lane[0] = (int16_t)(wide.lane[2] - 256 * wide.lane[0]);
    wide.lane[1] = (int16_t)(wide.lane[3] - 256 * wide.lane[1]);
    return wide;
}

#endif

#endif
