#include "check.h"
#include "s2s_exp.h"
#include "s2s_math.h"

#include <string.h>

static int same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static int same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void extremes_propagate_nan(void)
{
    CHECK(same_float(s2s_f32_min(1.0f, 2.0f), 1.0f) && same_float(s2s_f32_min(2.0f, 1.0f), 1.0f));
    CHECK(same_float(s2s_f32_max(1.0f, 2.0f), 2.0f) && same_float(s2s_f32_max(2.0f, 1.0f), 2.0f));
    CHECK(isnan(s2s_f32_min(NAN, 1.0f)) && isnan(s2s_f32_min(1.0f, NAN)));
    CHECK(isnan(s2s_f32_max(NAN, 1.0f)) && isnan(s2s_f32_max(1.0f, NAN)));
    CHECK(same_double(s2s_f64_min(1.0, 2.0), 1.0) && same_double(s2s_f64_min(2.0, 1.0), 1.0));
    CHECK(same_double(s2s_f64_max(1.0, 2.0), 2.0) && same_double(s2s_f64_max(2.0, 1.0), 2.0));
    CHECK(isnan(s2s_f64_min((double)NAN, 1.0)) && isnan(s2s_f64_min(1.0, (double)NAN)));
    CHECK(isnan(s2s_f64_max((double)NAN, 1.0)) && isnan(s2s_f64_max(1.0, (double)NAN)));
}

static void signs_keep_zero_and_nan(void)
{
    CHECK(same_float(s2s_f32_sign(3.0f), 1.0f) && same_float(s2s_f32_sign(-0.5f), -1.0f));
    CHECK(same_float(s2s_f32_sign(-0.0f), -0.0f) && isnan(s2s_f32_sign(NAN)));
    CHECK(same_double(s2s_f64_sign(3.0), 1.0) && same_double(s2s_f64_sign(-0.5), -1.0));
    CHECK(same_double(s2s_f64_sign(-0.0), -0.0) && isnan(s2s_f64_sign((double)NAN)));
}

static void truth_values_are_read_as_bytes(void)
{
    static const bool values[3] = {true, false, true};

    CHECK(s2s_bool_at(values, 0) && !s2s_bool_at(values, 1) && s2s_bool_at(values, 2));
}

/* The limits of the type, the floats next to them on both sides, infinities and NaN. */
#define CHECK_CASTS(name, low, high)                                                                                   \
    do {                                                                                                               \
        const double above = ldexp((double)((high) / 2 + 1), 1);                                                       \
        CHECK(s2s_f32_to_##name(1.75f) == 1 && s2s_f64_to_##name(1.75) == 1);                                          \
        CHECK(s2s_f32_to_##name(-0.75f) == 0 && s2s_f64_to_##name(-0.75) == 0);                                        \
        CHECK(s2s_f32_to_##name(NAN) == 0 && s2s_f64_to_##name((double)NAN) == 0);                                     \
        CHECK(s2s_f32_to_##name(INFINITY) == (high) && s2s_f64_to_##name((double)INFINITY) == (high));                 \
        CHECK(s2s_f32_to_##name(-INFINITY) == (low) && s2s_f64_to_##name(-(double)INFINITY) == (low));                 \
        CHECK(s2s_f32_to_##name((float)above) == (high) && s2s_f64_to_##name(above) == (high));                        \
        CHECK(s2s_f32_to_##name((float)(low)) == (low) && s2s_f64_to_##name((double)(low)) == (low));                  \
        CHECK(s2s_f32_to_##name(nextafterf((float)above, 0.0f)) ==                                                     \
              (nextafterf((float)above, 0.0f) < (float)above                                                           \
                   ? s2s_f64_to_##name((double)nextafterf((float)above, 0.0f))                                         \
                   : (high)));                                                                                         \
        CHECK(s2s_f64_to_##name(nextafter(above, 0.0)) <= (high));                                                     \
    } while (0)

static void casts_stop_at_the_limits(void)
{
    CHECK_CASTS(i8, INT8_MIN, INT8_MAX);
    CHECK_CASTS(i16, INT16_MIN, INT16_MAX);
    CHECK_CASTS(i32, INT32_MIN, INT32_MAX);
    CHECK_CASTS(i64, INT64_MIN, INT64_MAX);
    CHECK_CASTS(u8, 0, UINT8_MAX);
    CHECK_CASTS(u16, 0, UINT16_MAX);
    CHECK_CASTS(u32, 0u, UINT32_MAX);
    CHECK_CASTS(u64, 0u, UINT64_MAX);
    CHECK(s2s_f32_to_i8(127.9f) == 127 && s2s_f32_to_i8(-128.9f) == -128);
    CHECK(s2s_f32_to_i32(2147483520.0f) == 2147483520);
    CHECK(s2s_f64_to_i32(2147483647.5) == INT32_MAX && s2s_f64_to_i32(-2147483648.5) == INT32_MIN);
    CHECK(s2s_f32_to_u8(255.5f) == 255 && s2s_f32_to_u8(-3.0f) == 0);
    CHECK(s2s_f64_to_u64(18446744073709549568.0) == UINT64_C(18446744073709549568));
}

/* The bits of some results with -ffp-contract=off; within 1 ULP however it is compiled. */
static void the_exponential_function_is_right_at_its_ends(void)
{
    CHECK(same_float(s2s_f32_exp(0.0f), 1.0f) && same_float(s2s_f32_exp(-0.0f), 1.0f));
    CHECK(same_float(s2s_f32_exp(-INFINITY), 0.0f) && same_float(s2s_f32_exp(-104.0f), 0.0f));
    CHECK(same_float(s2s_f32_exp(INFINITY), INFINITY) && same_float(s2s_f32_exp(88.73f), INFINITY));
    CHECK(isnan(s2s_f32_exp(NAN)));
    CHECK(same_float(s2s_f32_exp(-103.5f), 1.40129846e-45f) && s2s_f32_exp(88.72f) > 3.3e38f);
}

static void the_exponential_function_is_within_a_unit_of_the_last_place(void)
{
    double worst = 0.0;

    for (int32_t i = -1040000; i < 887200; i += 7) {
        const float x = (float)i * 1e-4f;
        const double wanted = exp((double)x);
        const float near = (float)wanted;
        const double unit = (double)nextafterf(near, INFINITY) - (double)near;
        const double apart = fabs((double)s2s_f32_exp(x) - wanted) / unit;

        worst = apart > worst ? apart : worst;
    }
    CHECK(worst < 1.0);
}

void test_math(void)
{
    the_exponential_function_is_right_at_its_ends();
    the_exponential_function_is_within_a_unit_of_the_last_place();
    extremes_propagate_nan();
    signs_keep_zero_and_nan();
    truth_values_are_read_as_bytes();
    casts_stop_at_the_limits();
}
