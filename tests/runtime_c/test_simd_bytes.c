#include "check.h"
#include "s2s_nibble_rows.h"
#include "s2s_nibbles.h"
#include "s2s_simd_bytes.h"

#include <stdlib.h>

#define MAX_LANES 16

static uint32_t state = 1u;

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static int8_t any_byte(void)
{
    static const int8_t extremes[4] = {-128, 127, 0, -1};
    const uint32_t number = next();

    return number % 4u == 0u ? extremes[(number >> 2) % 4u] : (int8_t)((int32_t)((number >> 2) % 256u) - 128);
}

static int32_t any_number(int32_t limit)
{
    return (int32_t)((int64_t)((next() << 8 | next() % 256u) % (2u * (uint32_t)limit)) - limit);
}

/* Memory that ends right behind n bytes, so that the sanitizer sees any access beyond. */
static int8_t *bytes_of(size_t n)
{
    int8_t *const memory = malloc(n);

    if (memory == NULL) {
        abort();
    }
    for (size_t i = 0; i < n; ++i) {
        memory[i] = any_byte();
    }
    return memory;
}

#define JOIN_(type, lanes, rest) type##lanes##rest
#define JOIN(type, lanes, rest) JOIN_(type, lanes, rest)

#define LANES 4
#include "simd_bytes_cases.h"
#undef LANES
#define LANES 8
#include "simd_bytes_cases.h"
#undef LANES
#define LANES 16
#include "simd_bytes_cases.h"
#undef LANES

static void nibbles_have_signs(void)
{
    static const int8_t packed[3] = {0x21, -2, 0x78};
    static const int8_t numbers[6] = {1, 2, -2, -1, -8, 7};

    for (int32_t i = 0; i < 6; ++i) {
        CHECK(s2s_nibble(packed, i) == numbers[i]);
    }
}

static void rows_multiply_nibbles(void)
{
    int8_t *const x = bytes_of(48), *const w = bytes_of(96);
    int32_t expected[4] = {0, 0, 0, 0}, found[4];

    for (int32_t k = 0; k < 48; ++k) {
        for (int32_t c = 0; c < 4; ++c) {
            expected[c] += x[k] * s2s_nibble(w, k / 16 * 64 + c * 16 + k % 16);
        }
    }
    s2s_i32x4_store(found, s2s_i32x4_dot_i4_by_16(x, w, 48));
    CHECK(memcmp(found, expected, sizeof found) == 0);
    free(x);
    free(w);
}

void test_simd_bytes(void)
{
    nibbles_have_signs();
    rows_multiply_nibbles();
    for (int round = 0; round < 200; ++round) {
        test_simd_bytes_4();
        test_simd_bytes_8();
        test_simd_bytes_16();
    }
}
