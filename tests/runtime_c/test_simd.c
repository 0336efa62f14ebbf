#include "check.h"
#include "s2s_simd.h"
#include "s2s_simd_functions.h"

#include <stdlib.h>

/* Values that arithmetic treats differently, as many as the widest vector has lanes, twice. */
static const float float_a[32] = {
    0.0f, -0.0f, 1.5f, -2.5f, NAN, INFINITY, -INFINITY, 3e38f, 1e-40f, -1e-40f, 0.1f, 16777216.0f, 2.0f, -7.0f, 1e10f, 5.0f,
    1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f, 12.0f, 13.0f, 14.0f, 15.0f, 16.0f,
};
static const float float_b[32] = {
    -0.0f, 0.0f, -1.5f, 0.5f, 1.0f, INFINITY, NAN, 3e38f, 1e-40f, 3.0f, 0.2f, 1.0f, NAN, -7.0f, -1e10f, 0.0f,
    0.5f, -0.5f, 1.25f, 3.5f, -2.5f, 2.5f, 1e3f, -1e3f, 7.0f, 8.5f, 1e-3f, 2.0f, -4.0f, 6.5f, 0.75f, 0.1f,
};
static const int32_t int_a[16] = {
    0, 1, -1, INT32_MAX, INT32_MIN, 100, -100, 65536, 46341, 7, -7, INT32_MAX, INT32_MIN, 12345, -54321, 3,
};
static const int32_t int_b[16] = {
    0, -1, -1, INT32_MAX, INT32_MIN, 3, 7, 65536, 46341, 7, 7, 1, -1, -12345, 54321, INT32_MIN,
};

/* The same bits, or NaN on both sides. */
static int is_same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static float twice_plus_one(float x)
{
    return 2.0f * x + 1.0f;
}

/* Memory that ends right behind n elements, so that the sanitizer sees any access beyond. */
static void *exactly(const void *values, size_t bytes)
{
    void *const memory = malloc(bytes > 0u ? bytes : 1u);

    if (memory == NULL) {
        abort();
    }
    memcpy(memory, values, bytes);
    return memory;
}

#define JOIN_(type, lanes, rest) type##lanes##rest
#define JOIN(type, lanes, rest) JOIN_(type, lanes, rest)

#define LANES 4
#include "simd_cases.h"
#undef LANES
#define LANES 8
#include "simd_cases.h"
#undef LANES
#define LANES 16
#include "simd_cases.h"
#undef LANES

void test_simd(void)
{
    test_simd_4();
    test_simd_8();
    test_simd_16();
}
