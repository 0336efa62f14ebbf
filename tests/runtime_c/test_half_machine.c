/* The conversions that the machine has against those in integer arithmetic: equal but for which NaN it is. */
#include "check.h"
#include "half_portable.h"
#include "s2s_half.h"

static int is_same_float(float a, float b)
{
    return s2s_f32_bits(a) == s2s_f32_bits(b) || (a != a && b != b);
}

static int is_same_half(uint16_t a, uint16_t b, uint16_t infinite)
{
    return a == b || ((a & 0x7fffu) > infinite && (b & 0x7fffu) > infinite);
}

static int is_converted_alike(float x)
{
    return is_same_half(s2s_f32_to_f16(x), portable_f32_to_f16(x), 0x7c00u) &&
           is_same_half(s2s_f32_to_bf16(x), portable_f32_to_bf16(x), 0x7f80u) &&
           is_same_float(s2s_f16_round(x), portable_f16_round(x));
}

static void every_half_is_widened_alike(void)
{
    uint32_t different = 0u;

    for (uint32_t h = 0u; h <= 0xffffu; ++h) {
        different += is_same_float(s2s_f16_to_f32((uint16_t)h), portable_f16_to_f32((uint16_t)h)) ? 0u : 1u;
    }
    CHECK(different == 0u);
}

/* Sign, exponent, the ten digits that a half keeps and the one that decides: all of them, before a rest that is zero,
 * smallest, largest and arbitrary. */
static void floats_are_rounded_alike(void)
{
    uint32_t different = 0u, random = 1u;

    for (uint32_t upper = 0u; upper <= 0xfffffu; ++upper) {
        random = random * 1664525u + 1013904223u;
        const uint32_t rests[4] = {0u, 1u, 0xfffu, random >> 20};

        for (int i = 0; i < 4; ++i) {
            different += is_converted_alike(s2s_f32_of_bits(upper << 12 | rests[i])) ? 0u : 1u;
        }
    }
    CHECK(different == 0u);
}

void test_half_machine(void)
{
    every_half_is_widened_alike();
    floats_are_rounded_alike();
}
