/* The tests of halves in vectors of LANES lanes against s2s_half.h; included by test_simd_half.c once for each width. */

#define F32V JOIN(s2s_f32x, LANES, )
#define F32(name) JOIN(s2s_f32x, LANES, _##name)
#define CASE(name) JOIN(name##_, LANES, )

static void CASE(every_half_is_loaded_and_stored)(void)
{
    for (uint32_t first = 0u; first <= 0xffffu; first += LANES) {
        s2s_f16 from[LANES], to[LANES];
        float lanes[LANES];

        for (uint32_t i = 0u; i < LANES; ++i) { from[i] = (s2s_f16)(first + i); }
        F32(store)(lanes, F32(load_f16)(from));
        F32(store_f16)(to, F32(load_f16)(from));
        for (int i = 0; i < LANES; ++i) {
            const float expected = s2s_f16_to_f32(from[i]);

            CHECK(lanes[i] == expected || (lanes[i] != lanes[i] && expected != expected));
            CHECK(is_same(to[i], from[i]));
        }
    }
}

/* The middle between neighbours, and the floats around it. */
static void CASE(lanes_are_rounded_to_nearest_even)(void)
{
    for (uint32_t h = 0u; h < 0x7c00u; h += 3u) {
        const float below = s2s_f16_to_f32((s2s_f16)h);
        const float above = h == 0x7bffu ? 65536.0f : s2s_f16_to_f32((s2s_f16)(h + 1u));
        const float middle = 0.5f * (below + above);
        float lanes[LANES], rounded[LANES];
        s2s_f16 to[LANES];

        for (int i = 0; i < LANES; ++i) {
            const float near = i % 3 == 0 ? middle : nextafterf(middle, i % 3 == 1 ? 0.0f : INFINITY);

            lanes[i] = i % 2 == 0 ? near : -near;
        }
        F32(store_f16)(to, F32(load)(lanes));
        for (int i = 0; i < LANES; ++i) { CHECK(to[i] == s2s_f32_to_f16(lanes[i])); }
        F32(store)(rounded, F32(round_f16)(F32(load)(lanes)));
        for (int i = 0; i < LANES; ++i) { CHECK(rounded[i] == s2s_f16_round(lanes[i])); }
    }
}

static void CASE(parts_and_strides_touch_their_elements_only)(void)
{
    s2s_f16 *const from = halves_of(3 * LANES - 2), *const to = halves_of(3 * LANES - 2);
    float lanes[LANES];
    F32V a;

    F32(store)(lanes, F32(load_f16_part)(from, LANES - 1));
    CHECK(lanes[LANES - 1] == 0.0f && lanes[LANES - 2] == s2s_f16_to_f32(from[LANES - 2]));
    F32(store)(lanes, F32(load_f16_strided)(from, 3));
    for (int i = 0; i < LANES; ++i) { CHECK(lanes[i] == s2s_f16_to_f32(from[3 * i])); }
    F32(store)(lanes, F32(load_f16_strided_part)(from, 3, 2));
    CHECK(lanes[1] == s2s_f16_to_f32(from[3]) && lanes[2] == 0.0f);
    a = F32(neg)(F32(load_f16)(from));
    F32(store_f16_part)(to, 2, a);
    CHECK(to[0] == (from[0] | 0x8000u) && to[1] == (from[1] | 0x8000u) && to[2] == from[2]);
    F32(store_f16_strided)(to, 3, a);
    for (int i = 1; i < LANES; ++i) { CHECK(to[3 * i] == (from[i] | 0x8000u) && to[3 * i - 1] == from[3 * i - 1]); }
    F32(store_f16_strided_part)(to, 3, 1, F32(load_f16)(from));
    CHECK(to[0] == from[0] && to[3] == (from[1] | 0x8000u));
    free(from);
    free(to);
}

static void CASE(test_simd_half)(void)
{
    CASE(every_half_is_loaded_and_stored)();
    CASE(lanes_are_rounded_to_nearest_even)();
    CASE(parts_and_strides_touch_their_elements_only)();
}

#undef F32V
#undef F32
#undef CASE
