#include "check.h"
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

void test_simd_bytes(void)
{
    for (int round = 0; round < 200; ++round) {
        test_simd_bytes_4();
        test_simd_bytes_8();
        test_simd_bytes_16();
    }
}
