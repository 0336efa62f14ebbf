/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_program.h: loads TVM's graph JSON and params on a host and runs them on packed functions of a registry.
 *
 *     s2s_program program;
 *     s2s_file_error error;
 *
 *     s2s_program_load(&program, json, json_size, &registry, memory, memory_size, &error);
 *     s2s_program_load_params(&program, params, params_size, &error);
 *     s2s_program_input_index(&program, "image", &index);
 *     s2s_program_set_input(&program, index, &image);
 *     s2s_program_run(&program);
 *     scores = s2s_program_output(&program, 0);
 *
 * Nothing in a file is trusted: every number is checked before it is used. All memory is the caller's: the loader takes
 * from `memory` what it needs, tensors included, and reports S2S_ERR_ARENA_SIZE if there is too little. Of the JSON
 * and the params nothing is referred to later; registry and functions must outlive the program.
 *
 * Functions are called with their inputs, then their outputs (scratch buffers included), as tensors. These names are
 * no functions of the registry:
 *
 *     __nop         the output is the input in another shape, in the same storage
 *     __copy        the output gets the bytes of the input
 *     s2s.concat    the output gets the bytes of the inputs, one after another
 *     s2s.split     the outputs get the bytes of the input, one after another
 *
 * A program that was altered may compute nonsense, but only within its memory, as far as its functions check what they
 * are given (s2s_call_kernel does). One program serves one thread at a time. */
#ifndef S2S_PROGRAM_H
#define S2S_PROGRAM_H

#include "s2s_packed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of dimensions of a tensor. */
#define S2S_PROGRAM_RANK 32

/* Where a file is wrong, and how; null if it is not the file. */
typedef struct s2s_file_error {
    const char *what;
    size_t at;
} s2s_file_error;

typedef enum s2s_program_kind {
    S2S_NODE_SOURCE = 0,
    S2S_NODE_CALL,
    S2S_NODE_NOTHING,
    S2S_NODE_MOVE
} s2s_program_kind;

typedef struct s2s_program_node {
    const char *name;
    const s2s_function *function; /* of a call */
    s2s_value *args;              /* inputs, then outputs: pointers to tensors */
    int *type_codes;
    s2s_program_kind kind;
    uint32_t num_inputs;
    uint32_t num_outputs;
    uint32_t first_entry; /* its outputs are tensors[first_entry] and on */
} s2s_program_node;

/* Fields are for reading only. */
typedef struct s2s_program {
    s2s_program_node *nodes;
    s2s_tensor *tensors; /* one for each entry */
    uint32_t *inputs;    /* numbers of nodes */
    uint32_t *outputs;   /* numbers of tensors */
    uint32_t *storage;   /* of each entry */
    void **memories;     /* of each storage */
    uint32_t num_nodes;
    uint32_t num_entries;
    uint32_t num_inputs;
    uint32_t num_outputs;
} s2s_program;

/* Errors: S2S_ERR_NULL, S2S_ERR_GRAPH (the file; error says where), S2S_ERR_NAME (a function is not in the registry),
 * S2S_ERR_ARENA_SIZE. */
s2s_status s2s_program_load(s2s_program *program, const char *json, size_t json_size, const s2s_registry *registry,
                            void *memory, size_t memory_size, s2s_file_error *error);

/* Copies the arrays of a params blob to the inputs of their names; other names are skipped.
 * Errors: S2S_ERR_NULL, S2S_ERR_GRAPH (the file), S2S_ERR_DTYPE, S2S_ERR_RANK, S2S_ERR_SHAPE. */
s2s_status s2s_program_load_params(s2s_program *program, const void *params, size_t params_size, s2s_file_error *error);

/* Lets the inputs that a params blob names read the memory of those of another program. Errors: as load_params, and
 * S2S_ERR_UNBOUND where the other one has no value. */
s2s_status s2s_program_share_params(s2s_program *program, const s2s_program *other, const void *params,
                                    size_t params_size, s2s_file_error *error);

/* Finds an input, parameters included. Errors: S2S_ERR_NULL, S2S_ERR_NAME. */
s2s_status s2s_program_input_index(const s2s_program *program, const char *name, uint32_t *index);

/* The tensor of an input (its data is null until it has a value) or of an output; null if there is none. */
const s2s_tensor *s2s_program_input(const s2s_program *program, uint32_t index);
const s2s_tensor *s2s_program_output(const s2s_program *program, uint32_t index);

/* Copies a value to an input, or lets it read the memory of the value.
 * Errors: S2S_ERR_NULL, S2S_ERR_INDEX, or what is wrong with value: S2S_ERR_DEVICE, S2S_ERR_DTYPE, S2S_ERR_RANK,
 * S2S_ERR_SHAPE, S2S_ERR_STRIDES, S2S_ERR_ALIGN. */
s2s_status s2s_program_set_input(s2s_program *program, uint32_t index, const s2s_tensor *value);
s2s_status s2s_program_set_input_zero_copy(s2s_program *program, uint32_t index, const s2s_tensor *value);

/* Writes an output to the memory of value at each run. Errors: as set_input, and S2S_ERR_STATE for an output that is an
 * input. */
s2s_status s2s_program_set_output_zero_copy(s2s_program *program, uint32_t index, const s2s_tensor *value);

/* Copies an output into the memory of value. Errors: as set_input. */
s2s_status s2s_program_get_output(const s2s_program *program, uint32_t index, const s2s_tensor *value);

/* Runs one node, or all. Errors: S2S_ERR_NULL, S2S_ERR_INDEX, S2S_ERR_UNBOUND, S2S_ERR_STATE (a function failed;
 * s2s_get_last_error tells why). */
s2s_status s2s_program_run_node(s2s_program *program, uint32_t node);
s2s_status s2s_program_run(s2s_program *program);

#ifdef __cplusplus
}
#endif
#endif
