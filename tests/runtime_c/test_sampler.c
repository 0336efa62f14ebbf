/* Drawing tokens: the most likely one, limits, shares, seeds, and logits that are no numbers. */
#include "check.h"

#include "s2s_sampler.h"

#include <math.h>

#define SIZE 6u
#define DRAWS 20000u

static const float logits[SIZE] = {0.5f, 2.0f, -1.0f, 2.0f, 1.0f, 0.0f};
static s2s_candidate candidates[SIZE];

static uint32_t draw(s2s_sampler *sampler, const float *from, uint32_t size)
{
    uint32_t token = 99u;

    CHECK_STATUS(S2S_OK, s2s_sampler_next(sampler, from, size, candidates, &token));
    return token;
}

/* Counts how often each token is drawn. */
static void count(s2s_sampler sampler, uint32_t *counts)
{
    for (uint32_t i = 0u; i < SIZE; ++i) {
        counts[i] = 0u;
    }
    for (uint32_t i = 0u; i < DRAWS; ++i) {
        counts[draw(&sampler, logits, SIZE)] += 1u;
    }
}

static bool is_share(uint32_t found, double share)
{
    return fabs((double)found / DRAWS - share) < 0.015;
}

static void test_the_most_likely(void)
{
    const float strange[4] = {NAN, 1.0f, NAN, 3.0f}, nothing[2] = {NAN, NAN};
    s2s_sampler greedy = {1u, 0.0f, 1.0f, 0u}, first = {1u, 1.0f, 1.0f, 1u}, narrow = {1u, 1.0f, 0.0f, 0u};

    CHECK(draw(&greedy, logits, SIZE) == 1u);
    CHECK(greedy.seed == 1u);
    CHECK(draw(&greedy, strange, 4u) == 3u);
    CHECK(draw(&greedy, nothing, 2u) == 0u);
    for (int i = 0; i < 20; ++i) {
        CHECK(draw(&first, logits, SIZE) == 1u);
        CHECK(draw(&narrow, logits, SIZE) == 1u);
        CHECK(draw(&first, strange, 4u) == 3u);
        CHECK(draw(&narrow, strange, 4u) == 3u);
        CHECK(draw(&first, nothing, 2u) == 0u);
    }
}

static void test_shares(void)
{
    uint32_t counts[SIZE];
    double sum = 0.0, two = exp(2.0) + exp(2.0), three = two + exp(1.0);
    const s2s_sampler all = {7u, 1.0f, 1.0f, 0u}, best = {7u, 1.0f, 1.0f, 3u}, mass = {7u, 1.0f, 0.7f, 0u};
    const s2s_sampler both = {7u, 1.0f, 0.95f, 3u}, cold = {7u, 0.5f, 1.0f, 3u};

    for (uint32_t i = 0u; i < SIZE; ++i) {
        sum += exp((double)logits[i]);
    }
    count(all, counts);
    for (uint32_t i = 0u; i < SIZE; ++i) {
        CHECK(is_share(counts[i], exp((double)logits[i]) / sum));
    }
    count(best, counts);
    CHECK(is_share(counts[1], exp(2.0) / three) && is_share(counts[4], exp(1.0) / three));
    CHECK(counts[0] + counts[2] + counts[5] == 0u);
    count(mass, counts); /* the first two have 0.72 */
    CHECK(is_share(counts[1], 0.5) && counts[1] + counts[3] == DRAWS);
    count(both, counts); /* the first two have 0.84 of three */
    CHECK(is_share(counts[4], exp(1.0) / three) && counts[1] + counts[3] + counts[4] == DRAWS);
    count(cold, counts);
    CHECK(is_share(counts[4], exp(2.0) / (2.0 * exp(4.0) + exp(2.0))));
}

static void test_seeds(void)
{
    s2s_sampler one = {3u, 1.0f, 1.0f, 0u}, same = one, other = {4u, 1.0f, 1.0f, 0u};
    uint32_t differ = 0u;

    for (int i = 0; i < 50; ++i) {
        const uint32_t token = draw(&one, logits, SIZE);
        CHECK(token == draw(&same, logits, SIZE));
        differ += token != draw(&other, logits, SIZE);
    }
    CHECK(differ > 0u);
}

static void test_infinities(void)
{
    const float up[3] = {0.0f, INFINITY, 1.0f}, down[2] = {-INFINITY, -INFINITY};
    s2s_sampler sampler = {5u, 1.0f, 1.0f, 0u};

    for (int i = 0; i < 20; ++i) {
        CHECK(draw(&sampler, up, 3u) == 1u);
        CHECK(draw(&sampler, down, 2u) < 2u);
    }
}

static void test_refusals(void)
{
    s2s_sampler sampler = {0u, 1.0f, 1.0f, 0u};
    uint32_t token;

    CHECK_STATUS(S2S_ERR_NULL, s2s_sampler_next(NULL, logits, SIZE, candidates, &token));
    CHECK_STATUS(S2S_ERR_NULL, s2s_sampler_next(&sampler, NULL, SIZE, candidates, &token));
    CHECK_STATUS(S2S_ERR_NULL, s2s_sampler_next(&sampler, logits, SIZE, candidates, NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_sampler_next(&sampler, logits, SIZE, NULL, &token));
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_sampler_next(&sampler, logits, 0u, candidates, &token));
    sampler.temperature = 0.0f;
    CHECK_STATUS(S2S_OK, s2s_sampler_next(&sampler, logits, SIZE, NULL, &token));
}

void test_sampler(void)
{
    test_the_most_likely();
    test_shares();
    test_seeds();
    test_infinities();
    test_refusals();
}
