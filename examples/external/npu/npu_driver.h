/* The driver: what generated code calls. */
#ifndef NPU_DRIVER_H
#define NPU_DRIVER_H

#include <stdint.h>

#include "npu_registers.h"

/* A place in the memory of the engine, as input or output of a product. */
#define NPU_LOCAL(offset) ((uintptr_t)(offset))
/* A place in the memory of the core. */
#define NPU_MAIN(pointer) ((uintptr_t)(pointer))

/* output = input weights + bias; waits until the engine is done. Returns NPU_DONE or NPU_ERROR. */
uint32_t npu_product(uintptr_t input, const float *weights, const float *bias, uintptr_t output, uint32_t rows,
                     uint32_t columns, uint32_t depth, uint32_t flags);

#endif
