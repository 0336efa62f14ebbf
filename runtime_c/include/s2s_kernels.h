/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_kernels.h: kernels as packed functions.
 *
 * A table has a row for each kernel. s2s_call_kernel is the packed function of all of them; its resource is the row. It
 * takes the inputs of the kernel, its results and its scratch buffers as tensors, checks them against the row, and calls
 * the kernel with bare pointers. */
#ifndef S2S_KERNELS_H
#define S2S_KERNELS_H

#include "s2s_graph.h"
#include "s2s_packed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of arguments of a kernel that s2s_call_kernel calls. */
#ifndef S2S_KERNEL_ARGUMENTS
#define S2S_KERNEL_ARGUMENTS 256
#endif

/* A tensor of which a kernel takes the address. */
typedef struct s2s_kernel_argument {
    uint64_t elements;
    s2s_dtype dtype;
} s2s_kernel_argument;

typedef struct s2s_kernel_row {
    const char *name;
    s2s_kernel kernel;                    /* with its results first, then its inputs, then its scratch buffers */
    const s2s_kernel_argument *arguments; /* in the same order */
    uint32_t num_results;
    uint32_t num_inputs;
    uint32_t num_scratch;
} s2s_kernel_row;

/* The packed function of all kernels; resource points at the row. */
int s2s_call_kernel(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource);

/* Adds all kernels of a table to a registry. Errors: those of s2s_registry_add. */
s2s_status s2s_registry_add_kernels(s2s_registry *registry, const s2s_kernel_row *rows, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
