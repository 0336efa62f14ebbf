/* Windows that move through memory. */
#include "check.h"
#include "s2s_window.h"

#include <string.h>

/* Two new elements a run in a window of four: in memory of eight, every third run copies. */
static void windows_hold_the_last_elements(void)
{
    static const int32_t starts[] = {2, 4, 0, 2, 4, 0, 2};
    int32_t memory[8] = {0, 0, 0, 0, -1, -1, -1, -1};
    int32_t position = 0;

    for (int32_t run = 0; run < 7; ++run) {
        int32_t *const window = s2s_advance(memory, &position, 4 * sizeof *memory, 2 * sizeof *memory, 4 * sizeof *memory);

        window[2] = 2 * run + 1;
        window[3] = 2 * run + 2;
        CHECK(window == memory + starts[run]);
        CHECK(s2s_window(memory, &position) == window);
        CHECK((size_t)position == (size_t)starts[run] * sizeof *memory);
        for (int32_t i = 0; i < 4; ++i) {
            const int32_t expected = 2 * run - 1 + i;

            CHECK(window[i] == (expected > 0 ? expected : 0));
        }
    }
}

static void windows_without_slack_are_copied(void)
{
    char memory[] = "abcd";
    int32_t position = 0;

    CHECK(s2s_advance(memory, &position, 4, 1, 0) == memory);
    CHECK(position == 0 && memcmp(memory, "bcd", 3) == 0);
}

/* Words that overlap what they are moved to, and bytes behind the last word. */
static void bytes_move_by_any_distance(void)
{
    for (uint8_t by = 1; by < 9; ++by) {
        uint8_t bytes[30];

        for (uint8_t i = 0; i < 30; ++i) {
            bytes[i] = i;
        }
        s2s_move_down(&bytes[1], 28, by);
        CHECK(bytes[0] == 0 && bytes[29] == 29);
        for (uint8_t i = 1; i < 29 - by; ++i) {
            CHECK(bytes[i] == i + by);
        }
    }
}

void test_window(void)
{
    bytes_move_by_any_distance();
    windows_hold_the_last_elements();
    windows_without_slack_are_copied();
}
