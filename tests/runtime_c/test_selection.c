/* Positions of true elements, and boxes that overlap little. */
#include "check.h"
#include "s2s_nonzero.h"
#include "s2s_suppress.h"

#include <string.h>

static void positions_are_in_order(void)
{
    static const bool mask[] = {false, true, true, false, true};
    static const int32_t expected[] = {1, 2, 4};
    const int32_t count = 3;
    int32_t places[3] = {-1, -1, -1};

    s2s_nonzero_bool(places, mask, &count, 5, 3);
    CHECK(memcmp(places, expected, sizeof places) == 0);
}

static void positions_end_at_the_bound(void)
{
    static const bool mask[] = {true, true, true};
    const int32_t count = 3;
    int32_t places[3] = {-1, -1, -1};

    s2s_nonzero_bool(places, mask, &count, 3, 2);
    CHECK(places[1] == 1 && places[2] == -1);
}

/* Boxes 0 and 1 share 81 of 119 parts, 2 lies apart, 3 is empty; two classes, the second with one high score. */
static void boxes_are_taken_by_score(void)
{
    static const float corners[] = {0.0f, 0.0f, 10.0f, 10.0f, 11.0f, 11.0f, 1.0f, 1.0f,
                                    0.0f, 20.0f, 5.0f, 25.0f, 3.0f, 3.0f, 3.0f, 3.0f};
    static const float centres[] = {5.0f, 5.0f, 10.0f, 10.0f, 6.0f, 6.0f, 10.0f, 10.0f,
                                    2.5f, 22.5f, 5.0f, 5.0f, 3.0f, 3.0f, 0.0f, 0.0f};
    static const float scores[] = {0.5f, 0.9f, 0.6f, 0.7f, 0.1f, 0.2f, 0.95f, 0.1f};
    static const int32_t expected[] = {1, 3, 2, 2, -1, -1};
    const float overlap = 0.5f, least = 0.3f;
    float high[4];
    int32_t places[8], taken[6];
    uint32_t scratch[S2S_SELECT_WORDS(4)];

    s2s_suppressed_f32(taken, high, places, scratch, corners, scores, &overlap, &least, 1, 2, 4, 3, 0);
    CHECK(memcmp(taken, expected, sizeof taken) == 0);
    s2s_suppressed_f32(taken, high, places, scratch, centres, scores, &overlap, &least, 1, 2, 4, 3, 1);
    CHECK(memcmp(taken, expected, sizeof taken) == 0);
}

/* Three boxes of one score, the last two beside the first: in the order of their places. */
static void boxes_apart_are_all_taken(void)
{
    static const float corners[] = {0.0f, 0.0f, 1.0f, 1.0f, 0.0f, 2.0f, 1.0f, 3.0f, 2.0f, 0.0f, 3.0f, 1.0f};
    static const float scores[] = {0.5f, 0.5f, 0.5f};
    static const int32_t expected[] = {0, 1, 2};
    const float overlap = 0.0f, least = 0.0f;
    float high[3];
    int32_t places[6], taken[3];
    uint32_t scratch[S2S_SELECT_WORDS(3)];

    s2s_suppressed_f32(taken, high, places, scratch, corners, scores, &overlap, &least, 1, 1, 3, 3, 0);
    CHECK(memcmp(taken, expected, sizeof taken) == 0);
}

/* They share 81 of 119 parts, 0.68. */
static void a_box_over_another_one_is_taken_up_to_the_limit(void)
{
    static const float corners[] = {0.0f, 0.0f, 10.0f, 10.0f, 11.0f, 11.0f, 1.0f, 1.0f};
    static const float centres[] = {5.0f, 5.0f, 10.0f, 10.0f, 6.0f, 6.0f, 10.0f, 10.0f};
    static const float scores[] = {0.5f, 0.9f}, limits[] = {0.5f, 0.7f};
    static const int32_t expected[2][2] = {{1, -1}, {1, 0}};
    const float least = 0.0f;
    float high[2];
    int32_t places[4], taken[2];
    uint32_t scratch[S2S_SELECT_WORDS(2)];

    for (int32_t i = 0; i < 4; ++i) {
        const float *const boxes = i < 2 ? corners : centres;
        s2s_suppressed_f32(taken, high, places, scratch, boxes, scores, &limits[i % 2], &least, 1, 1, 2, 2, i / 2);
        CHECK(memcmp(taken, expected[i % 2], sizeof taken) == 0);
    }
}

static void no_box_is_taken_below_the_least_score(void)
{
    static const float box[] = {0.0f, 0.0f, 1.0f, 1.0f};
    const float score = 0.2f, overlap = 0.5f, least = 0.2f;
    float high[1];
    int32_t places[2], taken = 0;
    uint32_t scratch[S2S_SELECT_WORDS(1)];

    s2s_suppressed_f32(&taken, high, places, scratch, box, &score, &overlap, &least, 1, 1, 1, 1, 0);
    CHECK(taken == -1);
}

void test_selection(void)
{
    positions_are_in_order();
    positions_end_at_the_bound();
    boxes_are_taken_by_score();
    boxes_apart_are_all_taken();
    a_box_over_another_one_is_taken_up_to_the_limit();
    no_box_is_taken_below_the_least_score();
}
