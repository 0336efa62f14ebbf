/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a token by its probability; the rules are stated in s2s_sampler.h. */
#include "s2s_sampler.h"

#include <math.h>

/* Whether a comes before b: the larger logit, the smaller token of equal ones. No number comes last. */
static bool precedes(s2s_candidate a, s2s_candidate b)
{
    if (isnan(a.weight) || isnan(b.weight)) {
        return isnan(a.weight) ? (isnan(b.weight) && a.token < b.token) : true;
    }
    return a.weight > b.weight || (!(a.weight < b.weight) && a.token < b.token);
}

static uint32_t most_likely(const float *logits, uint32_t size)
{
    uint32_t best = 0u;

    for (uint32_t i = 1u; i < size; ++i) {
        if (logits[i] > logits[best] || (isnan(logits[best]) && !isnan(logits[i]))) {
            best = i;
        }
    }
    return best;
}

/* Lets the candidate at `root` sink in a binary heap whose first candidate precedes all others. */
static void sink(s2s_candidate *heap, uint32_t size, uint32_t root)
{
    const s2s_candidate moved = heap[root];
    uint32_t at = root;

    for (;;) {
        uint32_t child = 2u * at + 1u;
        if (child >= size) {
            break;
        }
        if (child + 1u < size && precedes(heap[child + 1u], heap[child])) {
            child += 1u;
        }
        if (!precedes(heap[child], moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Takes the first candidate out of a heap of `size`, to the place behind the rest. */
static void take_first(s2s_candidate *heap, uint32_t size)
{
    const s2s_candidate first = heap[0];

    heap[0] = heap[size - 1u];
    sink(heap, size - 1u, 0u);
    heap[size - 1u] = first;
}

/* A number in [0, 1) by SplitMix64 (Steele, Lea and Flood, 2014). */
static float uniform(s2s_sampler *sampler)
{
    uint64_t mixed;

    sampler->seed += UINT64_C(0x9E3779B97F4A7C15);
    mixed = sampler->seed;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    mixed ^= mixed >> 31;
    return (float)(mixed >> 40) * (1.0f / 16777216.0f);
}

/* Replaces logits by e to the power of (logit - largest) / temperature; returns their sum. */
static float exponentiate(s2s_candidate *of, uint32_t count, float largest, float temperature)
{
    float sum = 0.0f;

    for (uint32_t i = 0u; i < count; ++i) {
        const float distance = of[i].weight < largest ? (of[i].weight - largest) / temperature : 0.0f;
        of[i].weight = isnan(of[i].weight) ? 0.0f : expf(distance);
        sum += of[i].weight;
    }
    return sum;
}

/* Draws one of the candidates, whose weights sum up to `sum`, the last one first. */
static uint32_t draw(const s2s_candidate *from, uint32_t count, float wanted)
{
    float left = wanted;
    uint32_t i = count - 1u;

    while (i > 0u && left >= from[i].weight) {
        left -= from[i].weight;
        i -= 1u;
    }
    return from[i].token;
}

S2S_MERGED
s2s_status s2s_sampler_next(s2s_sampler *sampler, const float *logits, uint32_t size, s2s_candidate *candidates,
                            uint32_t *token)
{
    uint32_t kept, first;
    float sum, largest;

    if (sampler == NULL || logits == NULL || token == NULL) {
        return S2S_ERR_NULL;
    }
    if (size == 0u) {
        return S2S_ERR_SHAPE;
    }
    if (!(sampler->temperature > 0.0f)) {
        *token = most_likely(logits, size);
        return S2S_OK;
    }
    if (candidates == NULL) {
        return S2S_ERR_NULL;
    }
    for (uint32_t i = 0u; i < size; ++i) {
        candidates[i].weight = logits[i];
        candidates[i].token = i;
    }
    for (uint32_t i = size / 2u; i > 0u; --i) {
        sink(candidates, size, i - 1u);
    }
    /* The candidates that are kept stand at the end, the most likely one last. */
    largest = candidates[0].weight;
    kept = sampler->top_k > 0u && sampler->top_k < size ? sampler->top_k : size;
    for (uint32_t i = 0u; i < kept && kept < size; ++i) {
        take_first(candidates, size - i);
    }
    first = size - kept;
    sum = exponentiate(&candidates[first], kept, largest, sampler->temperature);
    if (sampler->top_p < 1.0f) {
        float mass = 0.0f;
        uint32_t count = 0u;
        while (count < kept && (count == 0u || mass < sampler->top_p * sum)) {
            if (kept == size) {
                take_first(candidates, size - count);
            }
            mass += candidates[size - 1u - count].weight;
            count += 1u;
        }
        first = size - count;
        kept = count;
        sum = mass;
    }
    *token = draw(&candidates[first], kept, uniform(sampler) * sum);
    return S2S_OK;
}
