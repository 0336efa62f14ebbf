/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_sampler.h: choose the next token of a language model by its logits.
 *
 *     static s2s_candidate candidates[DECODER_LOGITS_SIZE];
 *     s2s_sampler sampler = {42u, 0.8f, 0.95f, 40u};
 *     uint32_t token;
 *
 *     s2s_status status = s2s_sampler_next(&sampler, logits, DECODER_LOGITS_SIZE, candidates, &token);
 *
 * Logits are divided by the temperature; the `top_k` most likely tokens are kept; of these as few of the most likely as
 * together have a probability of `top_p` at least; one of them is drawn by its probability. The same seed, settings and
 * logits give the same tokens. Of equal logits the first one counts as the larger; NaN is never chosen while there is a
 * number. */
#ifndef S2S_SAMPLER_H
#define S2S_SAMPLER_H

#include "s2s.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct s2s_sampler {
    uint64_t seed;     /* the state of the random numbers: each draw changes it */
    float temperature; /* 0 or less: the most likely token (greedy) */
    float top_p;       /* 1 or more: all */
    uint32_t top_k;    /* 0: all */
} s2s_sampler;

/* Scratch of the sampler: one for each logit. */
typedef struct s2s_candidate {
    float weight;
    uint32_t token;
} s2s_candidate;

/* Chooses a token. Returns S2S_ERR_NULL for a missing pointer (candidates may be null where the temperature is 0), and
 * S2S_ERR_SHAPE if there are no logits. */
s2s_status s2s_sampler_next(s2s_sampler *sampler, const float *logits, uint32_t size, s2s_candidate *candidates,
                            uint32_t *token);

#ifdef __cplusplus
}
#endif
#endif
