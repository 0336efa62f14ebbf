/* Softmax of rows in gemmlowp's fixed point, as TFLite's reference computes it. */
#include "arm_nnfunctions.h"
#include "stand_in.h"

#define FRACTION_BITS 26 /* of exponents: five integer bits */
#define SUM_BITS 12      /* integer bits of a sum of exponentials */

/* e^x for x <= 0, without integer bits: a Taylor series at -1/8, and a factor for each bit above a quarter. */
static int32_t exponential(int32_t x)
{
    static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t quarter = 1 << (FRACTION_BITS - 2), fraction = (x & (quarter - 1)) - quarter;
    const int32_t near = fraction * 32 + (1 << 28), square = high_product(near, near);
    const int32_t higher = halved(high_product(square, square), 2) + high_product(square, near);
    int32_t y = near + halved(high_product(higher, 715827883) + square, 1);

    if (x == 0) {
        return INT32_MAX;
    }
    y = high_product(y, 1895147668) + 1895147668;
    for (int k = 0; k < 7; k++) {
        if (((fraction - x) >> (FRACTION_BITS - 2 + k)) & 1) {
            y = high_product(y, powers[k]);
        }
    }
    return y;
}

/* 1 / (1 + x) for 0 <= x < 1, all without integer bits, by three steps of Newton's method. */
static int32_t reciprocal(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + ((int64_t)1 << 31)) / 2);
    int32_t y = high_product(half, -1010580540) + 1515870810;

    for (int step = 0; step < 3; step++) {
        y += high_product(y, (1 << 29) - high_product(half, y)) * 4;
    }
    return y >= 1 << 30 ? INT32_MAX : 2 * y;
}

static int32_t power(int32_t difference, int32_t mult, int32_t shift)
{
    return exponential(high_product((int64_t)difference * ((int64_t)1 << shift), mult));
}

void arm_softmax_s8(const int8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, int8_t *output)
{
    const cmsis_nn_activation limits = {INT8_MIN, INT8_MAX};

    for (int32_t row = 0; row < num_rows; row++, input += row_size, output += row_size) {
        int32_t most = INT8_MIN, sum = 0, zeros = 0;

        for (int32_t i = 0; i < row_size; i++) {
            most = input[i] > most ? input[i] : most;
        }
        for (int32_t i = 0; i < row_size; i++) {
            sum += input[i] - most >= diff_min ? halved(power(input[i] - most, mult, shift), SUM_BITS) : 0;
        }
        while (!(((uint32_t)sum << zeros) >> 31)) {
            zeros++;
        }
        const int32_t scale = reciprocal((int32_t)(((uint32_t)sum << zeros) & INT32_MAX));
        for (int32_t i = 0; i < row_size; i++) {
            output[i] = INT8_MIN;
            if (input[i] - most >= diff_min) {
                const int32_t y = high_product(scale, power(input[i] - most, mult, shift));
                output[i] = (int8_t)clamp(halved(y, SUM_BITS + 23 - zeros) + INT8_MIN, limits);
            }
        }
    }
}
