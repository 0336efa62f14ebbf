/* SPDX-License-Identifier: Apache-2.0 */
/* Consistency of the constant tables; the contract is in s2s_graph.h. */
#include "s2s_graph.h"

static bool is_power_of_two(size_t number)
{
    return number != 0u && (number & (number - 1u)) == 0u;
}

static size_t bytes_of(const s2s_graph_tensor *tensor)
{
    return s2s_shape_elements(tensor->shape, tensor->ndim) * s2s_dtype_size(tensor->dtype);
}

static bool is_shape(const s2s_graph_tensor *tensor)
{
    if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == NULL)) {
        return false;
    }
    for (int32_t i = 0; i < tensor->ndim; ++i) {
        if (tensor->shape[i] < 0) {
            return false;
        }
    }
    return true;
}

/* Whether size bytes at offset lie between the limits and are aligned for the elements. */
static bool is_inside(size_t offset, const s2s_graph_tensor *tensor, size_t low, size_t high)
{
    const size_t size = bytes_of(tensor);

    return offset >= low && offset <= high && size <= high - offset && offset % s2s_dtype_size(tensor->dtype) == 0u;
}

/* Whether the tensor lies in the arena of a further device. */
static bool is_on_device(const s2s_graph *graph, const s2s_graph_tensor *tensor)
{
    const uint32_t device = (uint32_t)tensor->place - (uint32_t)S2S_PLACE_DEVICE;

    return device < graph->num_devices && is_inside(tensor->position, tensor, 0u, graph->device_arenas[device]);
}

static bool is_placed(const s2s_graph *graph, const s2s_graph_tensor *tensor)
{
    switch (tensor->place) {
    case S2S_PLACE_ARENA: return is_inside(tensor->position, tensor, 0u, graph->arena_size);
    case S2S_PLACE_CONSTANT: return tensor->constant != NULL;
    case S2S_PLACE_INPUT: return tensor->position < graph->num_inputs;
    case S2S_PLACE_OUTPUT: return tensor->position < graph->num_outputs;
    case S2S_PLACE_SIZE:
        return tensor->position < graph->num_sizes && tensor->ndim == 0 && s2s_dtype_size(tensor->dtype) == sizeof(int32_t);
    case S2S_PLACE_DEVICE:
    default: return is_on_device(graph, tensor);
    }
}

static bool is_tensor(const s2s_graph *graph, const s2s_graph_tensor *tensor)
{
    return s2s_dtype_size(tensor->dtype) > 0u && is_shape(tensor) && is_placed(graph, tensor);
}

static bool is_node(const s2s_graph *graph, const s2s_graph_node *node)
{
    if (node->kernel == NULL || node->num_args > graph->max_args || node->first_arg > graph->num_args ||
        node->num_args > graph->num_args - node->first_arg) {
        return false;
    }
    for (uint32_t i = 0; i < node->num_args; ++i) {
        if (graph->args[node->first_arg + i] >= graph->num_tensors) {
            return false;
        }
    }
    return true;
}

static bool is_port(const s2s_graph *graph, const s2s_graph_port *port, s2s_place place, uint32_t number)
{
    const s2s_graph_tensor *tensor;

    if (port->tensor >= graph->num_tensors) {
        return false;
    }
    tensor = &graph->tensors[port->tensor];
    if (tensor->name == NULL || tensor->place != place || tensor->position != number) {
        return false;
    }
    return port->staging == S2S_NO_STAGING || is_inside(port->staging, tensor, graph->arena_size, graph->staged_size);
}

static bool is_size(const s2s_graph *graph, const s2s_graph_size *size)
{
    return size->name != NULL && size->least >= 0 && size->least <= size->most && size->step >= 1 &&
           (size->origin != S2S_SIZE_DERIVED || graph->derive_sizes != NULL);
}

/* Whether the sizes of each port, if they are listed, are sizes of the graph that reach to its greatest shape. */
static bool are_extents(const s2s_graph *graph, const int32_t *const *extents, const s2s_graph_port *ports,
                        uint32_t num_ports)
{
    for (uint32_t i = 0; extents != NULL && i < num_ports; ++i) {
        const s2s_graph_tensor *const tensor = &graph->tensors[ports[i].tensor];

        for (int32_t axis = 0; extents[i] != NULL && axis < tensor->ndim; ++axis) {
            const int32_t size = extents[i][axis];

            if (size != S2S_CONSTANT_SIZE &&
                (size < 0 || (uint32_t)size >= graph->num_sizes || graph->sizes[size].most != tensor->shape[axis])) {
                return false;
            }
        }
    }
    return true;
}

static bool are_sizes(const s2s_graph *graph)
{
    if (graph->num_sizes > 0u && graph->sizes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->num_sizes; ++i) {
        if (!is_size(graph, &graph->sizes[i])) {
            return false;
        }
    }
    return are_extents(graph, graph->input_extents, graph->inputs, graph->num_inputs) &&
           are_extents(graph, graph->output_extents, graph->outputs, graph->num_outputs);
}

static bool are_states(const s2s_graph *graph)
{
    if ((graph->num_states > 0u && graph->states == NULL) || graph->state_size > graph->arena_size) {
        return false;
    }
    for (uint32_t i = 0; i < graph->num_states; ++i) {
        const s2s_graph_state *const state = &graph->states[i];

        if (state->offset > graph->state_size || state->size > graph->state_size - state->offset) {
            return false;
        }
    }
    return true;
}

/* Whether each index is an input or a part of the arena that holds integers, which have a range. */
static bool are_indices(const s2s_graph *graph, const s2s_graph_index *indices, uint32_t num_indices)
{
    if (num_indices > 0u && indices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < num_indices; ++i) {
        const s2s_graph_index *const index = &indices[i];
        const s2s_graph_tensor *tensor;

        if (index->tensor >= graph->num_tensors || index->least > index->most) {
            return false;
        }
        tensor = &graph->tensors[index->tensor];
        if ((tensor->place != S2S_PLACE_INPUT && tensor->place != S2S_PLACE_ARENA) ||
            (tensor->dtype.code != S2S_DTYPE_INT && tensor->dtype.code != S2S_DTYPE_UINT) || tensor->dtype.bits < 8u) {
            return false;
        }
    }
    return true;
}

static bool are_ports(const s2s_graph *graph)
{
    for (uint32_t i = 0; i < graph->num_inputs; ++i) {
        if (!is_port(graph, &graph->inputs[i], S2S_PLACE_INPUT, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < graph->num_outputs; ++i) {
        if (!is_port(graph, &graph->outputs[i], S2S_PLACE_OUTPUT, i)) {
            return false;
        }
    }
    return true;
}

S2S_MERGED
s2s_status s2s_graph_check(const s2s_graph *graph)
{
    if (graph == NULL) {
        return S2S_ERR_NULL;
    }
    if (!is_power_of_two(graph->arena_align) || graph->staged_size < graph->arena_size ||
        (graph->num_devices > 0u && graph->device_arenas == NULL)) {
        return S2S_ERR_GRAPH;
    }
    for (uint32_t i = 0; i < graph->num_tensors; ++i) {
        if (!is_tensor(graph, &graph->tensors[i])) {
            return S2S_ERR_GRAPH;
        }
    }
    for (uint32_t i = 0; i < graph->num_nodes; ++i) {
        if (!is_node(graph, &graph->nodes[i])) {
            return S2S_ERR_GRAPH;
        }
    }
    return are_ports(graph) && are_sizes(graph) && are_states(graph) &&
                   are_indices(graph, graph->indices, graph->num_indices) &&
                   are_indices(graph, graph->checks, graph->num_checks)
               ? S2S_OK
               : S2S_ERR_GRAPH;
}
