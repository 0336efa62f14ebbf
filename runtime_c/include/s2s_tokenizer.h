/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_tokenizer.h: split text into the tokens of a language model by byte-pair encoding, and turn tokens into text.
 *
 *     static uint32_t tokens[64], ranks[64];
 *     uint32_t count;
 *
 *     s2s_status status = s2s_tokenizer_encode(&decoder_tokenizer, "Hello", 5u, true, tokens, ranks, 64u, &count);
 *
 * Text is cut into words, a word into characters or bytes, and neighbours that the table of merges knows become one
 * token, the pair of the lowest rank first, the leftmost of equal ones. The tables are constants of the tree. */
#ifndef S2S_TOKENIZER_H
#define S2S_TOKENIZER_H

#include "s2s.h"

#ifdef __cplusplus
extern "C" {
#endif

#define S2S_TOKEN_NONE UINT32_C(0xFFFFFFFF)

/* How text is cut into words, which are encoded apart from each other. */
typedef enum s2s_words {
    S2S_WORDS_NONE,   /* not at all */
    S2S_WORDS_GPT2,   /* letters, digits or other characters with a space before them; English contractions; spaces */
    S2S_WORDS_LLAMA3, /* likewise, but any other character may stand before letters, and line ends stay with what ends
                       * in them; digits in groups */
    S2S_WORDS_TEKKEN  /* likewise, but capitals begin a word, and there are no contractions */
} s2s_words;

/* How text is cut into pieces before each of them is cut into words. */
typedef enum s2s_cut {
    S2S_CUT_RUNS,        /* runs of characters of a set are pieces, and what is between them */
    S2S_CUT_SPACED_RUNS, /* likewise, but a space before a run belongs to it */
    S2S_CUT_LAST_RUN     /* such a run at the end is a piece, and what is before it */
} s2s_cut;

#define S2S_CUTS 6 /* the most cuts, each of the pieces that the one before leaves */

typedef struct s2s_tokenizer {
    const uint8_t *text;        /* the texts of all tokens, one after the other */
    const uint32_t *starts;     /* [size + 1] where the text of each token begins */
    const uint32_t *merges;     /* [num_merges][4] left, right, both as one token, rank; sorted by left, then right */
    const uint32_t *characters; /* [num_characters][2] code point, token; sorted */
    const uint32_t *bytes;      /* [256] the token of a byte that is not part of a known character, or none */
    const uint32_t *special;    /* [num_special] tokens that stand for themselves in text, the longest first */
    const uint32_t *letters;    /* [num_letters][2] the first and last of code points that are letters; sorted */
    const uint32_t *numbers;    /* [num_numbers][2] likewise for numbers */
    const uint32_t *capitals;   /* [num_capitals][2] likewise for all letters but small ones, and marks */
    const uint32_t *small;      /* [num_small][2] likewise for all letters but capitals, and marks */
    const uint32_t *cuts;       /* [num_cuts][4] s2s_cut; the first range of its set, their number; the most characters
                                 * of a run */
    const uint32_t *sets;       /* [...][2] the ranges of all sets of cuts, each sorted */
    const uint32_t *ends;       /* [num_ends] the tokens that end what a model writes; sorted */
    const uint32_t *by_text;    /* [size] all tokens, sorted by their texts, where a word that is the text of a token
                                 * becomes that token whatever the merges; else null */
    uint32_t size;
    uint32_t num_merges;
    uint32_t num_characters;
    uint32_t num_special;
    uint32_t num_letters;
    uint32_t num_numbers;
    uint32_t num_capitals;
    uint32_t num_small;
    uint32_t num_cuts;
    uint32_t num_ends;
    uint32_t begin; /* the token before the first one of a text, or none */
    s2s_words words;
    uint32_t digits;   /* the most in one word */
    bool space_before; /* whether text gets a space before it, where neither text nor a word is before */
} s2s_tokenizer;

/* Encodes text of `size` bytes, whatever they are. `begin` puts the token for that first, where the model has one.
 * `tokens` and `ranks`, which is scratch, have `capacity` elements; as many as bytes and two suffice for text without
 * special tokens. Returns S2S_ERR_SLOTS if they are too few, S2S_ERR_NAME for a byte that no token stands for. */
s2s_status s2s_tokenizer_encode(const s2s_tokenizer *self, const char *text, size_t size, bool begin, uint32_t *tokens,
                                uint32_t *ranks, uint32_t capacity, uint32_t *count);

/* The bytes of a token, without a zero at their end: not always whole characters. Null if there is no such token. */
S2S_INLINE const char *s2s_tokenizer_text(const s2s_tokenizer *self, uint32_t token, size_t *size)
{
    if (token >= self->size) {
        *size = 0u;
        return NULL;
    }
    *size = self->starts[token + 1u] - self->starts[token];
    return (const char *)&self->text[self->starts[token]];
}

/* Whether a token ends what a model writes: a text, an answer, or a call of a tool. */
S2S_INLINE bool s2s_tokenizer_is_end(const s2s_tokenizer *self, uint32_t token)
{
    for (uint32_t i = 0u; i < self->num_ends; ++i) {
        if (self->ends[i] == token) {
            return true;
        }
    }
    return false;
}

#ifdef __cplusplus
}
#endif
#endif
