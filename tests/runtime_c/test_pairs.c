/* Two floats that are loaded together. */
#include "check.h"
#include "s2s_pairs.h"

#include <stdint.h>

static void pairs_begin_at_any_float(void)
{
    static const float x[] = {1.0f, -2.0f, 3.5f, 4.0f};

    for (int32_t i = 0; i < 3; ++i) {
        const s2s_f32_pair pair = s2s_f32_pair_load(&x[i]);

        CHECK(pair.low == x[i] && pair.high == x[i + 1]);
    }
}

void test_pairs(void)
{
    pairs_begin_at_any_float();
}
