/* Numbers that are rounded and saturated to bytes. */
#include "check.h"
#include "s2s_round.h"

#include <math.h>
#include <stdint.h>

static void halves_go_to_even_numbers(void)
{
    CHECK(s2s_f32_quantize_i8(0.5f, 0) == 0);
    CHECK(s2s_f32_quantize_i8(1.5f, 0) == 2);
    CHECK(s2s_f32_quantize_i8(-2.5f, 0) == -2);
    CHECK(s2s_f32_quantize_i8(2.5f, -1) == 1);
    CHECK(s2s_f32_quantize_i8(0.49999997f, 3) == 3);
}

static void large_numbers_are_limited(void)
{
    CHECK(s2s_f32_quantize_i8(126.5f, 0) == 126);
    CHECK(s2s_f32_quantize_i8(127.5f, 0) == 127);
    CHECK(s2s_f32_quantize_i8(255.5f, -128) == 127);
    CHECK(s2s_f32_quantize_i8(-1e6f, 127) == -128);
    CHECK(s2s_f32_quantize_i8(3e9f, 127) == 127);
    CHECK(s2s_f32_quantize_i8(-3e38f, -128) == -128);
    CHECK(s2s_f32_quantize_i8(INFINITY, 0) == 127);
    CHECK(s2s_f32_quantize_i8(-INFINITY, 0) == -128);
}

void test_round(void)
{
    halves_go_to_even_numbers();
    large_numbers_are_limited();
}
