/* The tests of bytes in vectors of LANES lanes against scalar arithmetic; included by test_simd_bytes.c once for each
 * width. */

#define F32V JOIN(s2s_f32x, LANES, )
#define I32V JOIN(s2s_i32x, LANES, )
#define F32(name) JOIN(s2s_f32x, LANES, _##name)
#define I32(name) JOIN(s2s_i32x, LANES, _##name)
#define CASE(name) JOIN(name##_, LANES, )
#define CHECK_LANES(vector, expected)                                                                                  \
    do {                                                                                                               \
        int32_t got[LANES];                                                                                            \
        I32(store)(got, vector);                                                                                       \
        for (int i = 0; i < LANES; ++i) { CHECK(got[i] == (expected)); }                                               \
    } while (0)

static void CASE(loads_widen)(void)
{
    int8_t *const p = bytes_of(3 * LANES - 2);

    CHECK_LANES(I32(load_i8)(p), p[i]);
    CHECK_LANES(I32(load_i8_part)(p, LANES - 1), i < LANES - 1 ? p[i] : 0);
    CHECK_LANES(I32(load_i8_strided)(p, 3), p[3 * i]);
    CHECK_LANES(I32(load_i8_strided_part)(p, 3, 2), i < 2 ? p[3 * i] : 0);
    free(p);
}

static void CASE(nibbles_are_widened)(void)
{
    int8_t *const p = bytes_of(2 * LANES), *const q = bytes_of(LANES);
    int8_t numbers[4 * LANES];
    int16_t wide[2 * LANES];
    int32_t groups[LANES], pairs[LANES];

    for (int i = 0; i < 4 * LANES; ++i) { numbers[i] = s2s_nibble(p, i); }
    for (int i = 0; i < 2 * LANES; ++i) { wide[i] = s2s_nibble(q, i); }
    I32(store)(groups, I32(load_groups)(numbers));
    I32(store)(pairs, I32(load_pairs)(wide));
    CHECK_LANES(I32(load_group_nibbles)(p), groups[i]);
    CHECK_LANES(I32(load_pair_nibbles)(q), pairs[i]);
    free(p);
    free(q);
}

static void CASE(stores_narrow)(void)
{
    int8_t *const from = bytes_of(LANES);
    int8_t *const to = bytes_of(LANES), *const wide = bytes_of(2 * LANES - 1);
    const I32V a = I32(load_i8)(from), beyond = I32(add)(a, I32(splat)(512));
    const int8_t last = to[LANES - 1], between = wide[1], end = wide[2 * LANES - 2];

    I32(store_i8_part)(to, LANES - 1, a);
    CHECK(memcmp(to, from, LANES - 1) == 0 && to[LANES - 1] == last);
    I32(store_i8)(to, beyond);
    CHECK(memcmp(to, from, LANES) == 0);
    I32(store_saturated_i8)(to, I32(mul)(a, I32(splat)(3)));
    for (int i = 0; i < LANES; ++i) { CHECK(to[i] == s2s_saturate_i8(3 * from[i])); }
    I32(store_saturated_i8)(to, I32(splat)(INT32_MIN));
    CHECK(to[0] == -128 && to[LANES - 1] == -128);
    I32(store_i8_strided_part)(wide, 2, LANES - 1, a);
    CHECK(wide[0] == from[0] && wide[1] == between && wide[2 * LANES - 4] == from[LANES - 2]);
    CHECK(wide[2 * LANES - 2] == end);
    I32(store_i8_strided)(wide, 2, a);
    CHECK(wide[2 * LANES - 2] == from[LANES - 1]);
    free(from);
    free(to);
    free(wide);
}

static void CASE(stores_halves)(void)
{
    int8_t *const from = bytes_of(LANES);
    int16_t to[LANES + 1];
    const I32V a = I32(load_i8)(from);

    to[LANES] = 77;
    I32(store_i16)(to, I32(add)(I32(mul)(a, I32(splat)(200)), I32(splat)(1 << 20)));
    for (int i = 0; i < LANES; ++i) { CHECK(to[i] == (int16_t)(from[i] * 200)); }
    CHECK(to[LANES] == 77);
    free(from);
}

static void CASE(stores_weave)(void)
{
    int8_t *const from = bytes_of(4 * LANES);

    for (int count = 2; count <= 4; ++count) {
        int8_t *const to = bytes_of((size_t)(count * LANES));
        const I32V a = I32(load_i8)(from), b = I32(load_i8)(from + LANES), c = I32(load_i8)(from + 2 * LANES);
        const I32V d = I32(load_i8)(from + 3 * LANES);

        if (count == 2) { I32(store_i8_by_2)(to, a, b); }
        if (count == 3) { I32(store_i8_by_3)(to, a, b, c); }
        if (count == 4) { I32(store_i8_by_4)(to, a, b, c, d); }
        for (int i = 0; i < count * LANES; ++i) { CHECK(to[i] == from[i / count + i % count * LANES]); }
        free(to);
    }
    free(from);
}

#if LANES == 16
#define ROWS                                                                                                           \
    v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]
#elif LANES == 8
#define ROWS v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
#else
#define ROWS v[0], v[1], v[2], v[3]
#endif

/* The places between two rows keep what they hold. */
static void CASE(stores_apart)(int32_t stride, int32_t lanes, int32_t count)
{
    int8_t *const from = bytes_of(LANES * LANES);
    const size_t size = (size_t)((lanes - 1) * stride + count);
    int8_t *const to = bytes_of(size), *const before = bytes_of(size);
    I32V v[LANES];

    memcpy(before, to, size);
    for (int k = 0; k < LANES; ++k) { v[k] = I32(load_i8)(from + k * LANES); }
    I32(store_i8_interleaved)(to, stride, lanes, count, ROWS);
    for (int i = 0; i < lanes; ++i) {
        for (int k = 0; k < (i + 1 < lanes ? stride : count); ++k) {
            CHECK(to[i * stride + k] == (k < count ? from[k * LANES + i] : before[i * stride + k]));
        }
    }
    free(from);
    free(to);
    free(before);
}
#undef ROWS

static void CASE(stores_tiles)(void)
{
    for (int32_t lanes = 1; lanes <= LANES; ++lanes) {
        for (int32_t count = 1; count <= LANES; ++count) {
            CASE(stores_apart)(count, lanes, count);
            CASE(stores_apart)(LANES + 3, lanes, count);
        }
    }
}

static void CASE(groups_multiply)(void)
{
    int8_t *const a = bytes_of(4 * LANES), *const b = bytes_of(4 * LANES);
    int32_t acc[LANES], is[LANES], us[LANES], one[LANES], columns[4][LANES];

    for (int i = 0; i < LANES; ++i) {
        acc[i] = i == 0 ? INT32_MAX : any_number(INT32_MAX);
        is[i] = us[i] = one[i] = acc[i];
        for (int k = 0; k < 4; ++k) {
            const int x = a[4 * i + k], w = b[4 * i + k];

            is[i] = (int32_t)((uint32_t)is[i] + (uint32_t)(x * w));
            us[i] = (int32_t)((uint32_t)us[i] + (uint32_t)((x & 255) * w));
            one[i] = (int32_t)((uint32_t)one[i] + (uint32_t)(a[k] * w));
            columns[k][i] = (int32_t)((uint32_t)(k > 0 ? columns[k - 1][i] : acc[i]) + (uint32_t)(a[i + k * LANES] * w));
        }
    }
    CHECK_LANES(I32(add_dot_i8)(I32(load)(acc), I32(load_groups)(a), I32(load_groups)(b)), is[i]);
    CHECK_LANES(I32(add_dot_u8)(I32(load)(acc), I32(load_groups)(a), I32(load_groups)(b)), us[i]);
    CHECK_LANES(I32(add_dot_i8_by_u8)(I32(load)(acc), I32(load_groups)(b), I32(load_groups)(a)), us[i]);
    CHECK_LANES(I32(add_dot_i8)(I32(load)(acc), I32(load_group)(a), I32(load_groups)(b)), one[i]);
    for (int count = 1; count <= 4; ++count) {
        const I32V groups = I32(load_columns)(a, LANES, count);

        CHECK_LANES(I32(add_dot_i8)(I32(load)(acc), groups, I32(load_groups)(b)), columns[count - 1][i]);
    }
    free(a);
    free(b);
}

static void CASE(pairs_multiply)(void)
{
    int8_t *const a = bytes_of(2 * LANES), *const b = bytes_of(2 * LANES);
    int16_t wide[2 * LANES];
    int32_t acc[LANES], bytes[LANES], all[LANES], one[LANES];

    for (int i = 0; i < 2 * LANES; ++i) { wide[i] = (int16_t)(i == 0 ? INT16_MIN : 2 * a[i] - 255); }
    for (int i = 0; i < LANES; ++i) {
        const int x = wide[2 * i], y = wide[2 * i + 1];

        acc[i] = i == 0 ? INT32_MAX : any_number(INT32_MAX);
        bytes[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)(x * b[2 * i] + y * b[2 * i + 1]));
        one[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)(wide[0] * b[2 * i] + wide[1] * b[2 * i + 1]));
        all[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)(i == 0 ? y * y - 32768 * -255 : x * x + y * y));
    }
    CHECK_LANES(I32(add_dot_i16)(I32(load)(acc), I32(load_pairs)(wide), I32(load_pairs_i8)(b)), bytes[i]);
    CHECK_LANES(I32(add_dot_i16)(I32(load)(acc), I32(load_pair)(wide), I32(load_pairs_i8)(b)), one[i]);
    {
        int32_t sums[LANES];

        for (int i = 0; i < LANES; ++i) {
            sums[i] = s2s_pair((int16_t)(b[2 * i] + 128), (int16_t)(b[2 * i + 1] - 3));
        }
        CHECK_LANES(I32(add_pairs)(I32(load_pairs_i8)(b), I32(splat)(s2s_pair(128, -3))), sums[i]);
    }
    {
        const I32V factors = I32(load_pairs)(wide);

        wide[0] = -255;
        CHECK_LANES(I32(add_dot_i16)(I32(load)(acc), factors, I32(load_pairs)(wide)), all[i]);
    }
    free(a);
    free(b);
}

static void CASE(rescales_round_as_scalars_do)(void)
{
    int32_t x[LANES], small[LANES], multiplier[LANES], shift[LANES], negative[LANES];

    for (int i = 0; i < LANES; ++i) {
        x[i] = i == 0 ? INT32_MIN : any_number(INT32_MAX);
        small[i] = i == 1 ? -(1 << 30) + 1 : any_number(1 << (8 + next() % 23u));
        multiplier[i] = (1 << 30) + any_number(1 << 30);
        shift[i] = (int32_t)(next() % 62u) - 31;
        negative[i] = -1 - (int32_t)(next() % 22u);
    }
    CHECK_LANES(I32(rescale_double)(I32(load)(x), I32(load)(multiplier), I32(load)(shift)),
                s2s_rescale_double(x[i], multiplier[i], (int8_t)shift[i]));
    CHECK_LANES(I32(rescale_high)(I32(load)(small), I32(load)(multiplier)), s2s_rescale_high(small[i], multiplier[i]));
    CHECK_LANES(I32(rescale_negative)(I32(load)(small), I32(load)(multiplier), I32(load)(negative)),
                s2s_rescale_double(small[i], multiplier[i], (int8_t)negative[i]));
    CHECK_LANES(I32(rescale_upward)(I32(load)(small), I32(load)(multiplier), I32(load)(negative)),
                s2s_rescale_upward(small[i], multiplier[i], (int8_t)negative[i], 0));
    CHECK_LANES(I32(saturate_i8)(I32(load)(small)), s2s_saturate_i8(small[i]));
    negative[LANES - 1] = 0; /* as behind the last channel, where nobody reads */
    I32(store)(x, I32(rescale_upward)(I32(load)(small), I32(load)(multiplier), I32(load)(negative)));
    for (int i = 0; i < LANES - 1; ++i) {
        CHECK(x[i] == s2s_rescale_upward(small[i], multiplier[i], (int8_t)negative[i], 0));
    }
}

static void CASE(floats_become_integers)(void)
{
    static const float values[MAX_LANES] = {0.5f,  1.5f,  -0.5f, -1.5f, 2.4999f, -127.5f, 1e9f, -2e9f,
                                            -0.0f, 126.6f, 3.0f, 0.49999997f, 8388609.0f, 7.5f, -8.5f, 1e-30f};

    for (int start = 0; start + LANES <= MAX_LANES; start += LANES) {
        const F32V a = F32(load)(values + start);

        CHECK_LANES(F32(to_i32_inside)(a), (int32_t)values[start + i]);
    }
}

static void CASE(tables_are_looked_up)(void)
{
    int8_t *const table = bytes_of(256);
    int32_t index[LANES];

    for (int i = 0; i < LANES; ++i) { index[i] = i == 0 ? 255 : (int32_t)(next() % 256u); }
    CHECK_LANES(I32(look_up_i8)(table, I32(load)(index)), table[index[i]]);
    free(table);
}

static void CASE(test_simd_bytes)(void)
{
    CASE(loads_widen)();
    CASE(nibbles_are_widened)();
    CASE(stores_narrow)();
    CASE(stores_halves)();
    CASE(stores_weave)();
    CASE(stores_tiles)();
    CASE(groups_multiply)();
    CASE(pairs_multiply)();
    CASE(rescales_round_as_scalars_do)();
    CASE(floats_become_integers)();
    CASE(tables_are_looked_up)();
}

#undef F32V
#undef I32V
#undef F32
#undef I32
#undef CASE
#undef CHECK_LANES
