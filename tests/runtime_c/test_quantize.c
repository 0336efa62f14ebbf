#include "check.h"
#include "s2s_quantize.h"

static void rounding_shift_takes_halves_away_from_zero(void)
{
    CHECK(s2s_rounding_shift(5, 1) == 3 && s2s_rounding_shift(-5, 1) == -3);
    CHECK(s2s_rounding_shift(6, 2) == 2 && s2s_rounding_shift(-6, 2) == -2);
    CHECK(s2s_rounding_shift(5, 2) == 1 && s2s_rounding_shift(-5, 2) == -1);
    CHECK(s2s_rounding_shift(INT32_MAX, 0) == INT32_MAX && s2s_rounding_shift(INT32_MIN, 0) == INT32_MIN);
    CHECK(s2s_rounding_shift(INT32_MAX, 31) == 1 && s2s_rounding_shift(INT32_MIN, 31) == -1);
    CHECK(s2s_rounding_shift(1 << 30, 31) == 1 && s2s_rounding_shift(-(1 << 30), 31) == -1);
    CHECK(s2s_rounding_shift((1 << 30) - 1, 31) == 0 && s2s_rounding_shift(1 - (1 << 30), 31) == 0);
}

static void high_product_takes_halves_up(void)
{
    CHECK(s2s_high_product(3, 1 << 30) == 2 && s2s_high_product(-3, 1 << 30) == -1);
    CHECK(s2s_high_product(INT32_MIN, INT32_MAX) == -INT32_MAX);
    CHECK(s2s_high_product(INT32_MAX, INT32_MAX) == INT32_MAX - 1);
    CHECK(s2s_high_product(INT32_MIN, -INT32_MAX) == INT32_MAX);
}

static void double_rounding_rounds_twice(void)
{
    CHECK(s2s_rescale_double(1000, 1 << 30, 0) == 500 && s2s_rescale_double(1000, 1 << 30, 3) == 4000);
    CHECK(s2s_rescale_double(1000, 1 << 30, -2) == 125 && s2s_rescale_double(-1000, 1 << 30, -4) == -31);
    /* 2.4996 becomes 5/2 in the first step and 3 in the second. */
    CHECK(s2s_rescale_double(5, 2147000000, -1) == 3 && s2s_rescale_single(5, 2147000000, -1) == 2);
    CHECK(s2s_rescale_double(INT32_MAX, INT32_MAX, 0) == INT32_MAX - 1);
    CHECK(s2s_rescale_double(INT32_MIN, INT32_MAX, -31) == -1);
    CHECK(s2s_rescale_double(1 << 30, 1 << 30, 2) == 0);
    CHECK(s2s_rescale_double(77, 0, 0) == 0);
}

static void short_forms_round_twice(void)
{
    static const int32_t numbers[] = {0, 1, -1, 5, -5, 1000, -1000, 8388607, -8388607, 123456789, -123456789, (1 << 30) - 1, 1 - (1 << 30)};
    static const int32_t multipliers[] = {1 << 30, 1234567890, 2147000000, INT32_MAX};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        for (size_t k = 0; k < sizeof multipliers / sizeof multipliers[0]; ++k) {
            const int32_t x = numbers[i], m = multipliers[k];

            CHECK(s2s_rescale_high(x, m) == s2s_rescale_double(x, m, 0));
            for (int8_t shift = -1; shift >= -22; --shift) {
                for (int32_t offset = -255; offset < 256; offset += 51) {
                    const int32_t number = s2s_rescale_double(x, m, shift) + offset;
                    const int32_t upward = s2s_rescale_upward(x, m, shift, offset);

                    CHECK(s2s_rescale_negative(x, m, shift, offset) == number);
                    CHECK(x < 0 ? number <= upward && upward <= offset : upward == number);
                    if (x / (1 << 23) == 0) {
                        CHECK(s2s_rescale_negative_of_pairs(x * 256, m, shift, offset) == number);
                        CHECK(shift < -15 || s2s_rescale_upward_of_pairs(x * 256, m, shift, offset) == upward);
                    }
                }
            }
        }
    }
}

static void saturation_keeps_what_fits(void)
{
    CHECK(s2s_saturate_i8(127) == 127 && s2s_saturate_i8(128) == 127 && s2s_saturate_i8(INT32_MAX) == 127);
    CHECK(s2s_saturate_i8(-128) == -128 && s2s_saturate_i8(-129) == -128 && s2s_saturate_i8(INT32_MIN) == -128);
    CHECK(s2s_saturate_i8(-3) == -3);
}

static void single_rounding_takes_halves_up(void)
{
    CHECK(s2s_rescale_single(3, 1 << 30, 0) == 2 && s2s_rescale_single(-3, 1 << 30, 0) == -1);
    CHECK(s2s_rescale_single(INT32_MIN, INT32_MAX, -31) == -1 && s2s_rescale_single(INT32_MAX, INT32_MAX, -31) == 1);
    CHECK(s2s_rescale_single(-1, 1 << 30, 30) == -(1 << 29));
    CHECK(s2s_rescale_single(INT32_MIN, INT32_MIN + 1, 0) == INT32_MAX);
}

static void reduced_multiplier_has_sixteen_bits(void)
{
    const int64_t far = ((int64_t)1 << 47) - 1;

    CHECK(s2s_rescale_reduced(3, 1 << 30, 0) == 2 && s2s_rescale_reduced(-3, 1 << 30, 0) == -1);
    CHECK(s2s_rescale_reduced(65536, 0x7fff7fff, 0) == 65534);
    CHECK(s2s_rescale_reduced(65536, INT32_MAX, 0) == 65534 && s2s_rescale_reduced(65536, 0x40008000, 0) == 32770);
    CHECK(s2s_rescale_reduced(far, 1 << 30, -16) == 1 << 30 && s2s_rescale_reduced(-far - 1, 1 << 30, -17) == -(1 << 29));
    CHECK(s2s_rescale_reduced(5, 1 << 30, 7) == 320 && s2s_rescale_reduced(5, 1 << 30, 14) == 40960);
}

void test_quantize(void)
{
    rounding_shift_takes_halves_away_from_zero();
    high_product_takes_halves_up();
    double_rounding_rounds_twice();
    short_forms_round_twice();
    saturation_keeps_what_fits();
    single_rounding_takes_halves_up();
    reduced_multiplier_has_sixteen_bits();
}
