/* Sums and products of two tensors: TFLite's integer semantics with two roundings. */
#include "arm_nnfunctions.h"
#include "stand_in.h"

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1, const int8_t *input_2, const int32_t input_1_offset,
                                           const int32_t input_1_mult, const int32_t input_1_shift,
                                           const int32_t input_2_offset, const int32_t input_2_mult,
                                           const int32_t input_2_shift, const int32_t left_shift, int8_t *output,
                                           const int32_t out_offset, const int32_t out_mult, const int32_t out_shift,
                                           const int32_t out_activation_min, const int32_t out_activation_max,
                                           const int32_t block_size)
{
    const cmsis_nn_activation limits = {out_activation_min, out_activation_max};

    for (int32_t i = 0; i < block_size; i++) {
        const int32_t a = (input_1[i] + input_1_offset) * ((int32_t)1 << left_shift);
        const int32_t b = (input_2[i] + input_2_offset) * ((int32_t)1 << left_shift);
        const int32_t sum = requantise(a, input_1_mult, input_1_shift) + requantise(b, input_2_mult, input_2_shift);

        output[i] = (int8_t)clamp(requantise(sum, out_mult, out_shift) + out_offset, limits);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1, const int8_t *input_2, const int32_t input_1_offset,
                                           const int32_t input_2_offset, int8_t *output, const int32_t out_offset,
                                           const int32_t out_mult, const int32_t out_shift,
                                           const int32_t out_activation_min, const int32_t out_activation_max,
                                           const int32_t block_size)
{
    const cmsis_nn_activation limits = {out_activation_min, out_activation_max};

    for (int32_t i = 0; i < block_size; i++) {
        const int32_t product = (input_1[i] + input_1_offset) * (input_2[i] + input_2_offset);

        output[i] = (int8_t)clamp(requantise(product, out_mult, out_shift) + out_offset, limits);
    }
    return ARM_CMSIS_NN_SUCCESS;
}
