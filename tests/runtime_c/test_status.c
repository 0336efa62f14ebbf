#include "check.h"
#include "s2s.h"
#include "s2s_arena.h"

#include <string.h>

S2S_ARENA(arena, 40, 64);
S2S_ARENA(empty_arena, 0, 4);

static void every_status_has_its_own_phrase(void)
{
    for (int i = S2S_ERR_PACK_SIGNATURE; i <= S2S_MORE; ++i) {
        const char *const phrase = s2s_status_phrase((s2s_status)i);

        CHECK(strcmp(phrase, "unknown status") != 0);
        for (int j = S2S_ERR_PACK_SIGNATURE; j < i; ++j) {
            CHECK(strcmp(phrase, s2s_status_phrase((s2s_status)j)) != 0);
        }
    }
    CHECK(strcmp(s2s_status_phrase((s2s_status)(S2S_ERR_PACK_SIGNATURE - 1)), "unknown status") == 0);
    CHECK(strcmp(s2s_status_phrase((s2s_status)(S2S_MORE + 1)), "unknown status") == 0);
}

static void errors_are_negative_and_success_is_zero(void)
{
    CHECK(S2S_OK == 0);
    CHECK(S2S_DONE > 0);
    CHECK(S2S_MORE > 0);
    CHECK(S2S_ERR_NULL < 0);
}

static void alignment_is_seen(void)
{
    CHECK(s2s_is_aligned(arena, 64));
    CHECK(!s2s_is_aligned(arena + 4, 8));
    CHECK(s2s_is_aligned(arena + 1, 1));
    CHECK(s2s_is_aligned(NULL, 64));
}

static void arenas_are_checked(void)
{
    CHECK(sizeof arena == 40u);
    CHECK(sizeof empty_arena == 1u);
    CHECK_STATUS(S2S_OK, s2s_arena_check(arena, sizeof arena, 40u, 64u));
    CHECK_STATUS(S2S_OK, s2s_arena_check(NULL, 0u, 0u, 64u));
    CHECK_STATUS(S2S_OK, s2s_arena_check(empty_arena, sizeof empty_arena, 0u, 4u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_arena_check(NULL, 0u, 1u, 64u));
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_arena_check(arena + 4, 32u, 32u, 64u));
    CHECK_STATUS(S2S_ERR_ARENA_SIZE, s2s_arena_check(arena, 39u, 40u, 64u));
}

void test_status(void)
{
    every_status_has_its_own_phrase();
    errors_are_negative_and_success_is_zero();
    alignment_is_seen();
    arenas_are_checked();
}
