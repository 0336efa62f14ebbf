/* SPDX-License-Identifier: Apache-2.0 */
/* The graph executor; the contract is in s2s_executor.h. */
#include "s2s_executor.h"

#include "s2s_arena.h"

#include <string.h>

/* Kernels take void pointers only, constants and inputs included, and do not write to those. */
static void *without_const(const void *address)
{
    return (void *)(uintptr_t)address;
}

static const s2s_graph_tensor *tensor_of(const s2s_executor *executor, const s2s_graph_port *port)
{
    return &executor->graph->tensors[port->tensor];
}

static void *staging_of(const s2s_executor *executor, const s2s_graph_port *port)
{
    return executor->is_staged && port->staging != S2S_NO_STAGING ? executor->arena + port->staging : NULL;
}

static void set_states(const s2s_executor *executor)
{
    for (uint32_t i = 0; i < executor->graph->num_states; ++i) {
        const s2s_graph_state *const state = &executor->graph->states[i];

        if (state->initial != NULL) {
            memcpy(executor->arena + state->offset, state->initial, state->size);
        } else {
            memset(executor->arena + state->offset, 0, state->size);
        }
    }
}

S2S_MERGED
s2s_status s2s_executor_init(s2s_executor *executor, const s2s_graph *graph, void *arena, size_t arena_size,
                             void **slots, size_t num_slots)
{
    s2s_status status;

    if (executor == NULL || graph == NULL || slots == NULL) {
        return S2S_ERR_NULL;
    }
    status = s2s_arena_check(arena, arena_size, graph->arena_size, graph->arena_align);
    if (status != S2S_OK) {
        return status;
    }
    if (num_slots < s2s_graph_num_slots(graph)) {
        return S2S_ERR_SLOTS;
    }
    executor->graph = graph;
    executor->arena = arena;
    executor->inputs = slots;
    executor->outputs = executor->inputs + graph->num_inputs;
    executor->args = executor->outputs + graph->num_outputs;
    executor->devices = executor->args + graph->max_args;
    executor->sizes = NULL;
    executor->next_node = 0u;
    executor->is_staged = arena != NULL && arena_size >= graph->staged_size;
    for (uint32_t i = 0; i < graph->num_inputs; ++i) {
        executor->inputs[i] = without_const(tensor_of(executor, &graph->inputs[i])->constant);
    }
    for (uint32_t i = 0; i < graph->num_outputs; ++i) {
        executor->outputs[i] = staging_of(executor, &graph->outputs[i]);
    }
    for (uint32_t i = 0; i < graph->num_devices; ++i) {
        executor->devices[i] = NULL;
    }
    set_states(executor);
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_set_device_arena(s2s_executor *executor, uint32_t device, void *arena, size_t arena_size)
{
    s2s_status status;

    if (executor == NULL || arena == NULL) {
        return S2S_ERR_NULL;
    }
    if (executor->next_node != 0u) {
        return S2S_ERR_STATE;
    }
    if (device >= executor->graph->num_devices) {
        return S2S_ERR_INDEX;
    }
    status = s2s_arena_check(arena, arena_size, executor->graph->device_arenas[device], executor->graph->arena_align);
    if (status == S2S_OK) {
        executor->devices[device] = arena;
    }
    return status;
}

S2S_MERGED
s2s_status s2s_executor_set_sizes(s2s_executor *executor, int32_t *sizes, uint32_t count)
{
    if (executor == NULL || sizes == NULL) {
        return S2S_ERR_NULL;
    }
    if (executor->next_node != 0u) {
        return S2S_ERR_STATE;
    }
    if (count != executor->graph->num_sizes) {
        return S2S_ERR_SHAPE;
    }
    executor->sizes = sizes;
    return S2S_OK;
}

/* Computes the sizes that follow from those known so far, and checks all others; first says that a run begins. */
static s2s_status settle_sizes(const s2s_executor *executor, bool first)
{
    const s2s_graph *const graph = executor->graph;

    for (uint32_t i = 0; i < graph->num_sizes; ++i) {
        const s2s_graph_size *const size = &graph->sizes[i];

        if (first && size->origin == S2S_SIZE_COMPUTED) {
            executor->sizes[i] = 0;
        }
        if (size->origin != S2S_SIZE_DERIVED &&
            (executor->sizes[i] < size->least || executor->sizes[i] > size->most ||
             (executor->sizes[i] - size->least) % size->step != 0)) {
            return S2S_ERR_SHAPE;
        }
    }
    if (graph->derive_sizes != NULL) {
        graph->derive_sizes(executor->sizes);
    }
    return S2S_OK;
}

/* The shape of a port at the sizes bound now. */
static s2s_status shape_of(const s2s_executor *executor, const s2s_graph_port *ports, uint32_t num_ports,
                           const int32_t *const *extents, uint32_t index, int64_t *shape)
{
    const s2s_graph_tensor *tensor;

    if (shape == NULL) {
        return S2S_ERR_NULL;
    }
    if (index >= num_ports) {
        return S2S_ERR_INDEX;
    }
    if (executor->graph->num_sizes > 0u && executor->sizes == NULL) {
        return S2S_ERR_UNBOUND;
    }
    tensor = tensor_of(executor, &ports[index]);
    for (int32_t i = 0; i < tensor->ndim; ++i) {
        const bool varies = extents != NULL && extents[index] != NULL && extents[index][i] != S2S_CONSTANT_SIZE;

        shape[i] = varies ? executor->sizes[extents[index][i]] : tensor->shape[i];
    }
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_input_shape(const s2s_executor *executor, uint32_t index, int64_t *shape)
{
    const s2s_graph *graph;

    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    graph = executor->graph;
    return shape_of(executor, graph->inputs, graph->num_inputs, graph->input_extents, index, shape);
}

S2S_MERGED
s2s_status s2s_executor_output_shape(const s2s_executor *executor, uint32_t index, int64_t *shape)
{
    const s2s_graph *graph;

    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    graph = executor->graph;
    return shape_of(executor, graph->outputs, graph->num_outputs, graph->output_extents, index, shape);
}

/* Whether value is in readable memory and of the type and shape that the graph wants. */
static s2s_status check_value(const s2s_tensor *value, const s2s_graph_tensor *wanted)
{
    const bool is_empty = s2s_shape_elements(wanted->shape, wanted->ndim) == 0u;
    s2s_status status;

    if (value->data == NULL && !is_empty) {
        return S2S_ERR_NULL;
    }
    if (value->device.type != S2S_DEVICE_CPU) {
        return S2S_ERR_DEVICE;
    }
    status = s2s_tensor_compare(value, wanted->dtype, wanted->shape, wanted->ndim);
    if (status != S2S_OK) {
        return status;
    }
    if (!is_empty && !s2s_tensor_is_contiguous(value)) {
        return S2S_ERR_STRIDES;
    }
    return s2s_is_aligned(s2s_tensor_first(value), s2s_dtype_size(wanted->dtype)) ? S2S_OK : S2S_ERR_ALIGN;
}

/* The checks that set_input, set_output and get_output share; ports are the inputs or the outputs. */
static s2s_status check_port(const s2s_executor *executor, const s2s_graph_port *ports, uint32_t num_ports,
                             uint32_t index, const s2s_tensor *value)
{
    if (value == NULL) {
        return S2S_ERR_NULL;
    }
    if (executor->next_node != 0u) {
        return S2S_ERR_STATE;
    }
    if (index >= num_ports) {
        return S2S_ERR_INDEX;
    }
    return check_value(value, tensor_of(executor, &ports[index]));
}

static s2s_status check_input(const s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    return check_port(executor, executor->graph->inputs, executor->graph->num_inputs, index, value);
}

static s2s_status check_output(const s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    return check_port(executor, executor->graph->outputs, executor->graph->num_outputs, index, value);
}

/* An empty tensor may come without memory, but null means unbound: any address will do, as nothing is read. */
static void *bound_address(const s2s_executor *executor, const s2s_tensor *value)
{
    void *const first = s2s_tensor_first(value);

    return first != NULL ? first : without_const(executor->graph);
}

S2S_MERGED
s2s_status s2s_executor_set_input(s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check_input(executor, index, value);
    void *copy;
    size_t size;

    if (status != S2S_OK) {
        return status;
    }
    copy = staging_of(executor, &executor->graph->inputs[index]);
    if (copy == NULL) {
        return S2S_ERR_STAGING;
    }
    size = s2s_tensor_size(value);
    if (size > 0u) {
        memmove(copy, s2s_tensor_first(value), size);
    }
    executor->inputs[index] = copy;
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_set_input_zero_copy(s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check_input(executor, index, value);

    if (status == S2S_OK) {
        executor->inputs[index] = bound_address(executor, value);
    }
    return status;
}

S2S_MERGED
s2s_status s2s_executor_set_output_zero_copy(s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check_output(executor, index, value);

    if (status == S2S_OK) {
        executor->outputs[index] = bound_address(executor, value);
    }
    return status;
}

static bool has_null(void *const *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (slots[i] == NULL) {
            return true;
        }
    }
    return false;
}

static void *address_of(const s2s_executor *executor, const s2s_graph_tensor *tensor)
{
    switch (tensor->place) {
    case S2S_PLACE_ARENA: return executor->arena + tensor->position;
    case S2S_PLACE_INPUT: return executor->inputs[tensor->position];
    case S2S_PLACE_OUTPUT: return executor->outputs[tensor->position];
    case S2S_PLACE_CONSTANT: return without_const(tensor->constant);
    case S2S_PLACE_SIZE: return &executor->sizes[tensor->position];
    case S2S_PLACE_DEVICE:
    default: return (unsigned char *)executor->devices[tensor->place - S2S_PLACE_DEVICE] + tensor->position;
    }
}

/* Whether an element of an input exists in a run of these sizes. */
static bool is_in_run(const s2s_executor *executor, const s2s_graph_tensor *tensor, size_t element)
{
    const int32_t *const *const all = executor->graph->input_extents;
    const int32_t *const extents = tensor->place == S2S_PLACE_INPUT && all != NULL ? all[tensor->position] : NULL;

    for (int32_t axis = tensor->ndim; extents != NULL && axis > 0; --axis) {
        const size_t length = (size_t)tensor->shape[axis - 1];
        const int32_t size = extents[axis - 1];

        if (size != S2S_CONSTANT_SIZE && element % length >= (size_t)executor->sizes[size]) {
            return false;
        }
        element /= length;
    }
    return true;
}

/* An element of a tensor of integers; one beyond int64_t as the greatest of these. */
static int64_t integer_at(const void *values, s2s_dtype dtype, size_t element)
{
    const bool has_sign = dtype.code == S2S_DTYPE_INT;

    switch (dtype.bits) {
    case 8u: return has_sign ? ((const int8_t *)values)[element] : ((const uint8_t *)values)[element];
    case 16u: return has_sign ? ((const int16_t *)values)[element] : ((const uint16_t *)values)[element];
    case 32u: return has_sign ? ((const int32_t *)values)[element] : (int64_t)((const uint32_t *)values)[element];
    default: break;
    }
    if (has_sign || ((const uint64_t *)values)[element] <= (uint64_t)INT64_MAX) {
        return ((const int64_t *)values)[element];
    }
    return INT64_MAX;
}

/* Whether all elements of tensors lie within their bounds. */
static bool are_in_range(const s2s_executor *executor, const s2s_graph_index *indices, uint32_t num_indices)
{
    for (uint32_t i = 0; i < num_indices; ++i) {
        const s2s_graph_index *const index = &indices[i];
        const s2s_graph_tensor *const tensor = &executor->graph->tensors[index->tensor];
        const size_t count = s2s_shape_elements(tensor->shape, tensor->ndim);
        const void *const values = address_of(executor, tensor);

        for (size_t element = 0; element < count; ++element) {
            const int64_t value = integer_at(values, tensor->dtype, element);

            if ((value < index->least || value > index->most) && is_in_run(executor, tensor, element)) {
                return false;
            }
        }
    }
    return true;
}

static void run_node(const s2s_executor *executor, const s2s_graph_node *node)
{
    const s2s_graph *const graph = executor->graph;

    for (uint32_t i = 0; i < node->num_args; ++i) {
        executor->args[i] = address_of(executor, &graph->tensors[graph->args[node->first_arg + i]]);
    }
    node->kernel(executor->args);
}

S2S_MERGED
s2s_status s2s_executor_step(s2s_executor *executor)
{
    const s2s_graph *graph;
    s2s_status status = S2S_OK;

    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    graph = executor->graph;
    if (executor->next_node == 0u && (has_null(executor->inputs, graph->num_inputs) ||
                                      has_null(executor->outputs, graph->num_outputs) ||
                                      has_null(executor->devices, graph->num_devices) ||
                                      (graph->num_sizes > 0u && executor->sizes == NULL))) {
        return S2S_ERR_UNBOUND;
    }
    if (executor->next_node == 0u && graph->num_sizes > 0u) {
        status = settle_sizes(executor, true);
    }
    if (status == S2S_OK && executor->next_node == 0u &&
        !are_in_range(executor, graph->indices, graph->num_indices)) {
        return S2S_ERR_RANGE;
    }
    if (status == S2S_OK && executor->next_node < graph->num_nodes) {
        run_node(executor, &graph->nodes[executor->next_node]);
        ++executor->next_node;
        status = graph->status == NULL ? S2S_OK : graph->status();
    }
    if (status == S2S_OK && graph->num_sizes > 0u) {
        status = settle_sizes(executor, false);
    }
    if (status == S2S_OK && executor->next_node < graph->num_nodes) {
        return S2S_OK;
    }
    executor->next_node = 0u;
    if (status == S2S_OK && !are_in_range(executor, graph->checks, graph->num_checks)) {
        return S2S_ERR_RANGE;
    }
    return status == S2S_OK ? S2S_DONE : status;
}

S2S_MERGED
s2s_status s2s_executor_run(s2s_executor *executor)
{
    s2s_status status;

    do {
        status = s2s_executor_step(executor);
    } while (status == S2S_OK);
    return status == S2S_DONE ? S2S_OK : status;
}

S2S_MERGED
s2s_status s2s_executor_reset(s2s_executor *executor)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    executor->next_node = 0u;
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_reset_state(s2s_executor *executor)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    if (executor->next_node != 0u) {
        return S2S_ERR_STATE;
    }
    set_states(executor);
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_get_output(const s2s_executor *executor, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check_output(executor, index, value);
    size_t size;

    if (status != S2S_OK) {
        return status;
    }
    if (executor->outputs[index] == NULL) {
        return S2S_ERR_UNBOUND;
    }
    size = s2s_tensor_size(value);
    if (size > 0u) {
        memmove(s2s_tensor_first(value), executor->outputs[index], size);
    }
    return S2S_OK;
}

S2S_MERGED
uint32_t s2s_executor_num_inputs(const s2s_executor *executor)
{
    return executor == NULL ? 0u : executor->graph->num_inputs;
}

S2S_MERGED
uint32_t s2s_executor_num_outputs(const s2s_executor *executor)
{
    return executor == NULL ? 0u : executor->graph->num_outputs;
}

static s2s_status find_port(const s2s_executor *executor, const s2s_graph_port *ports, uint32_t num_ports,
                            const char *name, uint32_t *index)
{
    if (name == NULL || index == NULL) {
        return S2S_ERR_NULL;
    }
    for (uint32_t i = 0; i < num_ports; ++i) {
        if (strcmp(tensor_of(executor, &ports[i])->name, name) == 0) {
            *index = i;
            return S2S_OK;
        }
    }
    return S2S_ERR_NAME;
}

S2S_MERGED
s2s_status s2s_executor_get_input_index(const s2s_executor *executor, const char *name, uint32_t *index)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    return find_port(executor, executor->graph->inputs, executor->graph->num_inputs, name, index);
}

S2S_MERGED
s2s_status s2s_executor_get_output_index(const s2s_executor *executor, const char *name, uint32_t *index)
{
    if (executor == NULL) {
        return S2S_ERR_NULL;
    }
    return find_port(executor, executor->graph->outputs, executor->graph->num_outputs, name, index);
}

static void describe(const s2s_graph_tensor *tensor, void *data, s2s_tensor *info, const char **name)
{
    info->data = data;
    info->device.type = S2S_DEVICE_CPU;
    info->device.id = 0;
    info->ndim = tensor->ndim;
    info->dtype = tensor->dtype;
    info->shape = tensor->shape;
    info->strides = NULL;
    info->byte_offset = 0u;
    if (name != NULL) {
        *name = tensor->name;
    }
}

S2S_MERGED
s2s_status s2s_executor_input_info(const s2s_executor *executor, uint32_t index, s2s_tensor *info, const char **name)
{
    if (executor == NULL || info == NULL) {
        return S2S_ERR_NULL;
    }
    if (index >= executor->graph->num_inputs) {
        return S2S_ERR_INDEX;
    }
    describe(tensor_of(executor, &executor->graph->inputs[index]), executor->inputs[index], info, name);
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_executor_output_info(const s2s_executor *executor, uint32_t index, s2s_tensor *info, const char **name)
{
    if (executor == NULL || info == NULL) {
        return S2S_ERR_NULL;
    }
    if (index >= executor->graph->num_outputs) {
        return S2S_ERR_INDEX;
    }
    describe(tensor_of(executor, &executor->graph->outputs[index]), executor->outputs[index], info, name);
    return S2S_OK;
}
