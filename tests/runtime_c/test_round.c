/* Numbers that are rounded and saturated to bytes. */
#include "check.h"
#include "s2s_lanes.h"
#include "s2s_round.h"
#include "s2s_round_lanes.h"

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

static void lanes_round_as_numbers_do(void)
{
    static const float x[8] = {0.5f, -2.5f, 126.5f, 1e9f, -3e38f, 0.49999997f, -127.5f, 3.0f};

    for (int32_t zero_point = -128; zero_point < 128; zero_point += 5) {
        for (int32_t i = 0; i < 8; i += 4) {
            int8_t bytes[4];
            const s2s_i32x4 lanes = s2s_i32x4_quantize_i8(s2s_f32x4_load(&x[i]), zero_point);

            s2s_i32x4_store_i8(bytes, lanes);
            for (int32_t k = 0; k < 4; k++) {
                CHECK(bytes[k] == s2s_f32_quantize_i8(x[i + k], zero_point));
            }
        }
    }
}

void test_round(void)
{
    lanes_round_as_numbers_do();
    halves_go_to_even_numbers();
    large_numbers_are_limited();
}
