/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_executor.h: runs a network kernel by kernel over constant tables.
 *
 *     static s2s_executor executor;
 *     static void *slots[KWS_GRAPH_SLOTS];
 *     S2S_ARENA(arena, KWS_GRAPH_STAGED_SIZE, KWS_ARENA_ALIGN);
 *     s2s_tensor mfcc, scores;
 *
 *     s2s_executor_init(&executor, &kws_graph, arena, sizeof arena, slots, KWS_GRAPH_SLOTS);
 *     s2s_executor_input_info(&executor, 0, &mfcc, NULL);
 *     mfcc.data = samples;
 *     s2s_executor_set_input(&executor, 0, &mfcc);
 *     s2s_executor_run(&executor);
 *     s2s_executor_output_info(&executor, 0, &scores, NULL);   (scores.data points at the result)
 *
 * Every call returns a status; after an error nothing has changed.
 *
 * Ownership: the caller owns executor, arena, slots, graph and all bound memory, which must stay until the executor is
 * no longer used. Nothing is allocated, and there is nothing to release.
 *
 * Memory: graph->arena_size bytes are enough if every input and output is bound by a zero-copy call. With
 * graph->staged_size bytes the executor also keeps its own copy of inputs and outputs. Memory of inputs, outputs and
 * arena must not overlap.
 *
 * Re-entrancy: all state is in *executor, its arena and its slots. Executors that share none of these may be used at
 * the same time, from one thread or several, also for the same graph.
 *
 * Devices: a graph that runs on several devices has further arenas; each is given once, before the first run.
 *
 * Sizes: a graph with sizes that vary takes them from an array of the caller, which is bound once and read at each run.
 * Inputs and outputs keep shape and strides of the greatest sizes; in a run of smaller ones, the elements at the first
 * positions of each axis count, as input_shape and output_shape say.
 *
 * State: a network that keeps values from run to run has them in the first graph->state_size bytes of its arena; an
 * executor begins with their first values. Executors are independent streams over one set of weights. Between two runs
 * a copy of these bytes is a snapshot, and copying them back, or into the arena of another executor, restores it.
 *
 * Inputs keep their value from run to run. Parameters are inputs that have a value from the start; binding one replaces
 * the value linked into the program. */
#ifndef S2S_EXECUTOR_H
#define S2S_EXECUTOR_H

#include "s2s_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fields are private; the type is complete so that it can be a variable of the caller. */
typedef struct s2s_executor {
    const s2s_graph *graph;
    unsigned char *arena;
    void **inputs;
    void **outputs;
    void **args;
    void **devices; /* arenas of further devices */
    int32_t *sizes; /* the sizes of the run; null if none is bound */
    uint32_t next_node; /* 0 between two runs */
    bool is_staged;     /* the arena has room for copies */
} s2s_executor;

/* Prepares an executor, and sets its state to the first values. arena: arena_size bytes aligned to graph->arena_align. slots: num_slots pointers, at least
 * s2s_graph_num_slots(graph).
 * Errors: S2S_ERR_NULL, S2S_ERR_ALIGN, S2S_ERR_ARENA_SIZE, S2S_ERR_SLOTS. */
s2s_status s2s_executor_init(s2s_executor *executor, const s2s_graph *graph, void *arena, size_t arena_size,
                             void **slots, size_t num_slots);

/* Gives the executor the arena of a further device, aligned to graph->arena_align; the first one is device 0.
 * Errors: S2S_ERR_NULL, S2S_ERR_STATE, S2S_ERR_INDEX, S2S_ERR_ALIGN, S2S_ERR_ARENA_SIZE. */
s2s_status s2s_executor_set_device_arena(s2s_executor *executor, uint32_t device, void *arena, size_t arena_size);

/* Binds the sizes of runs: count numbers, graph->num_sizes of them, in the order of graph->sizes. The caller writes the
 * given ones before a run; a run checks them and writes the others.
 * Errors: S2S_ERR_NULL, S2S_ERR_STATE, S2S_ERR_SHAPE (another count). */
s2s_status s2s_executor_set_sizes(s2s_executor *executor, int32_t *sizes, uint32_t count);

/* Writes the shape that an input or output has at the sizes bound now, ndim numbers. Sizes that a run computes, and those
 * that follow from others, are known when it has ended.
 * Errors: S2S_ERR_NULL, S2S_ERR_INDEX, S2S_ERR_UNBOUND (no sizes are bound). */
s2s_status s2s_executor_input_shape(const s2s_executor *executor, uint32_t index, int64_t *shape);
s2s_status s2s_executor_output_shape(const s2s_executor *executor, uint32_t index, int64_t *shape);

/* Copies value into the executor.
 * Errors: S2S_ERR_NULL, S2S_ERR_STATE, S2S_ERR_INDEX, S2S_ERR_STAGING (no memory for copies: bind instead), or what is
 * wrong with value: S2S_ERR_DEVICE, S2S_ERR_DTYPE, S2S_ERR_RANK, S2S_ERR_SHAPE, S2S_ERR_STRIDES, S2S_ERR_ALIGN. */
s2s_status s2s_executor_set_input(s2s_executor *executor, uint32_t index, const s2s_tensor *value);

/* Binds the memory of value: it is read at each run and never written. Errors: as set_input without S2S_ERR_STAGING. */
s2s_status s2s_executor_set_input_zero_copy(s2s_executor *executor, uint32_t index, const s2s_tensor *value);

/* Binds the memory of value: each run writes the output there. Errors: as set_input without S2S_ERR_STAGING. */
s2s_status s2s_executor_set_output_zero_copy(s2s_executor *executor, uint32_t index, const s2s_tensor *value);

/* Runs all nodes; after s2s_executor_step, those that are left.
 * Errors: S2S_ERR_NULL, S2S_ERR_UNBOUND, S2S_ERR_RANGE for an input or a state that is an index out of range, before which nothing
 * has run, and for an index out of range that the network has computed, behind which outputs and states are of no use;
 * S2S_ERR_FUNCTION, and S2S_ERR_SHAPE for a size outside of its bounds, which end the run. */
s2s_status s2s_executor_run(s2s_executor *executor);

/* Runs the next node. S2S_OK if more are left, S2S_DONE if it was the last of the run. Errors: as run. */
s2s_status s2s_executor_step(s2s_executor *executor);

/* Gives up a run that has been started by s2s_executor_step; state that it has written stays. Error: S2S_ERR_NULL. */
s2s_status s2s_executor_reset(s2s_executor *executor);

/* Sets the state that outlives a run to its first values; nothing without state.
 * Errors: S2S_ERR_NULL, S2S_ERR_STATE (a run has been started). */
s2s_status s2s_executor_reset_state(s2s_executor *executor);

/* Copies an output into the memory of value.
 * Errors: as set_input, with S2S_ERR_UNBOUND for an output without memory in place of S2S_ERR_STAGING. */
s2s_status s2s_executor_get_output(const s2s_executor *executor, uint32_t index, const s2s_tensor *value);

/* Number of inputs, parameters included, and of outputs; 0 for a null executor. */
uint32_t s2s_executor_num_inputs(const s2s_executor *executor);
uint32_t s2s_executor_num_outputs(const s2s_executor *executor);

/* Finds an input or output by its name in the model. Errors: S2S_ERR_NULL, S2S_ERR_NAME. */
s2s_status s2s_executor_get_input_index(const s2s_executor *executor, const char *name, uint32_t *index);
s2s_status s2s_executor_get_output_index(const s2s_executor *executor, const char *name, uint32_t *index);

/* Describes an input or output: *info gets type and shape and, as data, the memory bound now or null; *name its name if
 * name is not null. Do not write through info->data of an input that was bound by a zero-copy call or is a parameter.
 * Errors: S2S_ERR_NULL, S2S_ERR_INDEX. */
s2s_status s2s_executor_input_info(const s2s_executor *executor, uint32_t index, s2s_tensor *info, const char **name);
s2s_status s2s_executor_output_info(const s2s_executor *executor, uint32_t index, s2s_tensor *info, const char **name);

#ifdef __cplusplus
}
#endif
#endif
