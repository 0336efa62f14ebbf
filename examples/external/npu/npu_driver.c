#include "npu_driver.h"

uint32_t npu_product(uintptr_t input, const float *weights, const float *bias, uintptr_t output, uint32_t rows,
                     uint32_t columns, uint32_t depth, uint32_t flags)
{
    NPU->input = input;
    NPU->weights = (uintptr_t)weights;
    NPU->bias = (uintptr_t)bias;
    NPU->output = output;
    NPU->rows = rows;
    NPU->columns = columns;
    NPU->depth = depth;
    NPU->flags = flags;
    NPU->status = NPU_IDLE;
    NPU->start = 1u;
    NPU_WRITTEN();
    while (NPU->status == NPU_IDLE) {
        /* A driver with an interrupt would sleep here. */
    }
    return NPU->status;
}
