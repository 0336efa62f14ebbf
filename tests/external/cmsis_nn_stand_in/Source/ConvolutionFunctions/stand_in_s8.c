/* What the functions are documented to compute, element by element: TFLite's integer semantics with two roundings. */
#include "arm_nnfunctions.h"
#include "stand_in.h"

static int is_inside(int32_t y, int32_t x, const cmsis_nn_dims *dims)
{
    return y >= 0 && y < dims->h && x >= 0 && x < dims->w;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *params,
                                            const cmsis_nn_per_channel_quant_params *quant,
                                            const cmsis_nn_dims *input_dims, const int8_t *input,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                            const cmsis_nn_dims *output_dims, int8_t *output)
{
    const int32_t groups = input_dims->c / filter_dims->c, channels = filter_dims->c;

    (void)ctx;
    (void)bias_dims;
    for (int32_t at = 0; at < input_dims->n * output_dims->h * output_dims->w * output_dims->c; at++) {
        const int32_t o = at % output_dims->c, x = at / output_dims->c % output_dims->w;
        const int32_t y = at / output_dims->c / output_dims->w % output_dims->h;
        const int32_t n = at / output_dims->c / output_dims->w / output_dims->h;
        const int32_t first = o / (output_dims->c / groups) * channels;
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (int32_t ky = 0; ky < filter_dims->h; ky++) {
            for (int32_t kx = 0; kx < filter_dims->w; kx++) {
                const int32_t iy = y * params->stride.h - params->padding.h + ky * params->dilation.h;
                const int32_t ix = x * params->stride.w - params->padding.w + kx * params->dilation.w;
                if (!is_inside(iy, ix, input_dims)) {
                    continue;
                }
                for (int32_t c = 0; c < channels; c++) {
                    const int32_t value = input[((n * input_dims->h + iy) * input_dims->w + ix) * input_dims->c + first + c];
                    const int32_t weight = filter[((o * filter_dims->h + ky) * filter_dims->w + kx) * channels + c];
                    sum += (value + params->input_offset) * weight;
                }
            }
        }
        sum = requantise(sum, quant->multiplier[o], quant->shift[o]) + params->output_offset;
        output[at] = (int8_t)clamp(sum, params->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *params,
                                                  const cmsis_nn_per_channel_quant_params *quant,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                                  const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)ctx;
    (void)bias_dims;
    for (int32_t at = 0; at < output_dims->h * output_dims->w * output_dims->c; at++) {
        const int32_t o = at % output_dims->c, x = at / output_dims->c % output_dims->w;
        const int32_t y = at / output_dims->c / output_dims->w;
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (int32_t ky = 0; ky < filter_dims->h; ky++) {
            for (int32_t kx = 0; kx < filter_dims->w; kx++) {
                const int32_t iy = y * params->stride.h - params->padding.h + ky * params->dilation.h;
                const int32_t ix = x * params->stride.w - params->padding.w + kx * params->dilation.w;
                if (is_inside(iy, ix, input_dims)) {
                    const int32_t value = input[(iy * input_dims->w + ix) * input_dims->c + o / params->ch_mult];
                    const int32_t weight = filter[(ky * filter_dims->w + kx) * output_dims->c + o];
                    sum += (value + params->input_offset) * weight;
                }
            }
        }
        sum = requantise(sum, quant->multiplier[o], quant->shift[o]) + params->output_offset;
        output[at] = (int8_t)clamp(sum, params->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *params,
                                           const cmsis_nn_per_tensor_quant_params *quant,
                                           const cmsis_nn_dims *input_dims, const int8_t *input,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                           const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)ctx;
    (void)bias_dims;
    for (int32_t at = 0; at < input_dims->n * output_dims->c; at++) {
        const int32_t n = at / output_dims->c, o = at % output_dims->c;
        int32_t sum = bias != NULL ? bias[o] : 0;
        for (int32_t k = 0; k < filter_dims->n; k++) {
            sum += (input[n * filter_dims->n + k] + params->input_offset)
                   * (filter[o * filter_dims->n + k] + params->filter_offset);
        }
        sum = requantise(sum, quant->multiplier, quant->shift) + params->output_offset;
        output[at] = (int8_t)clamp(sum, params->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

static arm_cmsis_nn_status pool(const cmsis_nn_pool_params *params, const cmsis_nn_dims *input_dims,
                                const int8_t *input, const cmsis_nn_dims *filter_dims,
                                const cmsis_nn_dims *output_dims, int8_t *output, int average)
{
    const int32_t channels = input_dims->c;

    for (int32_t at = 0; at < input_dims->n * output_dims->h * output_dims->w * channels; at++) {
        const int32_t c = at % channels, x = at / channels % output_dims->w;
        const int32_t y = at / channels / output_dims->w % output_dims->h;
        const int32_t n = at / channels / output_dims->w / output_dims->h;
        int32_t sum = 0, count = 0, most = INT8_MIN;
        for (int32_t k = 0; k < filter_dims->h * filter_dims->w; k++) {
            const int32_t iy = y * params->stride.h - params->padding.h + k / filter_dims->w;
            const int32_t ix = x * params->stride.w - params->padding.w + k % filter_dims->w;
            if (is_inside(iy, ix, input_dims)) {
                const int32_t value = input[((n * input_dims->h + iy) * input_dims->w + ix) * channels + c];
                sum += value;
                count++;
                most = value > most ? value : most;
            }
        }
        sum = count == 0 ? 0 : (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
        output[at] = (int8_t)clamp(average ? sum : most, params->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)ctx;
    return pool(params, input_dims, input, filter_dims, output_dims, output, 1);
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output)
{
    (void)ctx;
    return pool(params, input_dims, input, filter_dims, output_dims, output, 0);
}
