#include "check.h"
#include "s2s_cache_read.h"

#include <string.h>

static const int8_t bytes[6] = {-128, -1, 0, 1, 127, 5};

static void flipped_bytes_keep_their_order(void)
{
    static const int8_t expected[6] = {0, 127, -128, -127, -1, -123};
    int8_t to[6];

    s2s_cache_read_flipped(to, bytes, 6);
    CHECK(memcmp(to, expected, sizeof to) == 0);
}

static void what_is_outside_is_filled(void)
{
    static const int8_t before[6] = {9, 9, 0, 127, -128, -127}, behind[6] = {-127, -1, -123, 9, 9, 9};
    static const int8_t nothing[2] = {9, 9}, column[4] = {9, 0, -128, -1};
    int8_t to[6];

    s2s_cache_read_flipped_clipped(to, bytes, -2, 6, 2, 60, 9);
    CHECK(memcmp(to, before, sizeof to) == 0);
    s2s_cache_read_flipped_clipped(to, bytes, 3, 6, -5, 3, 9);
    CHECK(memcmp(to, behind, sizeof to) == 0);
    s2s_cache_read_flipped_clipped(to, bytes, 3, 2, 4, 3, 9);
    CHECK(memcmp(to, nothing, sizeof nothing) == 0);
    s2s_cache_read_flipped_strided(to, bytes, -2, 2, 4, 1, 4, 9);
    CHECK(memcmp(to, column, sizeof column) == 0);
    s2s_cache_read_flipped_fill(to, 2, 9);
    CHECK(memcmp(to, nothing, sizeof nothing) == 0);
}

void test_cache_read(void)
{
    flipped_bytes_keep_their_order();
    what_is_outside_is_filled();
}
