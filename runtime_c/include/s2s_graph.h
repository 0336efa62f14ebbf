/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_graph.h: a network as constant tables, which the compiler writes and the executor walks.
 *
 * Tables live in flash and are never changed. Every tensor has one row, every call of a kernel has one row, in
 * execution order; the arguments of all calls stand in one list of tensor numbers. */
#ifndef S2S_GRAPH_H
#define S2S_GRAPH_H

#include "s2s_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel: args points at its arguments in the order of the kernel's parameters, outputs first. It writes the outputs
 * and scratch buffers, reads the rest and keeps nothing. */
typedef void (*s2s_kernel)(void *const *args);

/* Where the elements of a tensor are. */
typedef enum s2s_place {
    S2S_PLACE_ARENA = 0, /* position: bytes from the start of the arena */
    S2S_PLACE_CONSTANT,  /* constant: the elements */
    S2S_PLACE_INPUT,     /* position: number of the input that the caller binds */
    S2S_PLACE_OUTPUT,    /* position: number of the output that the caller binds */
    S2S_PLACE_SIZE,      /* position: number of the size, an int32_t, in the array that the caller binds */
    S2S_PLACE_DEVICE     /* position: bytes from the start of the arena of device 0; of device n: S2S_PLACE_DEVICE + n */
} s2s_place;

typedef struct s2s_graph_tensor {
    const char *name;     /* inputs, parameters and outputs: as in the model; null allowed for the rest */
    const int64_t *shape; /* ndim numbers; null allowed if ndim is 0 */
    const void *constant; /* of a constant; of an input: its value until another is bound (a parameter), or null */
    size_t position;
    s2s_place place;
    int32_t ndim;
    s2s_dtype dtype;
} s2s_graph_tensor;

typedef struct s2s_graph_node {
    s2s_kernel kernel;
    uint32_t first_arg; /* args[first_arg] ... args[first_arg + num_args - 1] of the graph */
    uint32_t num_args;
    const char *name; /* the nodes of the model that the kernel computes, or null */
} s2s_graph_node;

/* How a size that varies from run to run is known. */
typedef enum s2s_size_origin {
    S2S_SIZE_GIVEN = 0, /* by the caller */
    S2S_SIZE_COMPUTED,  /* by a node: 0 until it has run */
    S2S_SIZE_DERIVED    /* from sizes before it in the table */
} s2s_size_origin;

/* A size that varies from run to run: least, least + step, and so on up to most. */
typedef struct s2s_graph_size {
    const char *name; /* as in the model, or the formula of a derived one */
    int32_t least;
    int32_t most;
    int32_t step; /* 1 or more; of a derived size 1 */
    s2s_size_origin origin;
} s2s_graph_size;

/* A part of the arena that keeps its value from run to run. */
typedef struct s2s_graph_state {
    size_t offset;       /* bytes from the start of the arena */
    size_t size;         /* bytes */
    const void *initial; /* its first value; null for zeros */
} s2s_graph_state;

/* An input or a state of integers that say which elements of a tensor a run reads or writes, or a tensor that says whether
 * one that a run has computed was out of range. */
typedef struct s2s_graph_index {
    uint32_t tensor;
    int64_t least;
    int64_t most;
} s2s_graph_index;

/* No axis of a tensor has a size that varies here. */
#define S2S_CONSTANT_SIZE (-1)

/* No memory is set aside for a copy of this input. */
#define S2S_NO_STAGING ((size_t)-1)

/* An input or output: its tensor, and where in the arena its copy goes if the caller gives memory for copies. */
typedef struct s2s_graph_port {
    uint32_t tensor;
    size_t staging; /* bytes from the start of the arena, at or above arena_size, or S2S_NO_STAGING */
} s2s_graph_port;

typedef struct s2s_graph {
    const char *name;
    const s2s_graph_node *nodes;
    const uint32_t *args;
    const s2s_graph_tensor *tensors;
    const s2s_graph_port *inputs; /* inputs of the model, then parameters whose value may be replaced */
    const s2s_graph_port *outputs;
    uint32_t num_nodes;
    uint32_t num_args;
    uint32_t num_tensors;
    uint32_t num_inputs;
    uint32_t num_outputs;
    uint32_t max_args;  /* the maximum number of arguments of a node */
    size_t arena_size;  /* bytes that the kernels need */
    size_t staged_size; /* bytes with room for copies of inputs and outputs as well */
    size_t arena_align; /* a power of two */
    s2s_status (*status)(void); /* whether the kernel before has failed; null if none can */
    const size_t *device_arenas; /* bytes of the arena of each further device, aligned to arena_align as well */
    uint32_t num_devices;        /* devices with a memory of their own, beside the first one */
    const s2s_graph_size *sizes; /* null if no size varies; shapes in tensors are the greatest ones */
    uint32_t num_sizes;
    void (*derive_sizes)(int32_t *sizes); /* computes the derived sizes from the others; null if there are none */
    const int32_t *const *input_extents;  /* of each input, for each axis the number of its size or S2S_CONSTANT_SIZE; */
    const int32_t *const *output_extents; /* null for a constant shape; both tables are null if no size varies */
    const s2s_graph_state *states; /* null if nothing outlives a run */
    uint32_t num_states;
    size_t state_size; /* the bytes at the start of the arena that hold all states */
    const s2s_graph_index *indices; /* null if no input and no state is an index with bounds */
    uint32_t num_indices;
    const s2s_graph_index *checks; /* what a run computes and checks at its end; null if it checks nothing */
    uint32_t num_checks;
} s2s_graph;

/* Pointers that an executor of this graph needs, one each for inputs, outputs, the arguments of one kernel and the
 * arenas of further devices. */
S2S_INLINE size_t s2s_graph_num_slots(const s2s_graph *graph)
{
    return (size_t)graph->num_inputs + graph->num_outputs + graph->max_args + graph->num_devices;
}

/* S2S_ERR_GRAPH unless every number in the tables is in range, sizes have bounds, every tensor and state of the arena
 * lies inside it, and ports and tensors name each other. The executor trusts its tables; call this from a test. */
s2s_status s2s_graph_check(const s2s_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
