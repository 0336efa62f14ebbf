#include "check.h"
#include "s2s_math.h"
#include "s2s_quantize.h"
#include "s2s_round.h"
#include "s2s_strips.h"

enum { MOST = 300 };

static uint32_t state = 1;

/* Numbers of all sizes, and both ends of the range. */
static int32_t number(void)
{
    state = state * 1664525u + 1013904223u;
    switch (state >> 29) {
    case 0:
        return INT32_MIN;
    case 1:
        return INT32_MAX;
    case 2:
        return (int32_t)(state >> 8) % 300 - 150;
    default:
        return (int32_t)((state >> 4) * 2654435761u) >> (state >> 27);
    }
}

static int8_t a8[MOST], b8[MOST], y8[MOST];
static int16_t a16[MOST], b16[MOST], y16[MOST];
static int32_t a32[MOST], b32[MOST], y32[MOST];
static float af[MOST], bf[MOST], yf[MOST];

static void draw(void)
{
    for (int32_t i = 0; i < MOST; i++) {
        a32[i] = number();
        b32[i] = number();
        a16[i] = (int16_t)(a32[i] & 0x7fff) - 0x4000;
        b16[i] = (int16_t)(b32[i] & 0x7fff) - 0x4000;
        a8[i] = (int8_t)((a32[i] & 0xff) - 128);
        b8[i] = (int8_t)((b32[i] & 0xff) - 128);
        af[i] = (float)a32[i] / 64.0f;
        bf[i] = (float)b8[i];
    }
    af[3] = bf[5] = af[7] = bf[7] = NAN;
}

/* The statement for all strips of `count` elements: `i` is the first one of a strip, and `n` their number. */
#define IN_STRIPS(count, statement)                                                                                    \
    for (int32_t i = 0, n; i < (count); i += n) {                                                                      \
        n = s2s_strip((count)-i);                                                                                      \
        CHECK(n > 0 && n <= (count)-i);                                                                                \
        statement;                                                                                                     \
    }
#define SAME(count, found, expected)                                                                                   \
    for (int32_t i = 0; i < (count); i++) {                                                                            \
        CHECK((found) == (expected));                                                                                  \
    }
#define SAME_NUMBER(count, found, expected)                                                                            \
    for (int32_t i = 0; i < (count); i++) {                                                                            \
        const float f = (found), e = (expected);                                                                       \
        CHECK(f == e || (f != f && e != e));                                                                           \
    }
#define BINARY(count, x, a, b, y, name, scalar)                                                                        \
    IN_STRIPS(count, s2s_##x##xn_store(&y[i],                                                                          \
                         s2s_##x##xn_##name(s2s_##x##xn_load(&a[i], n), s2s_##x##xn_load(&b[i], n), n), n))            \
    SAME_NUMBER(count, (float)y[i], (float)(scalar))

static void lanes_are_independent(int32_t count)
{
    BINARY(count, i16, a16, b16, y16, add, s2s_i16_add(a16[i], b16[i]))
    BINARY(count, i16, a16, b16, y16, sub, s2s_i16_sub(a16[i], b16[i]))
    BINARY(count, i32, a32, b32, y32, add, s2s_i32_add(a32[i], b32[i]))
    BINARY(count, i32, a32, b32, y32, sub, s2s_i32_sub(a32[i], b32[i]))
    BINARY(count, i32, a32, b32, y32, mul, s2s_i32_mul(a32[i], b32[i]))
    BINARY(count, i32, a32, b32, y32, min, s2s_i32_min(a32[i], b32[i]))
    BINARY(count, i32, a32, b32, y32, max, s2s_i32_max(a32[i], b32[i]))
    BINARY(count, f32, af, bf, yf, add, af[i] + bf[i])
    BINARY(count, f32, af, bf, yf, sub, af[i] - bf[i])
    BINARY(count, f32, af, bf, yf, mul, af[i] * bf[i])
    BINARY(count, f32, af, bf, yf, div, af[i] / bf[i])
    BINARY(count, f32, af, bf, yf, min, s2s_f32_min(af[i], bf[i]))
    BINARY(count, f32, af, bf, yf, max, s2s_f32_max(af[i], bf[i]))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i], s2s_i32xn_shift_right(s2s_i32xn_load(&a32[i], n), 5, n), n))
    SAME(count, y32[i], s2s_floor_shift_i32(a32[i], 5))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i], s2s_i32xn_div(s2s_i32xn_load(&a32[i], n), 125, n), n))
    SAME(count, y32[i], a32[i] / 125)
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_select(s2s_i32xn_greater(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n), n),
                                          s2s_i32xn_splat(62, n), s2s_i32xn_load(&b32[i], n), n), n))
    SAME(count, y32[i], a32[i] > b32[i] ? 62 : b32[i])
}

static void numbers_change_their_width(int32_t count)
{
    IN_STRIPS(count, s2s_i16xn_store(&y16[i], s2s_i16xn_of_i8(s2s_i8xn_load(&a8[i], n), n), n))
    SAME(count, y16[i], a8[i])
    IN_STRIPS(count, s2s_i32xn_store(&y32[i], s2s_i32xn_of_i8(s2s_i8xn_load(&a8[i], n), n), n))
    SAME(count, y32[i], a8[i])
    IN_STRIPS(count, s2s_i32xn_store(&y32[i], s2s_i32xn_of_i16(s2s_i16xn_load(&a16[i], n), n), n))
    SAME(count, y32[i], a16[i])
    IN_STRIPS(count, s2s_i8xn_store(&y8[i], s2s_i8xn_of_i32(s2s_i32xn_load(&a32[i], n), n), n))
    SAME(count, y8[i], (int8_t)a32[i])
    IN_STRIPS(count, s2s_i8xn_store(&y8[i], s2s_i8xn_saturated(s2s_i32xn_load(&a32[i], n), n), n))
    SAME(count, y8[i], s2s_saturate_i8(a32[i]))
    IN_STRIPS(count, s2s_f32xn_store(&yf[i], s2s_f32xn_of_i32(s2s_i32xn_load(&a32[i], n), n), n))
    SAME(count, yf[i], (float)a32[i])
}

static void floats_are_quantised(int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        af[i] = (i % 5 == 0) ? (float)a32[i] : (float)b8[i] * 1.5f + (float)(i % 4) * 0.25f;
    }
    IN_STRIPS(count, s2s_i8xn_store(&y8[i], s2s_i8xn_quantize(s2s_f32xn_load(&af[i], n), -128, n), n))
    SAME(count, y8[i], s2s_f32_quantize_i8(af[i], -128))
    IN_STRIPS(count, s2s_i8xn_store(&y8[i], s2s_i8xn_quantize(s2s_f32xn_load(&af[i], n), 5, n), n))
    SAME(count, y8[i], s2s_f32_quantize_i8(af[i], 5))
}

static void elements_lie_apart(int32_t count)
{
    IN_STRIPS(count, s2s_i8xn_store_strided(&y8[2 * i], 2, s2s_i8xn_load_strided(&a8[3 * i], 3, n), n))
    SAME(count, y8[2 * i], a8[3 * i])
    IN_STRIPS(count, s2s_i16xn_store_strided(&y16[2 * i], 2, s2s_i16xn_load_strided(&a16[3 * i], 3, n), n))
    SAME(count, y16[2 * i], a16[3 * i])
    IN_STRIPS(count, s2s_i32xn_store_strided(&y32[2 * i], 2, s2s_i32xn_load_strided(&a32[3 * i], 3, n), n))
    SAME(count, y32[2 * i], a32[3 * i])
    IN_STRIPS(count, s2s_f32xn_store_strided(&yf[2 * i], 2, s2s_f32xn_load_strided(&bf[3 * i], 3, n), n))
    SAME_NUMBER(count, yf[2 * i], bf[3 * i])
    IN_STRIPS(count, s2s_i8xn_store(&y8[i], s2s_i8xn_splat(-7, n), n))
    SAME(count, y8[i], -7)
    IN_STRIPS(count, s2s_i16xn_store(&y16[i], s2s_i16xn_splat(-700, n), n))
    SAME(count, y16[i], -700)
    IN_STRIPS(count, s2s_f32xn_store(&yf[i], s2s_f32xn_splat(0.5f, n), n))
    SAME(count, yf[i], 0.5f)
}

static void products_are_added(int32_t count)
{
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_add_products(s2s_i32xn_load(&a32[i], n), s2s_i16xn_load(&a16[i], n),
                                                s2s_i16xn_load(&b16[i], n), n), n))
    SAME(count, y32[i], s2s_i32_add(a32[i], a16[i] * b16[i]))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_add_multiples(s2s_i32xn_load(&a32[i], n), -32768, s2s_i16xn_load(&b16[i], n), n), n))
    SAME(count, y32[i], s2s_i32_add(a32[i], -32768 * b16[i]))
    IN_STRIPS(count / 4, s2s_i32xn_store(&y32[i],
                             s2s_i32xn_add_dots(s2s_i32xn_load(&a32[i], n), s2s_i8x4_load(b8), s2s_i8x4xn_load(&a8[4 * i], n), n), n))
    SAME(count / 4, y32[i], s2s_i8x4_dot(a32[i], s2s_i8x4_load(b8), s2s_i8x4_load(&a8[4 * i])))
    SAME(count / 4, y32[i], s2s_i32_add(a32[i], b8[0] * a8[4 * i] + b8[1] * a8[4 * i + 1] + b8[2] * a8[4 * i + 2]
                                                    + b8[3] * a8[4 * i + 3]))
    IN_STRIPS(count, s2s_f32xn_store(&yf[i],
                         s2s_f32xn_add_products(s2s_f32xn_splat(2.0f, n), s2s_f32xn_load(&bf[i], n),
                                                s2s_f32xn_load(&bf[i], n), n), n))
    SAME_NUMBER(count, yf[i], 2.0f + bf[i] * bf[i])
    IN_STRIPS(count, s2s_f32xn_store(&yf[i],
                         s2s_f32xn_add_multiples(s2s_f32xn_splat(2.0f, n), 3.0f, s2s_f32xn_load(&bf[i], n), n), n))
    SAME_NUMBER(count, yf[i], 2.0f + 3.0f * bf[i])
}

/* All multipliers are positive but those of _double and _single, which are greater than INT32_MIN. */
static void sums_are_rescaled(int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        b32[i] = s2s_i32_max(b32[i], -INT32_MAX);
        b8[i] = (int8_t)(b8[i] % 31);
    }
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_rescale_double(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n),
                                                  s2s_i8xn_load(&b8[i], n), n), n))
    SAME(count, y32[i], s2s_rescale_double(a32[i], b32[i], b8[i]))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_rescale_single(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n),
                                                  s2s_i8xn_load(&b8[i], n), n), n))
    SAME(count, y32[i], s2s_rescale_single(a32[i], b32[i], b8[i]))
    for (int32_t i = 0; i < count; i++) {
        a32[i] /= 4;
        a32[i] = s2s_i32_min(s2s_i32_max(a32[i], 1 - (1 << 29)), (1 << 29) - 1);
        b32[i] &= INT32_MAX;
        b8[i] = (int8_t)(-1 - i % 22);
    }
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_rescale_high(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n), n), n))
    SAME(count, y32[i], s2s_rescale_high(a32[i], b32[i]))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_rescale_negative(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n),
                                                    s2s_i8xn_load(&b8[i], n), -255, n), n))
    SAME(count, y32[i], s2s_rescale_negative(a32[i], b32[i], b8[i], -255))
    IN_STRIPS(count, s2s_i32xn_store(&y32[i],
                         s2s_i32xn_rescale_upward(s2s_i32xn_load(&a32[i], n), s2s_i32xn_load(&b32[i], n),
                                                  s2s_i8xn_load(&b8[i], n), 255, n), n))
    SAME(count, y32[i], s2s_rescale_upward(a32[i], b32[i], b8[i], 255))
}

void test_strips(void)
{
    for (int32_t count = 1; count <= 100; count += 1 + count / 3) {
        draw();
        lanes_are_independent(count);
        numbers_change_their_width(count);
        floats_are_quantised(count);
        elements_lie_apart(count);
        products_are_added(count);
        sums_are_rescaled(count);
    }
}
