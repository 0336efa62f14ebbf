#include "check.h"
#include "s2s_math.h"

/* What holds for signed types of any width. */
#define CHECK_SIGNED(name, type, bits, low, high)                                                                      \
    do {                                                                                                               \
        const type min = (low);                                                                                        \
        const type max = (high);                                                                                       \
        CHECK(s2s_##name##_add(max, 1) == min && s2s_##name##_add(-3, 5) == 2);                                        \
        CHECK(s2s_##name##_sub(min, 1) == max && s2s_##name##_sub(3, 5) == -2);                                        \
        CHECK(s2s_##name##_mul(max, 2) == -2 && s2s_##name##_mul(-3, 5) == -15);                                       \
        CHECK(s2s_##name##_mul(min, min) == 0 && s2s_##name##_mul(max, max) == 1);                                     \
        CHECK(s2s_##name##_neg(min) == min && s2s_##name##_neg(5) == -5);                                              \
        CHECK(s2s_##name##_abs(min) == min && s2s_##name##_abs(-5) == 5 && s2s_##name##_abs(5) == 5);                  \
        CHECK(s2s_##name##_sign(min) == -1 && s2s_##name##_sign(0) == 0 && s2s_##name##_sign(max) == 1);               \
        CHECK(s2s_##name##_min(-1, 1) == -1 && s2s_##name##_min(1, -1) == -1);                                         \
        CHECK(s2s_##name##_max(-1, 1) == 1 && s2s_##name##_max(1, -1) == 1);                                           \
        CHECK(s2s_##name##_div(7, -2) == -3 && s2s_##name##_div(7, 0) == 0 && s2s_##name##_div(min, -1) == min);       \
        CHECK(s2s_##name##_rem(-7, 3) == -1 && s2s_##name##_rem(7, 0) == 0 && s2s_##name##_rem(min, -1) == 0);         \
        CHECK(s2s_##name##_mod(-7, 3) == 2 && s2s_##name##_mod(7, -3) == -2 && s2s_##name##_mod(-7, -3) == -1);        \
        CHECK(s2s_##name##_mod(6, 3) == 0 && s2s_##name##_mod(6, 0) == 0);                                             \
        CHECK(s2s_##name##_pow(-3, 3) == -27 && s2s_##name##_pow(2, (bits)) == 0 && s2s_##name##_pow(0, 0) == 1);      \
        CHECK(s2s_##name##_pow(2, -1) == 0 && s2s_##name##_pow(1, -5) == 1 && s2s_##name##_pow(0, -1) == 0);           \
        CHECK(s2s_##name##_pow(-1, -5) == -1 && s2s_##name##_pow(-1, -4) == 1);                                        \
        CHECK(s2s_##name##_shift_left(1, (bits) - 1) == min && s2s_##name##_shift_left(-1, 1) == -2);                  \
        CHECK(s2s_##name##_shift_left(1, (bits)) == 0 && s2s_##name##_shift_left(1, -1) == 0);                         \
        CHECK(s2s_##name##_shift_right(-5, 1) == -3 && s2s_##name##_shift_right(max, (bits) - 2) == 1);                \
        CHECK(s2s_##name##_shift_right(-5, (bits)) == -1 && s2s_##name##_shift_right(5, -1) == 0);                     \
    } while (0)

/* What holds for unsigned types of any width. */
#define CHECK_UNSIGNED(name, type, bits, high)                                                                         \
    do {                                                                                                               \
        const type max = (high);                                                                                       \
        CHECK(s2s_##name##_add(max, 1) == 0 && s2s_##name##_add(3, 5) == 8);                                           \
        CHECK(s2s_##name##_sub(0, 1) == max && s2s_##name##_sub(5, 3) == 2);                                           \
        CHECK(s2s_##name##_mul(max, max) == 1 && s2s_##name##_mul(3, 5) == 15);                                        \
        CHECK(s2s_##name##_neg(1) == max && s2s_##name##_neg(0) == 0);                                                 \
        CHECK(s2s_##name##_abs(max) == max);                                                                           \
        CHECK(s2s_##name##_sign(max) == 1 && s2s_##name##_sign(0) == 0);                                               \
        CHECK(s2s_##name##_min(max, 1) == 1 && s2s_##name##_min(1, max) == 1);                                         \
        CHECK(s2s_##name##_max(max, 1) == max && s2s_##name##_max(1, max) == max);                                     \
        CHECK(s2s_##name##_div(7, 2) == 3 && s2s_##name##_div(7, 0) == 0);                                             \
        CHECK(s2s_##name##_rem(7, 4) == 3 && s2s_##name##_rem(7, 0) == 0);                                             \
        CHECK(s2s_##name##_mod(7, 4) == 3 && s2s_##name##_mod(7, 0) == 0);                                             \
        CHECK(s2s_##name##_leading_zeros(max) == 0 && s2s_##name##_leading_zeros(max >> 3) == 3);                      \
        CHECK(s2s_##name##_leading_zeros(0) == (bits) && s2s_##name##_leading_zeros(1) == (bits) - 1);                 \
        CHECK(s2s_##name##_pow(3, 4) == 81 && s2s_##name##_pow(2, (bits)) == 0 && s2s_##name##_pow(5, 0) == 1);        \
        CHECK(s2s_##name##_shift_left(1, (bits) - 1) == max / 2 + 1 && s2s_##name##_shift_left(1, (bits)) == 0);       \
        CHECK(s2s_##name##_shift_right(max, (bits) - 1) == 1 && s2s_##name##_shift_right(max, (bits)) == 0);           \
    } while (0)

static void signed_integers_wrap(void)
{
    CHECK_SIGNED(i8, int8_t, 8, INT8_MIN, INT8_MAX);
    CHECK_SIGNED(i16, int16_t, 16, INT16_MIN, INT16_MAX);
    CHECK_SIGNED(i32, int32_t, 32, INT32_MIN, INT32_MAX);
    CHECK_SIGNED(i64, int64_t, 64, INT64_MIN, INT64_MAX);
}

static void unsigned_integers_wrap(void)
{
    CHECK_UNSIGNED(u8, uint8_t, 8, UINT8_MAX);
    CHECK_UNSIGNED(u16, uint16_t, 16, UINT16_MAX);
    CHECK_UNSIGNED(u32, uint32_t, 32, UINT32_MAX);
    CHECK_UNSIGNED(u64, uint64_t, 64, UINT64_MAX);
}

void test_integer(void)
{
    signed_integers_wrap();
    unsigned_integers_wrap();
}
