#include "check.h"
#include "s2s_windows.h"

static const int8_t bytes[40] = {[0] = -128, [1] = 127, [7] = 3, [9] = -4, [10] = 5, [16] = 6, [25] = -128, [30] = 2};
static const int8_t taps[32] = {[0] = -127, [1] = 2, [7] = 5, [8] = 7, [15] = -8, [16] = 127, [24] = 9, [31] = 1};

static int32_t expected(int32_t acc, int32_t distance, int32_t rows, int32_t group)
{
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t k = 0; k < group; ++k) {
            acc += bytes[r * distance + k] * taps[r * group + k];
        }
    }
    return acc;
}

void test_windows(void)
{
    CHECK(s2s_i8_dot_window_by_8(11, bytes, 9, taps, 3) == expected(11, 9, 3, 8));
    CHECK(s2s_i8_dot_window_by_8(-5, bytes, 0, taps, 1) == -5 + 128 * 127 + 254 + 15);
    CHECK(s2s_i8_dot_window_by_16(11, bytes, 16, taps, 2) == expected(11, 16, 2, 16));
    CHECK(s2s_i8_dot_window_by_16(11, bytes, 9, taps, 2) == expected(11, 9, 2, 16));
}
