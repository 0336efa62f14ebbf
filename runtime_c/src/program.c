/* SPDX-License-Identifier: Apache-2.0 */
/* Running a loaded graph JSON; the contract is in s2s_program.h. */
#include "s2s_program.h"

#include "s2s_align.h"
#include "s2s_params.h"

#include <string.h>

static s2s_tensor *input_of(const s2s_program *program, uint32_t index)
{
    return &program->tensors[program->nodes[program->inputs[index]].first_entry];
}

S2S_MERGED
s2s_status s2s_program_input_index(const s2s_program *program, const char *name, uint32_t *index)
{
    if (program == NULL || name == NULL || index == NULL) {
        return S2S_ERR_NULL;
    }
    for (uint32_t i = 0u; i < program->num_inputs; ++i) {
        if (strcmp(program->nodes[program->inputs[i]].name, name) == 0) {
            *index = i;
            return S2S_OK;
        }
    }
    return S2S_ERR_NAME;
}

S2S_MERGED
const s2s_tensor *s2s_program_input(const s2s_program *program, uint32_t index)
{
    return program == NULL || index >= program->num_inputs ? NULL : input_of(program, index);
}

S2S_MERGED
const s2s_tensor *s2s_program_output(const s2s_program *program, uint32_t index)
{
    return program == NULL || index >= program->num_outputs ? NULL : &program->tensors[program->outputs[index]];
}

/* Whether two tensors have the same type and shape. */
static s2s_status compare(const s2s_tensor *value, const s2s_tensor *wanted)
{
    return s2s_tensor_compare(value, wanted->dtype, wanted->shape, wanted->ndim);
}

/* Whether a value of the caller can be an input or output. */
static s2s_status check(const s2s_tensor *value, const s2s_tensor *wanted)
{
    s2s_status status;

    if (value == NULL || wanted == NULL) {
        return value == NULL ? S2S_ERR_NULL : S2S_ERR_INDEX;
    }
    if (value->device.type != S2S_DEVICE_CPU) {
        return S2S_ERR_DEVICE;
    }
    status = compare(value, wanted);
    if (status != S2S_OK || s2s_tensor_size(wanted) == 0u) {
        return status;
    }
    if (value->data == NULL) {
        return S2S_ERR_NULL;
    }
    return s2s_tensor_is_contiguous(value) ? S2S_OK : S2S_ERR_STRIDES;
}

static void copy(void *target, const void *source, size_t size)
{
    if (size > 0u) {
        (void)memmove(target, source, size);
    }
}

static void *memory_of(const s2s_program *program, const s2s_tensor *tensor)
{
    return program->memories[program->storage[tensor - program->tensors]];
}

S2S_MERGED
s2s_status s2s_program_set_input(s2s_program *program, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check(value, s2s_program_input(program, index));
    s2s_tensor *input;

    if (status == S2S_OK) {
        input = input_of(program, index);
        input->data = memory_of(program, input);
        copy(input->data, s2s_tensor_first(value), s2s_tensor_size(input));
    }
    return status;
}

S2S_MERGED
s2s_status s2s_program_set_input_zero_copy(s2s_program *program, uint32_t index, const s2s_tensor *value)
{
    const s2s_status status = check(value, s2s_program_input(program, index));
    s2s_tensor *input;

    if (status != S2S_OK) {
        return status;
    }
    input = input_of(program, index);
    if (!s2s_is_aligned(s2s_tensor_first(value), s2s_dtype_size(input->dtype))) {
        return S2S_ERR_ALIGN;
    }
    input->data = s2s_tensor_size(input) == 0u ? memory_of(program, input) : s2s_tensor_first(value);
    return S2S_OK;
}

/* The node that computes a tensor. */
static const s2s_program_node *producer_of(const s2s_program *program, const s2s_tensor *tensor)
{
    const uint32_t entry = (uint32_t)(tensor - program->tensors);
    const s2s_program_node *node = program->nodes;

    while (entry >= node->first_entry + node->num_outputs) {
        ++node;
    }
    return node;
}

S2S_MERGED
s2s_status s2s_program_set_output_zero_copy(s2s_program *program, uint32_t index, const s2s_tensor *value)
{
    const s2s_tensor *output = s2s_program_output(program, index);
    const s2s_status status = check(value, output);
    const s2s_program_node *node;

    if (status != S2S_OK) {
        return status;
    }
    if (!s2s_is_aligned(s2s_tensor_first(value), s2s_dtype_size(output->dtype))) {
        return S2S_ERR_ALIGN;
    }
    node = producer_of(program, output);
    while (node->kind == S2S_NODE_NOTHING) { /* its output is where its input is */
        output = node->args[0].v_handle;
        node = producer_of(program, output);
    }
    if (node->kind == S2S_NODE_SOURCE) {
        return S2S_ERR_STATE;
    }
    if (s2s_tensor_size(output) > 0u) {
        program->tensors[output - program->tensors].data = s2s_tensor_first(value);
    }
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_program_get_output(const s2s_program *program, uint32_t index, const s2s_tensor *value)
{
    const s2s_tensor *const output = s2s_program_output(program, index);
    const s2s_status status = check(value, output);

    if (status != S2S_OK) {
        return status;
    }
    if (output->data == NULL) {
        return S2S_ERR_UNBOUND;
    }
    copy(s2s_tensor_first(value), output->data, s2s_tensor_size(output));
    return S2S_OK;
}

/* The input that the name of an array of params means; num_inputs if there is none. */
static uint32_t input_named(const s2s_program *program, const s2s_params *params)
{
    uint32_t index = 0u;

    while (index < program->num_inputs) {
        const char *const name = program->nodes[program->inputs[index]].name;

        if (strlen(name) == params->name_size && memcmp(name, params->name, params->name_size) == 0) {
            break;
        }
        ++index;
    }
    return index;
}

/* Gives an input the value of an array of params, or the memory of another program. */
static s2s_status give_param(s2s_program *program, const s2s_program *other, const s2s_params *params)
{
    const uint32_t index = input_named(program, params);
    s2s_status status;

    if (index == program->num_inputs) {
        return S2S_OK;
    }
    status = compare(&params->array, input_of(program, index));
    if (status != S2S_OK || other == NULL) {
        return status != S2S_OK ? status : s2s_program_set_input(program, index, &params->array);
    }
    if (input_named(other, params) == other->num_inputs) {
        return S2S_OK;
    }
    if (input_of(other, input_named(other, params))->data == NULL) {
        return S2S_ERR_UNBOUND;
    }
    return s2s_program_set_input_zero_copy(program, index, input_of(other, input_named(other, params)));
}

static s2s_status read_params(s2s_program *program, const s2s_program *other, const void *blob, size_t size,
                              s2s_file_error *error)
{
    s2s_params params;
    s2s_status status = S2S_OK;

    (void)s2s_params_open(&params, blob, size);
    while (status == S2S_OK && s2s_params_next(&params)) {
        status = give_param(program, other, &params);
    }
    error->what = params.what;
    error->at = params.at;
    return params.what != NULL ? S2S_ERR_GRAPH : status;
}

S2S_MERGED
s2s_status s2s_program_load_params(s2s_program *program, const void *params, size_t params_size, s2s_file_error *error)
{
    if (program == NULL || params == NULL || error == NULL) {
        return S2S_ERR_NULL;
    }
    return read_params(program, NULL, params, params_size, error);
}

S2S_MERGED
s2s_status s2s_program_share_params(s2s_program *program, const s2s_program *other, const void *params,
                                    size_t params_size, s2s_file_error *error)
{
    if (program == NULL || other == NULL || params == NULL || error == NULL) {
        return S2S_ERR_NULL;
    }
    return read_params(program, other, params, params_size, error);
}

/* Moves the bytes of the inputs to the outputs, one after another; the loader has seen to it that both are as many. */
static void move(const s2s_program_node *node)
{
    const s2s_tensor *const single = node->args[node->num_inputs == 1u ? 0u : node->num_inputs].v_handle;
    unsigned char *const whole = single->data;
    size_t at = 0u;

    if (node->num_inputs == 1u) {
        for (uint32_t i = 0u; i < node->num_outputs; ++i) {
            const s2s_tensor *const part = node->args[1u + i].v_handle;

            copy(part->data, &whole[at], s2s_tensor_size(part));
            at += s2s_tensor_size(part);
        }
        return;
    }
    for (uint32_t i = 0u; i < node->num_inputs; ++i) {
        const s2s_tensor *const part = node->args[i].v_handle;

        copy(&whole[at], part->data, s2s_tensor_size(part));
        at += s2s_tensor_size(part);
    }
}

/* Calls the function of a node. What it returns is released: its results are the outputs of the node. */
static s2s_status call(const s2s_program_node *node)
{
    s2s_value result;
    int code = S2S_ARG_NULL;

    if (s2s_function_call(node->function, node->args, node->type_codes, (int)(node->num_inputs + node->num_outputs),
                          &result, &code) != 0) {
        return S2S_ERR_STATE;
    }
    s2s_value_release(&result, code);
    return S2S_OK;
}

/* Whether all inputs have a value. */
static bool is_bound(const s2s_program_node *node)
{
    for (uint32_t i = 0u; i < node->num_inputs; ++i) {
        if (((const s2s_tensor *)node->args[i].v_handle)->data == NULL) {
            return false;
        }
    }
    return true;
}

S2S_MERGED
s2s_status s2s_program_run_node(s2s_program *program, uint32_t number)
{
    const s2s_program_node *node;

    if (program == NULL || number >= program->num_nodes) {
        return program == NULL ? S2S_ERR_NULL : S2S_ERR_INDEX;
    }
    node = &program->nodes[number];
    if (!is_bound(node)) {
        return S2S_ERR_UNBOUND;
    }
    switch (node->kind) {
    case S2S_NODE_SOURCE:
        return program->tensors[node->first_entry].data == NULL ? S2S_ERR_UNBOUND : S2S_OK;
    case S2S_NODE_NOTHING: /* an input may have been bound to other memory */
        program->tensors[node->first_entry].data = ((const s2s_tensor *)node->args[0].v_handle)->data;
        return S2S_OK;
    case S2S_NODE_MOVE:
        move(node);
        return S2S_OK;
    case S2S_NODE_CALL:
    default:
        return call(node);
    }
}

S2S_MERGED
s2s_status s2s_program_run(s2s_program *program)
{
    s2s_status status = program == NULL ? S2S_ERR_NULL : S2S_OK;

    for (uint32_t i = 0u; status == S2S_OK && i < program->num_nodes; ++i) {
        status = s2s_program_run_node(program, i);
    }
    return status;
}
