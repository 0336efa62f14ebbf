/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_json.h: reads JSON in place, from a text of known size that need not end with a zero byte. For hosts.
 *
 * Nothing is allocated and nothing recurses. After the first error every function returns false; `what` says what is
 * wrong and `at` is the byte. */
#ifndef S2S_JSON_H
#define S2S_JSON_H

#include "s2s.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The deepest nesting of arrays and objects. */
#ifndef S2S_JSON_DEPTH
#define S2S_JSON_DEPTH 64
#endif

typedef struct s2s_json {
    const char *text;
    size_t size;
    size_t at;
    const char *what; /* null until something is wrong */
} s2s_json;

/* Notes an error unless there is one already; returns false. */
bool s2s_json_fail(s2s_json *json, const char *what);

/* Takes one character behind white space. */
bool s2s_json_take(s2s_json *json, char wanted);

/* Whether another item follows in the array or object that `close` ends; takes commas and the end. *first is true
 * before the first item. */
bool s2s_json_more(s2s_json *json, char close, bool *first);

/* Takes a whole number from 0 to most. */
bool s2s_json_natural(s2s_json *json, uint64_t most, uint64_t *value);

/* Takes a string and writes it in UTF-8 with a zero byte, if out is not null. Strings with zero bytes, half surrogate
 * pairs or control characters are refused, and those that do not fit into capacity bytes. */
bool s2s_json_string(s2s_json *json, char *out, size_t capacity, size_t *length);

/* Takes any value. */
bool s2s_json_skip(s2s_json *json);

/* Counts the items of the array that stands next, and stays in front of it. */
bool s2s_json_count(const s2s_json *json, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
