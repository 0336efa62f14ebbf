/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-pair encoding; the tables are described in s2s_tokenizer.h. */
#include "s2s_tokenizer.h"

#include <string.h>

#define INVALID UINT32_C(0xFFFFFFFF) /* the code point of bytes that are no UTF-8 */

/* A text, and the tokens found so far. */
typedef struct encoder {
    const s2s_tokenizer *self;
    const uint8_t *text;
    size_t size;
    uint32_t *tokens;
    uint32_t *ranks; /* that of each token and the next one as a pair */
    uint32_t capacity;
    uint32_t count;
    s2s_status status;
} encoder;

/* The code point that begins at a byte before the end, and the place of the next one. */
static uint32_t code_point(const encoder *of, size_t at, size_t *next)
{
    static const uint32_t least[4] = {0u, 0x80u, 0x800u, 0x10000u};
    const uint8_t first = of->text[at];
    uint32_t value = first, more = 0u;

    *next = at + 1u;
    if (first < 0x80u) {
        return value;
    }
    if (first >= 0xC2u && first < 0xF5u) {
        more = first < 0xE0u ? 1u : first < 0xF0u ? 2u : 3u;
        value = first & (0x3Fu >> more);
    }
    if (more == 0u || more > of->size - at - 1u) {
        return INVALID;
    }
    for (uint32_t i = 1u; i <= more; ++i) {
        if ((of->text[at + i] & 0xC0u) != 0x80u) {
            return INVALID;
        }
        value = value << 6 | (of->text[at + i] & 0x3Fu);
    }
    if (value < least[more] || value > 0x10FFFFu || (value >= 0xD800u && value < 0xE000u)) {
        return INVALID;
    }
    *next = at + 1u + more;
    return value;
}

/* The number of the last pair whose first element is at most `value`, or `count`: the pairs are sorted. */
static uint32_t pair_at(const uint32_t *pairs, uint32_t count, uint32_t value)
{
    uint32_t low = 0u, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        if (pairs[2u * middle] <= value) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low > 0u ? low - 1u : count;
}

static bool is_in(const uint32_t *ranges, uint32_t count, uint32_t value)
{
    const uint32_t at = pair_at(ranges, count, value);

    return at < count && value <= ranges[2u * at + 1u];
}

typedef enum kind { END, SPACE, LINE_END, LETTER, NUMBER, OTHER } kind;

static bool is_space(uint32_t point)
{
    return (point >= 0x09u && point <= 0x0Du) || point == 0x20u || point == 0x85u || point == 0xA0u ||
           point == 0x1680u || (point >= 0x2000u && point <= 0x200Au) || point == 0x2028u || point == 0x2029u ||
           point == 0x202Fu || point == 0x205Fu || point == 0x3000u;
}

/* The kind of the character at a place up to `end`, and the place of the next one. */
static kind kind_at(const encoder *of, size_t at, size_t end, size_t *next)
{
    uint32_t point;
    kind found = OTHER;

    *next = at;
    if (at >= end) {
        return END;
    }
    point = code_point(of, at, next);
    if (point == 0x0Au || point == 0x0Du) {
        found = LINE_END;
    } else if (is_space(point)) {
        found = SPACE;
    } else if (is_in(of->self->letters, of->self->num_letters, point)) {
        found = LETTER;
    } else if (is_in(of->self->numbers, of->self->num_numbers, point)) {
        found = NUMBER;
    }
    return found;
}

/* The end of a run of characters of one kind, `most` of them at most. */
static size_t run_end(const encoder *of, size_t at, size_t end, kind wanted, uint32_t most)
{
    size_t next;

    for (uint32_t i = 0u; i < most && kind_at(of, at, end, &next) == wanted; ++i) {
        at = next;
    }
    return at;
}

/* The end of an apostrophe with s, t, re, ve, m, ll or d, or `at` if there is none. */
static size_t contraction_end(const encoder *of, size_t at, size_t end, bool any_case)
{
    static const char endings[] = "s t m d rellve";
    const size_t left = end - at;

    if (left < 2u || of->text[at] != (uint8_t)'\'') {
        return at;
    }
    for (size_t i = 0u; i < sizeof endings - 1u; i += 2u) {
        const size_t length = endings[i + 1u] == ' ' ? 1u : 2u;
        bool equal = left > length;
        for (size_t j = 0u; equal && j < length; ++j) {
            const uint8_t byte = of->text[at + 1u + j];
            equal = byte == (uint8_t)endings[i + j] || (any_case && byte == (uint8_t)(endings[i + j] - 32));
        }
        if (equal) {
            return at + 1u + length;
        }
    }
    return at;
}

/* The end of spaces: the last one of several stays for the word behind them. All but GPT2 end them at the last line
 * end. */
static size_t spaces_end(const encoder *of, size_t start, size_t end)
{
    size_t at = start, last = start, line = start, next;
    kind found;

    for (found = kind_at(of, at, end, &next); found == SPACE || found == LINE_END; found = kind_at(of, at, end, &next)) {
        last = at;
        at = next;
        line = found == LINE_END ? at : line;
    }
    if (of->self->words != S2S_WORDS_GPT2 && line > start) {
        return line;
    }
    return found == END || last == start ? at : last;
}

static size_t gpt2_word_end(const encoder *of, size_t start, size_t end)
{
    size_t at = contraction_end(of, start, end, false), next;
    kind found;

    if (at > start) {
        return at;
    }
    found = kind_at(of, start, end, &next);
    if (of->text[start] == (uint8_t)' ') {
        at = next;
        found = kind_at(of, at, end, &next);
    }
    if (found == LETTER || found == OTHER) {
        return run_end(of, at, end, found, UINT32_MAX);
    }
    return found == NUMBER ? run_end(of, at, end, NUMBER, of->self->digits) : spaces_end(of, start, end);
}

/* The end of a number; of other characters with a space before and line ends behind them; or of spaces. */
static size_t other_end(const encoder *of, size_t start, size_t end)
{
    const bool slashes = of->self->words == S2S_WORDS_TEKKEN;
    size_t at, next;
    const kind first = kind_at(of, start, end, &at);

    if (first == NUMBER) {
        return run_end(of, start, end, NUMBER, of->self->digits);
    }
    if (first != OTHER && (of->text[start] != (uint8_t)' ' || kind_at(of, at, end, &next) != OTHER)) {
        return spaces_end(of, start, end);
    }
    at = run_end(of, at, end, OTHER, UINT32_MAX);
    while (kind_at(of, at, end, &next) == LINE_END || (slashes && at < end && of->text[at] == (uint8_t)'/')) {
        at = next;
    }
    return at;
}

static size_t llama3_word_end(const encoder *of, size_t start, size_t end)
{
    const size_t at = contraction_end(of, start, end, true);
    size_t second, next;
    kind first;

    if (at > start) {
        return at;
    }
    first = kind_at(of, start, end, &second);
    if (first == LETTER || ((first == SPACE || first == OTHER) && kind_at(of, second, end, &next) == LETTER)) {
        return run_end(of, second, end, LETTER, UINT32_MAX);
    }
    return other_end(of, start, end);
}

/* The end of capitals and of small letters behind them, where letters without case and marks are both. If no small
 * letter is behind them, capitals at the end are left out: they begin a word of their own. */
static size_t cased_end(const encoder *of, size_t start, size_t end)
{
    const s2s_tokenizer *const self = of->self;
    size_t at = start, last = start, next = start;
    bool is_capital = true;

    while (at < end) {
        const uint32_t point = code_point(of, at, &next);
        const bool is_small = is_in(self->small, self->num_small, point);
        is_capital = is_capital && is_in(self->capitals, self->num_capitals, point);
        if (!is_capital && !is_small) {
            break;
        }
        at = next;
        last = is_small ? at : last;
    }
    return last;
}

static size_t capitals_end(const encoder *of, size_t start, size_t end)
{
    size_t at = start, next = start;

    while (at < end && is_in(of->self->capitals, of->self->num_capitals, code_point(of, at, &next))) {
        at = next;
    }
    return at;
}

static size_t tekken_word_end(const encoder *of, size_t start, size_t end)
{
    size_t second, at;
    const kind first = kind_at(of, start, end, &second);
    const size_t letters = first == SPACE || first == OTHER ? second : start;

    at = cased_end(of, letters, end);
    at = at > letters ? at : cased_end(of, start, end);
    if (at == start) {
        at = capitals_end(of, letters, end);
        at = at > letters ? at : capitals_end(of, start, end);
    }
    return at > start ? at : other_end(of, start, end);
}

/* The end of a run of characters of a cut, with a space before it where the cut takes one; its start if there is
 * none. */
static size_t cut_run_end(const encoder *of, const uint32_t *cut, size_t start, size_t end)
{
    const uint32_t *const set = &of->self->sets[2u * (size_t)cut[1]];
    size_t at = start, next;

    if (cut[0] == (uint32_t)S2S_CUT_SPACED_RUNS && is_space(code_point(of, start, &next)) && next < end) {
        size_t behind;
        at = is_in(set, cut[2], code_point(of, next, &behind)) ? next : start;
    }
    for (uint32_t i = 0u; i < cut[3] && at < end && is_in(set, cut[2], code_point(of, at, &next)); ++i) {
        at = next;
    }
    return at;
}

/* The end of the first piece of a text: of a run, or of what is before the first one. */
static size_t cut_end(const encoder *of, const uint32_t *cut, size_t start, size_t end)
{
    const bool is_last = cut[0] == (uint32_t)S2S_CUT_LAST_RUN;
    size_t at = start, run = start;

    while (at < end) {
        run = cut_run_end(of, cut, at, end);
        if (run > at && (!is_last || run == end)) {
            break;
        }
        if (run == at) {
            (void)code_point(of, at, &run);
        }
        at = run;
    }
    return at == start ? run : at;
}

/* The end of the piece that begins at a place, where `ends` has the ends that each cut has found, that of the text
 * before them. */
static size_t piece_end(const encoder *of, size_t *ends, size_t at)
{
    for (uint32_t i = 0u; i < of->self->num_cuts; ++i) {
        if (ends[i + 1u] <= at) {
            ends[i + 1u] = cut_end(of, &of->self->cuts[4u * (size_t)i], at, ends[i]);
        }
    }
    return ends[of->self->num_cuts];
}

static void add(encoder *to, uint32_t token)
{
    if (to->status != S2S_OK) {
        return;
    }
    if (to->count >= to->capacity) {
        to->status = S2S_ERR_SLOTS;
    } else if (token >= to->self->size) {
        to->status = S2S_ERR_NAME;
    } else {
        to->tokens[to->count] = token;
        to->count += 1u;
    }
}

/* The merge of two tokens, or null. */
static const uint32_t *merge_of(const s2s_tokenizer *self, uint32_t left, uint32_t right)
{
    uint32_t low = 0u, high = self->num_merges;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        const uint32_t *const merge = &self->merges[4u * (size_t)middle];
        if (merge[0] == left && merge[1] == right) {
            return merge;
        }
        if (merge[0] < left || (merge[0] == left && merge[1] < right)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static void rank(encoder *of, uint32_t at)
{
    const uint32_t *const merge = merge_of(of->self, of->tokens[at], of->tokens[at + 1u]);

    of->ranks[at] = merge != NULL ? merge[3] : S2S_TOKEN_NONE;
}

/* Merges neighbours from token number `first` on. */
static void merge_tokens(encoder *of, uint32_t first)
{
    for (uint32_t i = first; i + 1u < of->count; ++i) {
        rank(of, i);
    }
    while (of->count - first > 1u) {
        uint32_t best = first;
        for (uint32_t i = first + 1u; i + 1u < of->count; ++i) {
            best = of->ranks[i] < of->ranks[best] ? i : best;
        }
        if (of->ranks[best] == S2S_TOKEN_NONE) {
            break;
        }
        of->tokens[best] = merge_of(of->self, of->tokens[best], of->tokens[best + 1u])[2];
        of->count -= 1u;
        for (uint32_t i = best + 1u; i < of->count; ++i) {
            of->tokens[i] = of->tokens[i + 1u];
            of->ranks[i] = of->ranks[i + 1u];
        }
        if (best > first) {
            rank(of, best - 1u);
        }
        if (best + 1u < of->count) {
            rank(of, best);
        }
    }
}

/* Adds the tokens of the characters from `at` to `end`, or of their bytes. */
static void add_characters(encoder *of, size_t at, size_t end)
{
    const s2s_tokenizer *const self = of->self;

    while (at < end) {
        size_t next;
        const uint32_t point = code_point(of, at, &next);
        const uint32_t found = pair_at(self->characters, self->num_characters, point);
        if (found < self->num_characters && self->characters[2u * found] == point) {
            add(of, self->characters[2u * found + 1u]);
            at = next;
        }
        for (; at < next; ++at) {
            add(of, self->bytes[of->text[at]]);
        }
    }
}

/* The token with the text from `at` to `end`, or none. */
static uint32_t token_of(const encoder *of, size_t at, size_t end)
{
    const s2s_tokenizer *const self = of->self;
    const size_t length = end - at;
    uint32_t low = 0u, high = self->by_text != NULL ? self->size : 0u;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2u;
        size_t size;
        const char *const text = s2s_tokenizer_text(self, self->by_text[middle], &size);
        int order = memcmp(text, &of->text[at], size < length ? size : length);
        if (order == 0) {
            order = size < length ? -1 : size > length;
        }
        if (order == 0) {
            return self->by_text[middle];
        }
        if (order < 0) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return S2S_TOKEN_NONE;
}

/* Adds the tokens of a word. */
static void add_word(encoder *of, size_t at, size_t end, uint32_t first)
{
    const uint32_t whole = token_of(of, at, end);

    if (whole != S2S_TOKEN_NONE) {
        add(of, whole);
        return;
    }
    add_characters(of, at, end);
    if (of->status == S2S_OK) {
        merge_tokens(of, first);
    }
}

/* Encodes text without special tokens. */
static void add_text(encoder *of, size_t start, size_t end)
{
    const s2s_tokenizer *const self = of->self;
    size_t ends[S2S_CUTS + 1] = {0u};
    size_t at = start;

    ends[0] = end;
    while (at < end && of->status == S2S_OK) {
        const uint32_t first = of->count;
        size_t next = piece_end(of, ends, at);
        if (self->words == S2S_WORDS_GPT2) {
            next = gpt2_word_end(of, at, next);
        } else if (self->words == S2S_WORDS_LLAMA3) {
            next = llama3_word_end(of, at, next);
        } else if (self->words == S2S_WORDS_TEKKEN) {
            next = tekken_word_end(of, at, next);
        } else if (self->space_before) {
            const uint32_t space = pair_at(self->characters, self->num_characters, 0x20u);
            const bool known = space < self->num_characters && self->characters[2u * space] == 0x20u;
            add(of, known ? self->characters[2u * space + 1u] : self->bytes[0x20]);
        }
        add_word(of, at, next, first);
        at = next;
    }
}

/* The special token whose text stands at a place, or none. */
static uint32_t special_at(const encoder *of, size_t at, size_t *next)
{
    const s2s_tokenizer *const self = of->self;

    for (uint32_t i = 0u; i < self->num_special; ++i) {
        size_t size;
        const char *const text = s2s_tokenizer_text(self, self->special[i], &size);
        if (size > 0u && size <= of->size - at && memcmp(text, &of->text[at], size) == 0) {
            *next = at + size;
            return self->special[i];
        }
    }
    return S2S_TOKEN_NONE;
}

S2S_MERGED
s2s_status s2s_tokenizer_encode(const s2s_tokenizer *self, const char *text, size_t size, bool begin, uint32_t *tokens,
                                uint32_t *ranks, uint32_t capacity, uint32_t *count)
{
    encoder of = {self, (const uint8_t *)text, size, tokens, ranks, capacity, 0u, S2S_OK};
    size_t start = 0u, at = 0u;

    if (self == NULL || text == NULL || tokens == NULL || ranks == NULL || count == NULL) {
        return S2S_ERR_NULL;
    }
    if (begin && self->begin != S2S_TOKEN_NONE) {
        add(&of, self->begin);
    }
    while (at < size && of.status == S2S_OK) {
        size_t next = at + 1u;
        const uint32_t special = special_at(&of, at, &next);
        if (special != S2S_TOKEN_NONE) {
            add_text(&of, start, at);
            add(&of, special);
            start = next;
        }
        at = next;
    }
    if (of.status == S2S_OK) {
        add_text(&of, start, size);
    }
    *count = of.count;
    return of.status;
}
