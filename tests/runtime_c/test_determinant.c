/* Determinants by Gaussian elimination. */
#include "check.h"
#include "s2s_determinant.h"

#include <math.h>

static void determinants_of_several_matrices(void)
{
    static const float x[] = {2.0f, 0.0f, 1.0f, 4.0f, 3.0f, 2.0f, 6.0f, 1.0f, 5.0f,
                              1.0f, 2.0f, 3.0f, 2.0f, 4.0f, 6.0f, 1.0f, 0.0f, 1.0f};
    float scratch[9], y[2];

    s2s_determinant_f32(y, scratch, x, 2, 3);
    CHECK(fabsf(y[0] - 12.0f) < 1e-4f);
    CHECK(fabsf(y[1]) < 1e-5f);
}

static void rows_change_places(void)
{
    static const double x[] = {0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 5.0, 0.0, 0.0};
    double scratch[9], y;

    s2s_determinant_f64(&y, scratch, x, 1, 3);
    CHECK(y == 30.0);
}

static void a_matrix_with_a_column_of_zeros_has_none(void)
{
    static const float x[] = {0.0f, 1.0f, 0.0f, 2.0f};
    float scratch[4], y = 1.0f;

    s2s_determinant_f32(&y, scratch, x, 1, 2);
    CHECK(y == 0.0f);
}

static void nan_is_not_lost(void)
{
    static const float places[] = {0.0f, 1.0f, 2.0f, 3.0f};
    float x[4], scratch[4], y;

    for (int32_t i = 0; i < 4; ++i) {
        for (int32_t j = 0; j < 4; ++j) {
            x[j] = i == j ? NAN : 1.0f + places[j] * places[j];
        }
        s2s_determinant_f32(&y, scratch, x, 1, 2);
        CHECK(y != y);
    }
}

void test_determinant(void)
{
    determinants_of_several_matrices();
    rows_change_places();
    a_matrix_with_a_column_of_zeros_has_none();
    nan_is_not_lost();
}
