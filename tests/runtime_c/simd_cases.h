/* The tests of vectors of LANES lanes against scalar arithmetic; included by test_simd.c once for each width. */

#define F32V JOIN(s2s_f32x, LANES, )
#define I32V JOIN(s2s_i32x, LANES, )
#define F32(name) JOIN(s2s_f32x, LANES, _##name)
#define I32(name) JOIN(s2s_i32x, LANES, _##name)
#define CASE(name) JOIN(name##_, LANES, )

/* vector is an expression of a and b; expected, one of x and y, is what each lane must be. */
#define CHECK_F32(vector, expected)                                                                                    \
    do {                                                                                                               \
        for (int start = 0; start + LANES <= 32; start += LANES) {                                                     \
            const F32V a = F32(load)(float_a + start);                                                                 \
            const F32V b = F32(load)(float_b + start);                                                                 \
            float got[LANES];                                                                                          \
            F32(store)(got, vector);                                                                                   \
            (void)a;                                                                                                   \
            (void)b;                                                                                                   \
            for (int i = 0; i < LANES; ++i) {                                                                          \
                const float x = float_a[start + i];                                                                    \
                const float y = float_b[start + i];                                                                    \
                (void)y;                                                                                               \
                CHECK(is_same(got[i], expected));                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define CHECK_F32_MASK(vector, expected)                                                                               \
    do {                                                                                                               \
        for (int start = 0; start + LANES <= 32; start += LANES) {                                                     \
            const F32V a = F32(load)(float_a + start);                                                                 \
            const F32V b = F32(load)(float_b + start);                                                                 \
            int32_t got[LANES];                                                                                        \
            I32(store)(got, vector);                                                                                   \
            (void)a;                                                                                                   \
            (void)b;                                                                                                   \
            for (int i = 0; i < LANES; ++i) {                                                                          \
                const float x = float_a[start + i];                                                                    \
                const float y = float_b[start + i];                                                                    \
                (void)y;                                                                                               \
                CHECK(got[i] == (expected));                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define CHECK_I32(vector, expected)                                                                                    \
    do {                                                                                                               \
        for (int start = 0; start + LANES <= 16; start += LANES) {                                                     \
            const I32V a = I32(load)(int_a + start);                                                                   \
            const I32V b = I32(load)(int_b + start);                                                                   \
            int32_t got[LANES];                                                                                        \
            I32(store)(got, vector);                                                                                   \
            (void)a;                                                                                                   \
            (void)b;                                                                                                   \
            for (int i = 0; i < LANES; ++i) {                                                                          \
                const int32_t x = int_a[start + i];                                                                    \
                const int32_t y = int_b[start + i];                                                                    \
                (void)y;                                                                                               \
                CHECK(got[i] == (expected));                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static void CASE(float_lanes)(void)
{
    CHECK_F32(F32(splat)(2.5f), is_same(x, x) ? 2.5f : 0.0f);
    CHECK_F32(F32(splat)(-0.0f), is_same(x, x) ? -0.0f : 1.0f);
    CHECK_F32(F32(zero)(), is_same(x, x) ? 0.0f : 1.0f);
    CHECK_F32(F32(add)(a, b), x + y);
    CHECK_F32(F32(sub)(a, b), x - y);
    CHECK_F32(F32(mul)(a, b), x * y);
    CHECK_F32(F32(div)(a, b), x / y);
    CHECK_F32(F32(fma)(a, b, a), x * y + x);
    CHECK_F32(F32(neg)(a), -x);
    CHECK_F32(F32(abs)(a), fabsf(x));
    CHECK_F32(F32(sqrt)(a), sqrtf(x));
    CHECK_F32(F32(map)(twice_plus_one, a), 2.0f * x + 1.0f);
    /* Adding 0 makes all zeros positive: of two zeros either is right. */
    CHECK_F32(F32(add)(F32(min)(a, b), F32(zero)()), s2s_f32_min(x, y) + 0.0f);
    CHECK_F32(F32(add)(F32(max)(a, b), F32(zero)()), s2s_f32_max(x, y) + 0.0f);
    CHECK_F32(F32(add)(F32(max)(F32(zero)(), a), F32(zero)()), s2s_f32_max(0.0f, x) + 0.0f);
    CHECK_F32(F32(select)(F32(less)(a, b), a, b), x < y ? x : y);
    CHECK_F32_MASK(F32(equal)(a, b), -(x == y));
    CHECK_F32_MASK(F32(not_equal)(a, b), -(x != y));
    CHECK_F32_MASK(F32(less)(a, b), -(x < y));
    CHECK_F32_MASK(F32(less_equal)(a, b), -(x <= y));
    CHECK_F32_MASK(F32(to_i32)(a), s2s_f32_to_i32(x));
    CHECK_F32_MASK(F32(to_i32)(F32(neg)(a)), s2s_f32_to_i32(-x));
}

static void CASE(int_lanes)(void)
{
    CHECK_I32(I32(splat)(INT32_MIN), x == x ? INT32_MIN : 0);
    CHECK_I32(I32(zero)(), x == x ? 0 : 1);
    CHECK_I32(I32(add)(a, b), s2s_i32_add(x, y));
    CHECK_I32(I32(sub)(a, b), s2s_i32_sub(x, y));
    CHECK_I32(I32(mul)(a, b), s2s_i32_mul(x, y));
    CHECK_I32(I32(neg)(a), s2s_i32_neg(x));
    CHECK_I32(I32(abs)(a), s2s_i32_abs(x));
    CHECK_I32(I32(min)(a, b), x < y ? x : y);
    CHECK_I32(I32(max)(a, b), x > y ? x : y);
    CHECK_I32(I32(bit_and)(a, b), x & y);
    CHECK_I32(I32(bit_or)(a, b), x | y);
    CHECK_I32(I32(bit_xor)(a, b), x ^ y);
    CHECK_I32(I32(bit_not)(a), ~x);
    CHECK_I32(I32(shift_left)(a, 3), s2s_i32_shift_left(x, 3));
    CHECK_I32(I32(shift_right)(a, 3), s2s_i32_shift_right(x, 3));
    CHECK_I32(I32(select)(I32(less)(a, b), b, a), x < y ? y : x);
    CHECK_I32(I32(equal)(a, b), -(x == y));
    CHECK_I32(I32(not_equal)(a, b), -(x != y));
    CHECK_I32(I32(less)(a, b), -(x < y));
    CHECK_I32(I32(less_equal)(a, b), -(x <= y));
    for (int i = 0; i < LANES; ++i) {
        CHECK(F32(lane)(F32(from_i32)(I32(load)(int_a)), i) == (float)int_a[i]);
        CHECK(I32(lane)(I32(load)(int_a), i) == int_a[i]);
    }
}

/* Halves meet: lane i and lane i + n/2, until one is left. */
static void CASE(reductions)(void)
{
    float sum[LANES];
    float product[LANES];
    int32_t int_sum = 0;
    int32_t int_product = 1;

    memcpy(sum, float_b + 16, sizeof sum);
    memcpy(product, float_b + 16, sizeof product);
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) {
            sum[i] += sum[i + half];
            product[i] *= product[i + half];
        }
    }
    CHECK(is_same(F32(reduce_add)(F32(load)(float_b + 16)), sum[0]));
    CHECK(is_same(F32(reduce_mul)(F32(load)(float_b + 16)), product[0]));
    CHECK(F32(reduce_min)(F32(neg)(F32(load)(float_a + 16))) == -(float)LANES);
    CHECK(F32(reduce_max)(F32(load)(float_a + 16)) == (float)LANES);
    for (int i = 0; i < LANES; ++i) {
        float with_nan[LANES] = {0.0f};

        with_nan[i] = NAN;
        CHECK(isnan(F32(reduce_min)(F32(load)(with_nan))) && isnan(F32(reduce_max)(F32(load)(with_nan))));
        int_sum = s2s_i32_add(int_sum, int_b[i]);
        int_product = s2s_i32_mul(int_product, i + 1);
    }
    CHECK(I32(reduce_add)(I32(load)(int_b)) == int_sum);
    CHECK(I32(reduce_mul)(F32(to_i32)(F32(load)(float_a + 16))) == int_product);
    CHECK(I32(reduce_min)(F32(to_i32)(F32(neg)(F32(load)(float_a + 16)))) == -LANES);
    CHECK(I32(reduce_max)(F32(to_i32)(F32(load)(float_a + 16))) == LANES);
}

static void CASE(float_memory)(void)
{
    for (int32_t n = 0; n <= LANES; ++n) {
        const size_t bytes = (size_t)n * sizeof(float);
        float *const in = exactly(float_a + 16, bytes);
        float *const out = exactly(float_b, bytes);
        const F32V part = F32(load_part)(in, n);

        F32(store_part)(out, n, part);
        CHECK(memcmp(in, out, bytes) == 0);
        for (int i = 0; i < LANES; ++i) {
            CHECK(F32(lane)(part, i) == (i < n ? in[i] : 0.0f));
        }
        free(in);
        free(out);
    }
    for (int stride = -2; stride <= 2; ++stride) {
        const int first = stride < 0 ? -stride * (LANES - 1) : 0;
        float strided[2 * LANES] = {0.0f};
        const F32V v = F32(load_strided)(float_a + 16 - (LANES == 16 ? 16 : 0) + first, stride);

        F32(store_strided)(strided + first, stride, v);
        for (int32_t n = 0; n <= LANES; ++n) {
            float part[2 * LANES] = {0.0f};
            const F32V w = F32(load_strided_part)(strided + first, stride, n);

            F32(store_strided_part)(part + first, stride, n, w);
            for (int i = 0; i < LANES && stride != 0; ++i) {
                CHECK(is_same(part[first + i * stride], i < n ? strided[first + i * stride] : 0.0f));
            }
        }
        for (int i = 0; i < LANES && stride != 0; ++i) {
            CHECK(is_same(strided[first + i * stride], float_a[16 - (LANES == 16 ? 16 : 0) + first + i * stride]));
        }
    }
}

#define CHECK_EVEN(count)                                                                                              \
    do {                                                                                                               \
        float *const in = exactly(float_a, (2u * (size_t)(count)-1u) * sizeof(float));                            \
        const F32V v = (count) == LANES ? F32(load_strided)(in, 2) : F32(load_strided_part)(in, 2, count);             \
                                                                                                                       \
        for (int i = 0; i < LANES; ++i) {                                                                              \
            CHECK(is_same(F32(lane)(v, i), i < (count) ? in[2 * i] : 0.0f));                                           \
        }                                                                                                              \
        free(in);                                                                                                      \
    } while (0)

/* Middles of two integers and their neighbours, and what is too large, too small, or no number. */
static void CASE(quotients_are_rounded_as_divisions)(void)
{
    static const float divisors[] = {0.3f, 1.0f, -0.0123f, 7.5e-39f, 3.0e38f, 0.0f};
    float in[LANES], out[LANES];

    for (int k = 0; k < 6 * 40; ++k) {
        const float b = divisors[k % 6];

        for (int i = 0; i < LANES; ++i) {
            const float middle = ((float)(k * LANES + i) - 0.5f) * b;

            in[i] = i % 3 == 0 ? middle : nextafterf(middle, i % 3 == 1 ? INFINITY : -INFINITY);
        }
        if (k % 9 == 0) { in[0] = NAN; }
        if (k % 9 == 1) { in[LANES - 1] = -INFINITY; }
        if (k % 9 == 2) { in[1] = 1e30f; }
        F32(store)(out, F32(round_quotient)(F32(load)(in), F32(splat)(b)));
        for (int i = 0; i < LANES; ++i) { CHECK(is_same(out[i], rintf(in[i] / b))); }
        for (int i = 0; i < LANES; ++i) { in[i] = ((float)(i * k) - 40.0f) * 0.37f * b; }
        F32(store)(out, F32(round_quotient)(F32(load)(in), F32(splat)(b)));
        for (int i = 0; i < LANES; ++i) { CHECK(is_same(out[i], rintf(in[i] / b))); }
    }
}

/* A distance of 2 and a number of lanes that the compiler knows: nothing behind the last lane is read. */
static void CASE(every_other_float)(void)
{
    CHECK_EVEN(LANES);
    CHECK_EVEN(LANES - 1);
    CHECK_EVEN(LANES / 2 + 1);
    CHECK_EVEN(LANES / 2);
    CHECK_EVEN(1);
}

#undef CHECK_EVEN

#if LANES == 16
#define ROWS                                                                                                           \
    v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]
#elif LANES == 8
#define ROWS v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
#else
#define ROWS v[0], v[1], v[2], v[3]
#endif

#define CHECK_INTERLEAVED(F, V, element)                                                                               \
    do {                                                                                                               \
        element zeros[LANES * (LANES + 3)] = {0};                                                                      \
        element row[LANES];                                                                                            \
        V v[LANES];                                                                                                    \
        element *const out = exactly(zeros, (size_t)((lanes - 1) * stride + count) * sizeof(element));                 \
                                                                                                                       \
        for (int k = 0; k < LANES; ++k) {                                                                              \
            for (int i = 0; i < LANES; ++i) {                                                                          \
                row[i] = (element)(100 * k + i + 1);                                                                   \
            }                                                                                                          \
            v[k] = F(load)(row);                                                                                       \
        }                                                                                                              \
        F(store_interleaved)(out, stride, lanes, count, ROWS);                                                         \
        for (int i = 0; i < lanes; ++i) {                                                                              \
            for (int k = 0; k < (i + 1 < lanes ? stride : count); ++k) {                                               \
                CHECK(out[i * stride + k] == (element)(k < count ? 100 * k + i + 1 : 0));                              \
            }                                                                                                          \
        }                                                                                                              \
        free(out);                                                                                                     \
    } while (0)

static void CASE(interleaved)(int32_t stride, int32_t lanes, int32_t count)
{
    CHECK_INTERLEAVED(F32, F32V, float);
    CHECK_INTERLEAVED(I32, I32V, int32_t);
}
#undef CHECK_INTERLEAVED

#define CHECK_PAIR(F, element)                                                                                         \
    do {                                                                                                               \
        element a[LANES], b[LANES], zeros[2 * LANES] = {0};                                                            \
        element *const out = exactly(zeros, sizeof zeros);                                                             \
                                                                                                                       \
        for (int i = 0; i < LANES; ++i) {                                                                              \
            a[i] = (element)(i + 1);                                                                                   \
            b[i] = (element)(100 + i);                                                                                 \
        }                                                                                                              \
        F(store_by_2)(out, F(load)(a), F(load)(b));                                                                    \
        for (int i = 0; i < LANES; ++i) {                                                                              \
            CHECK(out[2 * i] == a[i] && out[2 * i + 1] == b[i]);                                                       \
        }                                                                                                              \
        free(out);                                                                                                     \
    } while (0)

static void CASE(paired)(void)
{
    CHECK_PAIR(F32, float);
    CHECK_PAIR(I32, int32_t);
}
#undef CHECK_PAIR
#undef ROWS

static void CASE(woven)(void)
{
    for (int32_t lanes = 1; lanes <= LANES; ++lanes) {
        for (int32_t count = 1; count <= LANES; ++count) {
            CASE(interleaved)(count, lanes, count);
            CASE(interleaved)(LANES + 3, lanes, count);
        }
    }
}

static void CASE(int_memory)(void)
{
    for (int32_t n = 0; n <= LANES; ++n) {
        const size_t bytes = (size_t)n * sizeof(int32_t);
        int32_t *const in = exactly(int_a, bytes);
        int32_t *const out = exactly(int_b, bytes);
        const I32V part = I32(load_part)(in, n);

        I32(store_part)(out, n, part);
        CHECK(memcmp(in, out, bytes) == 0);
        for (int i = 0; i < LANES; ++i) {
            CHECK(I32(lane)(part, i) == (i < n ? in[i] : 0));
        }
        free(in);
        free(out);
    }
    for (int stride = -1; stride <= 1; ++stride) {
        const int first = stride < 0 ? LANES - 1 : 0;
        int32_t strided[LANES];

        I32(store_strided)(strided + first, stride, I32(load_strided)(int_a + first, stride));
        for (int32_t n = 0; n <= LANES && stride != 0; ++n) {
            int32_t part[LANES] = {0};

            I32(store_strided_part)(part + first, stride, n, I32(load_strided_part)(int_a + first, stride, n));
            for (int i = 0; i < LANES; ++i) {
                const int lane = (i - first) / stride;

                CHECK(part[i] == (lane < n ? int_a[i] : 0));
            }
        }
        for (int i = 0; i < LANES && stride != 0; ++i) {
            CHECK(strided[i] == int_a[i]);
        }
    }
}

static void CASE(test_simd)(void)
{
    CASE(float_lanes)();
    CASE(int_lanes)();
    CASE(reductions)();
    CASE(float_memory)();
    CASE(every_other_float)();
    CASE(quotients_are_rounded_as_divisions)();
    CASE(woven)();
    CASE(paired)();
    CASE(int_memory)();
}

#undef F32V
#undef I32V
#undef F32
#undef I32
#undef CASE
#undef CHECK_F32
#undef CHECK_F32_MASK
#undef CHECK_I32
