#include "check.h"
#include "s2s_half.h"

static int is_nan_f16(uint32_t h)
{
    return (h & 0x7fffu) > 0x7c00u;
}

static int is_nan_bf16(uint32_t h)
{
    return (h & 0x7fffu) > 0x7f80u;
}

static void bits_are_read_and_written_back(void)
{
    CHECK(s2s_f32_bits(1.0f) == 0x3f800000u && s2s_f32_of_bits(0xc0000000u) == -2.0f);
    CHECK(s2s_f64_bits(1.0) == 0x3ff0000000000000u && s2s_f64_of_bits(0xc000000000000000u) == -2.0);
}

static void known_values(void)
{
    CHECK(s2s_f16_to_f32(0x3c00u) == 1.0f && s2s_f16_to_f32(0xc000u) == -2.0f);
    CHECK(s2s_f16_to_f32(0x7bffu) == 65504.0f && s2s_f16_to_f32(0x0001u) == 0x1p-24f);
    CHECK(s2s_f16_to_f32(0x0400u) == 0x1p-14f && s2s_f16_to_f32(0x03ffu) == 0x3ffp-24f);
    CHECK(s2s_bf16_to_f32(0x3f80u) == 1.0f && s2s_bf16_to_f32(0xc049u) == -3.140625f);
    CHECK(s2s_f32_to_f16(65519.0f) == 0x7bffu && s2s_f32_to_f16(65520.0f) == 0x7c00u);
    CHECK(s2s_f32_to_f16(-INFINITY) == 0xfc00u && s2s_f32_to_bf16(-INFINITY) == 0xff80u);
    CHECK(s2s_f32_to_bf16(3.4e38f) == 0x7f80u);
    CHECK(is_nan_f16(s2s_f32_to_f16(NAN)) && is_nan_bf16(s2s_f32_to_bf16(NAN)));
    CHECK(is_nan_f16(s2s_f32_to_f16(s2s_f32_of_bits(0x7f800001u))));
    CHECK(is_nan_bf16(s2s_f32_to_bf16(s2s_f32_of_bits(0xff800001u))));
    CHECK(isnan(s2s_f16_to_f32(0x7e00u)) && isnan(s2s_f16_to_f32(0xfc01u)) && isinf(s2s_f16_to_f32(0x7c00u)));
}

static void every_value_is_read_and_written_back(void)
{
    for (uint32_t h = 0u; h <= 0xffffu; ++h) {
        CHECK(is_nan_f16(h) || s2s_f32_to_f16(s2s_f16_to_f32((s2s_f16)h)) == h);
        CHECK(is_nan_bf16(h) || s2s_f32_to_bf16(s2s_bf16_to_f32((s2s_bf16)h)) == h);
    }
}

/* Between neighbours the middle goes to the even one, everything else to the nearer one. */
static void f16_rounds_to_nearest_even(void)
{
    for (uint32_t h = 0u; h < 0x7bffu; ++h) {
        const float below = s2s_f16_to_f32((s2s_f16)h);
        const float above = s2s_f16_to_f32((s2s_f16)(h + 1u));
        const float middle = 0.5f * (below + above);

        CHECK(s2s_f32_to_f16(middle) == h + (h & 1u));
        CHECK(s2s_f32_to_f16(nextafterf(middle, 0.0f)) == h);
        CHECK(s2s_f32_to_f16(nextafterf(middle, INFINITY)) == h + 1u);
        CHECK(s2s_f32_to_f16(-middle) == (0x8000u | (h + (h & 1u))));
    }
}

static void bf16_rounds_to_nearest_even(void)
{
    for (uint32_t h = 0u; h < 0x7f7fu; ++h) {
        const float middle = s2s_f32_of_bits(h << 16 | 0x8000u);

        CHECK(s2s_f32_to_bf16(middle) == h + (h & 1u));
        CHECK(s2s_f32_to_bf16(nextafterf(middle, 0.0f)) == h);
        CHECK(s2s_f32_to_bf16(nextafterf(middle, INFINITY)) == h + 1u);
    }
}

/* A double next to the middle is nearer to one side, though its nearest float is the middle. */
static void doubles_are_rounded_once(void)
{
    for (uint32_t h = 0u; h < 0x7bffu; h += 7u) {
        const float below = s2s_f16_to_f32((s2s_f16)h);
        const float above = s2s_f16_to_f32((s2s_f16)(h + 1u));
        const double middle = 0.5 * ((double)below + (double)above);

        CHECK(s2s_f64_to_f16_round(nextafter(middle, 0.0)) == below);
        CHECK(s2s_f64_to_f16_round(nextafter(middle, 1e9)) == above);
        CHECK(s2s_f64_to_f16_round(middle) == ((h & 1u) != 0u ? above : below));
        CHECK(s2s_f64_to_f16_round(-nextafter(middle, 1e9)) == -above);
    }
    CHECK(s2s_f64_to_bf16_round(nextafter(0x1.01p0, 0.0)) == 1.0f);
    CHECK(s2s_f64_to_bf16_round(nextafter(0x1.01p0, 2.0)) == 0x1.02p0f);
    CHECK(isinf(s2s_f64_to_bf16_round(1e300)) && isinf(s2s_f64_to_f16_round(-1e300)));
    CHECK(s2s_f64_to_f16_round(1e-300) == 0.0f && isnan(s2s_f64_to_f16_round((double)NAN)));
}

static void rounding_is_storing_and_reading(void)
{
    CHECK(s2s_f16_round(0.1f) == 0x1.998p-4f);
    CHECK(s2s_bf16_round(0.1f) == 0x1.9ap-4f);
}

void test_half(void)
{
    bits_are_read_and_written_back();
    known_values();
    every_value_is_read_and_written_back();
    f16_rounds_to_nearest_even();
    bf16_rounds_to_nearest_even();
    doubles_are_rounded_once();
    rounding_is_storing_and_reading();
}
