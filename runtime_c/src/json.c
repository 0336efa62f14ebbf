/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON in place; the contract is in s2s_json.h. */
#include "s2s_json.h"

#include <string.h>

S2S_MERGED
bool s2s_json_fail(s2s_json *json, const char *what)
{
    if (json->what == NULL) {
        json->what = what;
    }
    return false;
}

/* The next character behind white space, -1 at the end or after an error. */
static int peek(s2s_json *json)
{
    while (json->at < json->size && memchr(" \t\r\n", json->text[json->at], 4u) != NULL) {
        ++json->at;
    }
    return json->at < json->size && json->what == NULL ? (unsigned char)json->text[json->at] : -1;
}

S2S_MERGED
bool s2s_json_take(s2s_json *json, char wanted)
{
    if (peek(json) != (unsigned char)wanted) {
        return s2s_json_fail(json, "another character is wanted here");
    }
    ++json->at;
    return true;
}

S2S_MERGED
bool s2s_json_more(s2s_json *json, char close, bool *first)
{
    const bool was_first = *first;

    *first = false;
    if (peek(json) == (unsigned char)close) {
        ++json->at;
        return false;
    }
    return was_first ? json->what == NULL : s2s_json_take(json, ',');
}

static bool is_digit(int character)
{
    return character >= '0' && character <= '9';
}

S2S_MERGED
bool s2s_json_natural(s2s_json *json, uint64_t most, uint64_t *value)
{
    uint64_t number = 0u;

    if (!is_digit(peek(json))) {
        return s2s_json_fail(json, "a number from 0 is wanted here");
    }
    while (json->at < json->size && is_digit((unsigned char)json->text[json->at])) {
        const uint64_t digit = (uint64_t)(json->text[json->at] - '0');

        if (digit > most || number > (most - digit) / 10u) {
            return s2s_json_fail(json, "the number is too large");
        }
        number = number * 10u + digit;
        ++json->at;
    }
    if (json->at < json->size && memchr(".eE", json->text[json->at], 3u) != NULL) {
        return s2s_json_fail(json, "a whole number is wanted here");
    }
    *value = number;
    return true;
}

/* Appends bytes to a string that is being read, with room for the zero byte behind it. */
typedef struct sink {
    char *out;
    size_t capacity;
    size_t length;
} sink;

static bool append(s2s_json *json, sink *to, uint32_t byte)
{
    if (to->out != NULL) {
        if (to->length + 1u >= to->capacity) {
            return s2s_json_fail(json, "the string is too long");
        }
        to->out[to->length] = (char)(unsigned char)byte;
    }
    ++to->length;
    return true;
}

static bool append_point(s2s_json *json, sink *to, uint32_t point)
{
    if (point < 0x80u) {
        return append(json, to, point);
    }
    if (point < 0x800u) {
        return append(json, to, 0xC0u | point >> 6) && append(json, to, 0x80u | (point & 0x3Fu));
    }
    if (point < 0x10000u) {
        return append(json, to, 0xE0u | point >> 12) && append(json, to, 0x80u | (point >> 6 & 0x3Fu)) &&
               append(json, to, 0x80u | (point & 0x3Fu));
    }
    return append(json, to, 0xF0u | point >> 18) && append(json, to, 0x80u | (point >> 12 & 0x3Fu)) &&
           append(json, to, 0x80u | (point >> 6 & 0x3Fu)) && append(json, to, 0x80u | (point & 0x3Fu));
}

/* The value of a hexadecimal digit, 16 for anything else. */
static uint32_t hexadecimal(char character)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *const found = character == '\0' ? NULL : strchr(digits, character);
    const uint32_t place = found == NULL ? 16u : (uint32_t)(found - digits);

    return found != NULL && place >= 16u ? place - 6u : place;
}

/* Takes four hexadecimal digits. */
static bool code_unit(s2s_json *json, uint32_t *unit)
{
    *unit = 0u;
    for (size_t i = 0u; i < 4u; ++i) {
        const uint32_t digit = json->at < json->size ? hexadecimal(json->text[json->at]) : 16u;

        if (digit == 16u) {
            return s2s_json_fail(json, "four hexadecimal digits are wanted here");
        }
        *unit = *unit * 16u + digit;
        ++json->at;
    }
    return true;
}

/* Takes what follows \u, and the second half of a pair. */
static bool unicode(s2s_json *json, sink *to)
{
    uint32_t first, second;

    if (!code_unit(json, &first)) {
        return false;
    }
    if (first >= 0xD800u && first < 0xDC00u) {
        if (json->size - json->at < 2u || memcmp(&json->text[json->at], "\\u", 2u) != 0) {
            return s2s_json_fail(json, "half of a pair of surrogates");
        }
        json->at += 2u;
        if (!code_unit(json, &second)) {
            return false;
        }
        if (second < 0xDC00u || second >= 0xE000u) {
            return s2s_json_fail(json, "half of a pair of surrogates");
        }
        return append_point(json, to, 0x10000u + ((first - 0xD800u) << 10) + (second - 0xDC00u));
    }
    if (first == 0u || (first >= 0xDC00u && first < 0xE000u)) {
        return s2s_json_fail(json, "a character that no name may have");
    }
    return append_point(json, to, first);
}

/* Takes what follows a backslash. */
static bool escape(s2s_json *json, sink *to)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char name = json->at < json->size ? json->text[json->at] : '\0';
    const char *const found = name == '\0' ? NULL : strchr(names, name);

    if (name == 'u') {
        ++json->at;
        return unicode(json, to);
    }
    if (found == NULL) {
        return s2s_json_fail(json, "this escape does not exist");
    }
    ++json->at;
    return append(json, to, (unsigned char)meanings[found - names]);
}

S2S_MERGED
bool s2s_json_string(s2s_json *json, char *out, size_t capacity, size_t *length)
{
    sink to;

    to.out = out;
    to.capacity = capacity;
    to.length = 0u;
    if (!s2s_json_take(json, '"')) {
        return false;
    }
    if (out != NULL && capacity == 0u) {
        return s2s_json_fail(json, "the string is too long");
    }
    while (json->at < json->size && json->text[json->at] != '"') {
        const unsigned char character = (unsigned char)json->text[json->at];

        if (character < 0x20u) {
            return s2s_json_fail(json, "a control character in a string");
        }
        ++json->at;
        if (!(character == (unsigned char)'\\' ? escape(json, &to) : append(json, &to, character))) {
            return false;
        }
    }
    if (!s2s_json_take(json, '"')) {
        return false;
    }
    if (out != NULL) {
        out[to.length] = '\0';
    }
    if (length != NULL) {
        *length = to.length;
    }
    return true;
}

/* Takes a number of any form, or one of the words true, false and null, as far as their characters go. */
static bool skip_word(s2s_json *json)
{
    static const char characters[] = "+-.0123456789Eaeflnrstu";
    const size_t start = json->at;

    while (json->at < json->size && json->text[json->at] != '\0' &&
           strchr(characters, json->text[json->at]) != NULL) {
        ++json->at;
    }
    return json->at > start || s2s_json_fail(json, "a value is wanted here");
}

S2S_MERGED
bool s2s_json_skip(s2s_json *json)
{
    char closes[S2S_JSON_DEPTH];
    size_t depth = 0u;
    bool first = false;

    do {
        const int next = peek(json);

        if (next == '[' || next == '{') {
            if (depth == S2S_JSON_DEPTH) {
                return s2s_json_fail(json, "nested too deep");
            }
            ++json->at;
            closes[depth] = next == '[' ? ']' : '}';
            ++depth;
            first = true;
        } else if (next == '"' ? !s2s_json_string(json, NULL, 0u, NULL) : !skip_word(json)) {
            return false;
        }
        while (depth > 0u && !s2s_json_more(json, closes[depth - 1u], &first)) {
            if (json->what != NULL) {
                return false;
            }
            --depth;
        }
        if (depth > 0u && closes[depth - 1u] == '}' &&
            !(s2s_json_string(json, NULL, 0u, NULL) && s2s_json_take(json, ':'))) {
            return false;
        }
    } while (depth > 0u);
    return true;
}

S2S_MERGED
bool s2s_json_count(const s2s_json *json, size_t *count)
{
    s2s_json ahead = *json;
    bool first = true;

    *count = 0u;
    if (!s2s_json_take(&ahead, '[')) {
        return false;
    }
    while (s2s_json_more(&ahead, ']', &first) && s2s_json_skip(&ahead)) {
        ++*count;
    }
    return ahead.what == NULL;
}
