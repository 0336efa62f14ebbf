#include "check.h"
#include "s2s_windows.h"

static const int8_t bytes[32] = {[0] = -128, [1] = 127, [7] = 3, [9] = -4, [10] = 5, [16] = 6, [25] = -128, [30] = 2};
static const int8_t taps[64] = {[0] = -127, [1] = 2,    [7] = 5,  [8] = 7,   [9] = 127,
                                [14] = 9,   [15] = -8, [23] = 3, [30] = -4, [63] = 127};

static int32_t expected(int32_t acc, int32_t at, int32_t count, int32_t row)
{
    for (int32_t k = 0; k < count; ++k) {
        acc += bytes[at + k] * taps[row * count + k];
    }
    return acc;
}

void test_windows(void)
{
    const s2s_row8 w8 = s2s_row8_load(taps);
    const s2s_row16 w16 = s2s_row16_load(taps);

    CHECK(s2s_row8_dot(11, s2s_row8_load(bytes), w8) == 11 + 128 * 127 + 254 + 15);
    CHECK(s2s_row8_dot(-5, s2s_row8_load_at(bytes, 9), w8) == expected(-5, 9, 8, 0));
    CHECK(s2s_row16_dot(11, s2s_row16_load(bytes), w16) == expected(11, 0, 16, 0));
    CHECK(s2s_row16_dot(0, s2s_row16_load_at(bytes, 16), w16) == expected(0, 16, 16, 0));

    const s2s_i32x4 acc = s2s_i32x4_splat(3);
    const s2s_i32x4 by8 = s2s_i32x4_dot_rows8(acc, s2s_row8_load(bytes), s2s_rows8_load(taps));
    const s2s_i32x4 by16 = s2s_i32x4_dot_rows16(acc, s2s_row16_load(bytes), s2s_rows16_load(taps));

    for (int32_t row = 0; row < 4; ++row) {
        CHECK(s2s_i32x4_lane(by8, row) == expected(3, 0, 8, row));
        CHECK(s2s_i32x4_lane(by16, row) == expected(3, 0, 16, row));
    }
}
