#include "check.h"
#include "s2s_simd_half.h"

#include <stdlib.h>
#include <string.h>

#define JOIN_(type, lanes, rest) type##lanes##rest
#define JOIN(type, lanes, rest) JOIN_(type, lanes, rest)

static int is_same(s2s_f16 a, s2s_f16 b)
{
    return a == b || ((a & 0x7fffu) > 0x7c00u && (b & 0x7fffu) > 0x7c00u);
}

/* Memory that ends right behind n halves, so that the sanitizer sees any access beyond. */
static s2s_f16 *halves_of(size_t n)
{
    s2s_f16 *const memory = malloc(n * sizeof *memory);

    if (memory == NULL) {
        abort();
    }
    for (size_t i = 0; i < n; ++i) {
        memory[i] = (s2s_f16)(0x3c00u + i);
    }
    return memory;
}

#define LANES 4
#include "simd_half_cases.h"
#undef LANES
#define LANES 8
#include "simd_half_cases.h"
#undef LANES
#define LANES 16
#include "simd_half_cases.h"
#undef LANES

void test_simd_half(void)
{
    test_simd_half_4();
    test_simd_half_8();
    test_simd_half_16();
}
