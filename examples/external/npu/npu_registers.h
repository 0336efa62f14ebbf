/* The registers of the engine. On a chip they are a struct at a fixed address; here they are a variable, and a C model
 * does what the engine would do when `start` is written. */
#ifndef NPU_REGISTERS_H
#define NPU_REGISTERS_H

#include <stdint.h>

#define NPU_LANES 4         /* columns that are computed at a time: weights come in panels of so many */
#define NPU_LOCAL_SIZE 4096 /* floats of memory of its own, which keeps results for the next command */

#define NPU_FLAG_RELU 1u
#define NPU_FLAG_LOCAL_INPUT 2u  /* `input` is an offset in the engine's own memory */
#define NPU_FLAG_LOCAL_OUTPUT 4u /* and so is `output` */

#define NPU_IDLE 0u
#define NPU_DONE 1u
#define NPU_ERROR 2u

typedef struct {
    uintptr_t input;   /* float[rows][depth] */
    uintptr_t weights; /* float[columns / NPU_LANES][depth][NPU_LANES] */
    uintptr_t bias;    /* float[columns] */
    uintptr_t output;  /* float[rows][columns] */
    uint32_t rows;
    uint32_t columns;
    uint32_t depth;
    uint32_t flags;
    uint32_t start; /* written last: begins a product */
    uint32_t status;
} npu_registers;

#ifndef NPU
extern volatile npu_registers npu_model_registers;
void npu_model_write(void); /* the bus: tells the model that `start` was written */
#define NPU (&npu_model_registers)
#define NPU_WRITTEN() npu_model_write()
#endif
#ifndef NPU_WRITTEN
#define NPU_WRITTEN() ((void)0)
#endif

#endif
