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
    single_rounding_takes_halves_up();
    reduced_multiplier_has_sixteen_bits();
}
