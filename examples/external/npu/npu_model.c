/* What the engine does, in C: for tests on a machine that has none. A chip has this in silicon. */
#include "npu_registers.h"

volatile npu_registers npu_model_registers;

static float local[NPU_LOCAL_SIZE];

static int is_outside(uintptr_t at, uint32_t count)
{
    return at > NPU_LOCAL_SIZE || count > NPU_LOCAL_SIZE - at;
}

static float column(const float *input, const float *panel, uint32_t depth, float sum)
{
    for (uint32_t k = 0; k < depth; k++) {
        sum += input[k] * panel[k * NPU_LANES];
    }
    return sum;
}

void npu_model_write(void)
{
    volatile npu_registers *r = &npu_model_registers;
    const uint32_t rows = r->rows, columns = r->columns, depth = r->depth, flags = r->flags;
    const float *input = (const float *)r->input, *weights = (const float *)r->weights, *bias = (const float *)r->bias;
    float *output = (float *)r->output;

    r->start = 0;
    if (columns % NPU_LANES != 0 || ((flags & NPU_FLAG_LOCAL_INPUT) && is_outside(r->input, rows * depth))
        || ((flags & NPU_FLAG_LOCAL_OUTPUT) && is_outside(r->output, rows * columns))) {
        r->status = NPU_ERROR;
        return;
    }
    if (flags & NPU_FLAG_LOCAL_INPUT) {
        input = local + r->input;
    }
    if (flags & NPU_FLAG_LOCAL_OUTPUT) {
        output = local + r->output;
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            const float *panel = weights + j / NPU_LANES * depth * NPU_LANES + j % NPU_LANES;
            const float sum = column(input + i * depth, panel, depth, bias[j]);
            output[i * columns + j] = (flags & NPU_FLAG_RELU) && sum < 0.0f ? 0.0f : sum;
        }
    }
    r->status = NPU_DONE;
}
