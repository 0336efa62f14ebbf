/* SPDX-License-Identifier: Apache-2.0 */
/* Packed functions and their registries; the contract is in s2s_packed.h. */
#include "s2s_packed.h"

#include <string.h>

/* Bytes of the message of the last error. */
#ifndef S2S_ERROR_SIZE
#define S2S_ERROR_SIZE 1024
#endif

/* A variable of which each thread has its own; define it empty where threads are not known to the compiler. */
#ifndef S2S_THREAD_LOCAL
#if defined(__GNUC__) && (defined(__linux__) || defined(__APPLE__))
#define S2S_THREAD_LOCAL __thread
#else
#define S2S_THREAD_LOCAL
#endif
#endif

static S2S_THREAD_LOCAL char last_error[S2S_ERROR_SIZE];

/* Set when a kernel's call has failed. */
static S2S_THREAD_LOCAL bool has_failed;

static s2s_registry *global_registry = NULL;

/* The row of a name, or count. */
static uint32_t row_of(const s2s_registry *registry, const char *name)
{
    uint32_t row = 0u;

    while (row < registry->count && strcmp(registry->rows[row].name, name) != 0) {
        ++row;
    }
    return row;
}

S2S_MERGED
s2s_status s2s_registry_init(s2s_registry *registry, s2s_named_function *rows, uint32_t capacity)
{
    if (registry == NULL || (rows == NULL && capacity > 0u)) {
        return S2S_ERR_NULL;
    }
    registry->rows = rows;
    registry->capacity = capacity;
    registry->count = 0u;
    registry->other = NULL;
    registry->self = NULL;
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_registry_add(s2s_registry *registry, const char *name, s2s_function function, bool replace)
{
    uint32_t row;

    if (registry == NULL || name == NULL || function.call == NULL) {
        return S2S_ERR_NULL;
    }
    row = row_of(registry, name);
    if (row < registry->count) {
        if (!replace) {
            return S2S_ERR_NAME;
        }
        s2s_function_release(&registry->rows[row].function);
    } else if (registry->count == registry->capacity) {
        return S2S_ERR_SLOTS;
    } else {
        ++registry->count;
        registry->rows[row].name = name;
    }
    registry->rows[row].function = function;
    return S2S_OK;
}

S2S_MERGED
s2s_status s2s_registry_remove(s2s_registry *registry, const char *name)
{
    uint32_t row;

    if (registry == NULL || name == NULL) {
        return S2S_ERR_NULL;
    }
    row = row_of(registry, name);
    if (row == registry->count) {
        return S2S_ERR_NAME;
    }
    s2s_function_release(&registry->rows[row].function);
    --registry->count;
    registry->rows[row] = registry->rows[registry->count];
    return S2S_OK;
}

S2S_MERGED
s2s_function *s2s_registry_find(const s2s_registry *registry, const char *name)
{
    uint32_t row;

    if (registry == NULL || name == NULL) {
        return NULL;
    }
    row = row_of(registry, name);
    if (row < registry->count) {
        return &registry->rows[row].function;
    }
    return registry->other == NULL ? NULL : registry->other(registry->self, name);
}

S2S_MERGED
void s2s_set_global_registry(s2s_registry *registry)
{
    global_registry = registry;
}

S2S_MERGED
s2s_registry *s2s_global_registry(void)
{
    return global_registry;
}

S2S_MERGED
int s2s_function_call(const s2s_function *function, s2s_value *args, int *type_codes, int num_args, s2s_value *ret,
                      int *ret_code)
{
    if (function == NULL || function->call == NULL || ret == NULL || ret_code == NULL) {
        s2s_set_last_error("packed function: a pointer that must be given is null");
        return -1;
    }
    ret->v_int64 = 0;
    *ret_code = S2S_ARG_NULL;
    return function->call(args, type_codes, num_args, ret, ret_code, function->resource);
}

S2S_MERGED
void s2s_function_hold(s2s_function *function)
{
    if (function != NULL && function->hold != NULL) {
        function->hold(function, 1);
    }
}

S2S_MERGED
void s2s_function_release(s2s_function *function)
{
    if (function != NULL && function->hold != NULL) {
        function->hold(function, -1);
    }
}

S2S_MERGED
void s2s_value_release(const s2s_value *value, int type_code)
{
    s2s_managed *managed;

    if (type_code == S2S_ARG_FUNCTION) {
        s2s_function_release(value->v_handle);
    } else if (type_code == S2S_ARG_MANAGED) {
        managed = value->v_handle;
        if (managed != NULL && managed->deleter != NULL) {
            managed->deleter(managed);
        }
    }
}

/* Appends text to a message of size bytes that may be cut. */
static void append(char *message, size_t size, const char *text)
{
    const size_t used = strlen(message), count = strlen(text);
    const size_t room = size - 1u - used;

    memcpy(message + used, text, count < room ? count : room);
    message[used + (count < room ? count : room)] = '\0';
}

/* Marks the run as failed; says why, unless the function has. */
static void fail(const char *name, const char *why)
{
    char message[256] = "packed function ";

    if (why != NULL) {
        append(message, sizeof message, name);
        append(message, sizeof message, why);
        s2s_set_last_error(message);
    }
    has_failed = true;
}

S2S_MERGED
void s2s_kernel_call(const char *name, s2s_packed_call linked, s2s_tensor *tensors, int num_inputs, int num_tensors,
                     int num_args, s2s_value *args, int *type_codes)
{
    const s2s_function given = {linked, NULL, NULL};
    const s2s_function *const function = linked != NULL ? &given : s2s_registry_find(s2s_global_registry(), name);
    s2s_value ret;
    int ret_code = S2S_ARG_NULL;

    for (int i = 0; i < num_tensors; ++i) {
        args[i].v_handle = &tensors[i];
        type_codes[i] = S2S_ARG_TENSOR;
    }
    if (function == NULL) {
        fail(name, " is in no registry: add it to s2s_global_registry(), or define S2S_LINK_PACKED and link it");
    } else if (!has_failed) {
        if (s2s_function_call(function, args, type_codes, num_args, &ret, &ret_code) != 0) {
            fail(name, NULL);
        } else if (ret_code != S2S_ARG_NULL) {
            s2s_value_release(&ret, ret_code);
            fail(name, " returned a value: it has to write into its last arguments");
        }
    }
    for (int i = num_inputs; has_failed && i < num_tensors; ++i) {
        memset(s2s_tensor_first(&tensors[i]), 0, s2s_tensor_size(&tensors[i]));
    }
}

S2S_MERGED
s2s_status s2s_kernel_status(void)
{
    const s2s_status status = has_failed ? S2S_ERR_FUNCTION : S2S_OK;

    has_failed = false;
    return status;
}

S2S_MERGED
void s2s_set_last_error(const char *message)
{
    size_t size = 0u;

    if (message != NULL) {
        while (size < sizeof last_error - 1u && message[size] != '\0') {
            last_error[size] = message[size];
            ++size;
        }
    }
    last_error[size] = '\0';
}

S2S_MERGED
const char *s2s_get_last_error(void)
{
    return last_error;
}
