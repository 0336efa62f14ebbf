/* Byte-pair encoding: merges, words, bytes, special tokens, and what is refused. */
#include "check.h"

#include "s2s_tokenizer.h"

#include <string.h>

#define ROOM 64u
#define BYTES 256u
#define NONE S2S_TOKEN_NONE

/* Tokens 0 to 255 are bytes; these follow. */
enum { HE = 256, LL, HELL, LLO, HELLO, SPACE_HE, BEGIN, MARK, MARKED, UMLAUT, TOKENS };

static const char *const more[] = {"he", "ll", "hell", "llo", "hello", " he", "<s>", "<m>", "<m>!", "\xC3\xBC"};
static uint8_t text[BYTES + 64u];
static uint32_t starts[TOKENS + 1], bytes[BYTES], by_text[TOKENS];
/* he 0, ll 1, hell 2, llo 2, hello 4, " he" 5, sorted */
static const uint32_t merges[] = {
    ' ', HE, SPACE_HE, 5, 'h', 'e', HE, 0, 'l', 'l', LL, 1, HE, LL, HELL, 2, LL, 'o', LLO, 2, HELL, 'o', HELLO, 4,
};
static const uint32_t characters[] = {'e', 'e', 0xFC, UMLAUT};
static const uint32_t special[] = {MARKED, MARK};
static const uint32_t letters[] = {'A', 'Z', 'a', 'z', 0xC0, 0x2FF, 0x4E00, 0x9FFF, 0x10000, 0x10100};
static const uint32_t numbers[] = {'0', '9', 0xB2, 0xB3};
static const uint32_t capitals[] = {'A', 'Z', 0x4E00, 0x9FFF};
static const uint32_t small[] = {'a', 'z', 0x4E00, 0x9FFF};
static const uint32_t sets[] = {'0', '9', 0xB2, 0xB3, 'a', 'z', '!', '/', ' ', ' '};
static const uint32_t ends[] = {BEGIN, MARK};
static s2s_tokenizer tokenizer = {
    text, starts, merges, NULL, bytes, special, letters, numbers, capitals, small, NULL, sets, ends, NULL, TOKENS, 6, 0, 2,
    5, 2, 2, 2, 0, 2, BEGIN, S2S_WORDS_NONE, UINT32_MAX, false,
};
static uint32_t tokens[ROOM], ranks[ROOM], count;

static void prepare(void)
{
    uint32_t at = 0u;

    for (uint32_t i = 0u; i < BYTES; ++i) {
        bytes[i] = i;
        starts[i] = at;
        text[at] = (uint8_t)i;
        at += 1u;
    }
    for (uint32_t i = 0u; i + BYTES < TOKENS; ++i) {
        starts[BYTES + i] = at;
        memcpy(&text[at], more[i], strlen(more[i]));
        at += (uint32_t)strlen(more[i]);
    }
    starts[TOKENS] = at;
}

static s2s_status encode(const char *what, size_t size)
{
    return s2s_tokenizer_encode(&tokenizer, what, size, false, tokens, ranks, ROOM, &count);
}

/* Whether the text of bytes is encoded as the tokens that end with NONE. */
static bool gives(const char *what, const uint32_t *expected)
{
    uint32_t i = 0u;

    CHECK_STATUS(S2S_OK, encode(what, strlen(what)));
    while (i < count && tokens[i] == expected[i]) {
        i += 1u;
    }
    return i == count && expected[i] == NONE;
}

static void test_merges(void)
{
    const uint32_t hello[] = {HELLO, NONE}, shell[] = {'s', HELL, NONE}, lllo[] = {LL, 'l', 'o', NONE};
    const uint32_t space[] = {SPACE_HE, LLO, NONE};

    tokenizer.words = S2S_WORDS_NONE;
    CHECK(gives("hello", hello));
    CHECK(gives("shell", shell));
    CHECK(gives("lllo", lllo)); /* of equal pairs the left one */
    CHECK(gives(" hello", (const uint32_t[]){' ', HELLO, NONE}));
    CHECK(gives(" hel", (const uint32_t[]){SPACE_HE, 'l', NONE}));
    CHECK(!gives(" hello", space));
    CHECK(gives("", (const uint32_t[]){NONE}));
}

static void test_characters(void)
{
    const uint32_t umlaut[] = {'e', UMLAUT, 0xC3, 0xA4, NONE};

    tokenizer.characters = characters;
    tokenizer.num_characters = 2u;
    CHECK(gives("e\xC3\xBC\xC3\xA4", umlaut));
    tokenizer.space_before = true;
    CHECK(gives("hello", (const uint32_t[]){' ', HELLO, NONE}));
    tokenizer.characters = (const uint32_t[]){' ', SPACE_HE};
    tokenizer.num_characters = 1u;
    CHECK(gives("x", (const uint32_t[]){SPACE_HE, 'x', NONE}));
    tokenizer.num_characters = 0u;
    tokenizer.space_before = false;
}

static void test_bytes_that_are_no_text(void)
{
    static const char *const invalid[] = {"\x80", "\xC3", "\xE2\x82", "\xC3(", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                          "\xE0\x80\x80", "\xFF"};

    for (size_t i = 0u; i < sizeof invalid / sizeof *invalid; ++i) {
        CHECK_STATUS(S2S_OK, encode(invalid[i], strlen(invalid[i])));
        CHECK(count == strlen(invalid[i]) && tokens[0] == (uint8_t)invalid[i][0]);
    }
    CHECK_STATUS(S2S_OK, encode("a\0b", 3u));
    CHECK(count == 3u && tokens[1] == 0u);
}

/* Whether words begin at the places of each x in `marks` and nowhere else: a word becomes its first byte. */
static bool cuts(const char *what, const char *marks)
{
    static uint32_t join[4u * BYTES * BYTES];
    const s2s_tokenizer kept = tokenizer;
    uint32_t words = 0u;
    bool equal = strlen(marks) <= strlen(what);

    for (uint32_t i = 0u; i < BYTES * BYTES; ++i) {
        join[4u * i] = i / BYTES;
        join[4u * i + 1u] = i % BYTES;
        join[4u * i + 2u] = i / BYTES;
    }
    tokenizer.merges = join;
    tokenizer.num_merges = BYTES * BYTES;
    CHECK_STATUS(S2S_OK, encode(what, strlen(what)));
    tokenizer = kept;
    for (size_t at = 0u; equal && marks[at] != '\0'; ++at) {
        if (marks[at] == 'x') {
            equal = words < count && tokens[words] == (uint8_t)what[at];
            words += 1u;
        }
    }
    return equal && words == count;
}

static void test_words_of_gpt2(void)
{
    tokenizer.words = S2S_WORDS_GPT2;
    tokenizer.digits = UINT32_MAX;
    CHECK(cuts("one two22 333", "x  x   x x"));
    CHECK(cuts("it's we'll I'D 'x", "x x x  x  x xxx x"));
    CHECK(cuts("a  b   ", "xxx x"));
    CHECK(cuts("a\n\nb\n c", "xxxxxx"));
    CHECK(cuts("hey?!  :)", "x  x xx  "));
    CHECK(cuts("\xC3\xBC\xC2\xB2\xE4\xB8\xAD\xE3\x80\x80x", "x x x  x  x"));
    CHECK(cuts("\xF0\x90\x80\x80z\xF0\x9F\x98\x80", "x    x   "));
    CHECK(cuts("'", "x"));
}

static void test_words_of_llama3(void)
{
    tokenizer.words = S2S_WORDS_LLAMA3;
    tokenizer.digits = 3u;
    CHECK(cuts("one two22 4444", "x  x   x xx  x"));
    CHECK(cuts("it's we'LL 'x", "x x x  x  x x"));
    CHECK(cuts("a.b (c) ...\n\nd", "xx x xxx     x"));
    CHECK(cuts("a \n  b  ", "xx xx x"));
    CHECK(cuts("\tx \t.", "x xxx"));
    tokenizer.digits = 1u;
    CHECK(cuts("a12", "xxx"));
}

static void test_words_of_tekken(void)
{
    tokenizer.words = S2S_WORDS_TEKKEN;
    tokenizer.digits = 1u;
    CHECK(cuts("aBc ABc 'aB", "xx x   x xx"));
    CHECK(cuts("AB CD! ABc", "x x  xx   "));
    CHECK(cuts("\xE4\xB8\xAD" "AB", "x  x "));
    CHECK(cuts("A\xE4\xB8\xAD" "a", "x    "));
    CHECK(cuts("a12 ./\n/ b", "xxxx    x"));
    CHECK(cuts("a \n  b  ", "xx xx x"));
    CHECK(cuts("\nA", "xx"));
}

/* Whether cuts, which end with a zero, leave words as they are marked. */
static bool cuts_by(uint32_t count_of_cuts, const uint32_t *rows, const char *what, const char *marks)
{
    bool equal;

    tokenizer.cuts = rows;
    tokenizer.num_cuts = count_of_cuts;
    equal = cuts(what, marks);
    tokenizer.num_cuts = 0u;
    return equal;
}

static void test_cuts_before_words(void)
{
    static const uint32_t digits[] = {S2S_CUT_RUNS, 0, 2, 1}, any[] = {S2S_CUT_RUNS, 0, 2, UINT32_MAX};
    static const uint32_t spaced[] = {S2S_CUT_SPACED_RUNS, 2, 1, UINT32_MAX, S2S_CUT_SPACED_RUNS, 3, 1, UINT32_MAX,
                                      S2S_CUT_LAST_RUN, 4, 1, UINT32_MAX};

    tokenizer.words = S2S_WORDS_GPT2;
    tokenizer.digits = UINT32_MAX;
    CHECK(cuts_by(1u, digits, "ab12 cd", "x xxx  "));
    CHECK(cuts_by(1u, digits, "7", "x"));
    CHECK(cuts_by(1u, any, "12 3x", "x xxx"));
    tokenizer.words = S2S_WORDS_NONE;
    CHECK(cuts_by(1u, spaced, "ab  cd!  ", "x xx  x  "));
    CHECK(cuts_by(3u, spaced, "ab  cd !7  ", "x xx  x xx "));
    CHECK(cuts_by(3u, spaced, "7 8  ", "x  x "));
    CHECK(cuts_by(3u, spaced, "  ", "x "));
    CHECK(cuts_by(3u, spaced, " ", "x"));
    tokenizer.words = S2S_WORDS_GPT2;
}

static void test_ends(void)
{
    CHECK(s2s_tokenizer_is_end(&tokenizer, BEGIN) && s2s_tokenizer_is_end(&tokenizer, MARK));
    CHECK(!s2s_tokenizer_is_end(&tokenizer, HE) && !s2s_tokenizer_is_end(&tokenizer, NONE));
}

static void test_whole_words(void)
{
    static const uint32_t two[] = {HELLO, ' ', 'x', NONE};

    for (uint32_t i = 0u; i < TOKENS; ++i) {
        uint32_t place = i;
        for (; place > 0u; --place) {
            size_t size, other;
            const char *const mine = s2s_tokenizer_text(&tokenizer, i, &size);
            const char *const before = s2s_tokenizer_text(&tokenizer, by_text[place - 1u], &other);
            const int order = memcmp(before, mine, size < other ? size : other);
            if (order < 0 || (order == 0 && other <= size)) {
                break;
            }
            by_text[place] = by_text[place - 1u];
        }
        by_text[place] = i;
    }
    tokenizer.by_text = by_text;
    tokenizer.num_merges = 0u;
    CHECK(gives("hello x", two));
    CHECK(gives("hell", (const uint32_t[]){HELL, NONE}));
    CHECK(gives("helloo", (const uint32_t[]){'h', 'e', 'l', 'l', 'o', 'o', NONE}));
    tokenizer.num_merges = 6u;
    tokenizer.by_text = NULL;
}

static void test_special_tokens(void)
{
    tokenizer.words = S2S_WORDS_NONE;
    CHECK(gives("he<m>he", (const uint32_t[]){HE, MARK, HE, NONE}));
    CHECK(gives("<m>!<m>", (const uint32_t[]){MARKED, MARK, NONE}));
    CHECK(gives("<s>", (const uint32_t[]){'<', 's', '>', NONE}));
    CHECK_STATUS(S2S_OK, s2s_tokenizer_encode(&tokenizer, "a", 1u, true, tokens, ranks, ROOM, &count));
    CHECK(count == 2u && tokens[0] == BEGIN && tokens[1] == 'a');
    tokenizer.begin = NONE;
    CHECK_STATUS(S2S_OK, s2s_tokenizer_encode(&tokenizer, "a", 1u, true, tokens, ranks, ROOM, &count));
    CHECK(count == 1u);
    tokenizer.begin = BEGIN;
}

static void test_texts(void)
{
    size_t size;

    CHECK(memcmp(s2s_tokenizer_text(&tokenizer, SPACE_HE, &size), " he", 3u) == 0 && size == 3u);
    CHECK(s2s_tokenizer_text(&tokenizer, TOKENS, &size) == NULL && size == 0u);
}

static void test_refusals(void)
{
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_tokenizer_encode(&tokenizer, "abc", 3u, false, tokens, ranks, 2u, &count));
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_tokenizer_encode(&tokenizer, "a<m>", 4u, false, tokens, ranks, 1u, &count));
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_tokenizer_encode(&tokenizer, "a", 1u, true, tokens, ranks, 0u, &count));
    bytes['q'] = NONE;
    CHECK_STATUS(S2S_ERR_NAME, encode("aqb", 3u));
    bytes['q'] = 'q';
    CHECK_STATUS(S2S_ERR_NULL, s2s_tokenizer_encode(NULL, "a", 1u, false, tokens, ranks, ROOM, &count));
    CHECK_STATUS(S2S_ERR_NULL, s2s_tokenizer_encode(&tokenizer, NULL, 0u, false, tokens, ranks, ROOM, &count));
    CHECK_STATUS(S2S_ERR_NULL, s2s_tokenizer_encode(&tokenizer, "a", 1u, false, NULL, ranks, ROOM, &count));
    CHECK_STATUS(S2S_ERR_NULL, s2s_tokenizer_encode(&tokenizer, "a", 1u, false, tokens, NULL, ROOM, &count));
    CHECK_STATUS(S2S_ERR_NULL, s2s_tokenizer_encode(&tokenizer, "a", 1u, false, tokens, ranks, ROOM, NULL));
}

void test_tokenizer(void)
{
    prepare();
    test_merges();
    test_characters();
    test_bytes_that_are_no_text();
    test_words_of_gpt2();
    test_words_of_llama3();
    test_words_of_tekken();
    test_cuts_before_words();
    test_ends();
    test_whole_words();
    test_special_tokens();
    test_texts();
    test_refusals();
}
