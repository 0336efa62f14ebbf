/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_bits.h: floating-point numbers as their bits, and back.
 *
 *   s2s_f32_bits(x), s2s_f64_bits(x)          the bits of x
 *   s2s_f32_of_bits(u), s2s_f64_of_bits(u)    the number with the bits u
 *
 * All functions are pure; compilers make a move, or nothing, of the copy. */
#ifndef S2S_BITS_H
#define S2S_BITS_H

#include "s2s_config.h"

#include <stdint.h>
#include <string.h>

S2S_INLINE uint32_t s2s_f32_bits(float x)
{
    uint32_t bits;

    (void)memcpy((void *)&bits, (const void *)&x, sizeof bits);
    return bits;
}

S2S_INLINE float s2s_f32_of_bits(uint32_t bits)
{
    float x;

    (void)memcpy((void *)&x, (const void *)&bits, sizeof x);
    return x;
}

S2S_INLINE uint64_t s2s_f64_bits(double x)
{
    uint64_t bits;

    (void)memcpy((void *)&bits, (const void *)&x, sizeof bits);
    return bits;
}

S2S_INLINE double s2s_f64_of_bits(uint64_t bits)
{
    double x;

    (void)memcpy((void *)&x, (const void *)&bits, sizeof x);
    return x;
}

#endif
