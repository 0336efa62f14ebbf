/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_tvm.h: the graph executor, packed functions by name and errors under the names of TVM's C runtime.
 *
 *     TVMGraphExecutor *executor;
 *
 *     TVMGraphExecutor_Create(json, &registry, &cpu, &executor);
 *     TVMGraphExecutor_LoadParams(executor, params, params_size);
 *     TVMGraphExecutor_SetInput(executor, "image", &image);
 *     TVMGraphExecutor_Run(executor);
 *     TVMGraphExecutor_GetOutput(executor, 0, &scores);
 *     TVMGraphExecutor_Release(&executor);
 *
 * As there, the project defines TVMPlatformMemoryAllocate and TVMPlatformMemoryFree, and SetInput does not copy: the
 * executor reads the memory of the tensor at each run. What differs: the module is a registry of functions
 * (s2s_kernels.h fills one), GetNumInputs takes the executor, and SetInput and Run return 0 or -1 with a message in
 * TVMGetLastError, where upstream returns nothing. */
#ifndef S2S_TVM_H
#define S2S_TVM_H

#include "s2s_program.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef s2s_device DLDevice;
typedef s2s_dtype DLDataType;
typedef s2s_tensor DLTensor;
typedef s2s_value TVMValue;
typedef s2s_packed_call TVMBackendPackedCFunc;
typedef const s2s_registry *TVMModuleHandle;
typedef s2s_function *TVMFunctionHandle;
typedef int tvm_crt_error_t;

/* Defined by the project: memory for one executor. They return 0 on success. */
tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr);
tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev);

/* The most memory that an executor asks for. */
#ifndef S2S_TVM_MEMORY
#define S2S_TVM_MEMORY ((size_t)1 << 30)
#endif

/* Fields are private. The program lies in front of its memory, in one piece. */
typedef struct TVMGraphExecutor {
    s2s_program program;
    DLDevice device;
} TVMGraphExecutor;

S2S_INLINE void TVMAPISetLastError(const char *message)
{
    s2s_set_last_error(message);
}

S2S_INLINE const char *TVMGetLastError(void)
{
    return s2s_get_last_error();
}

/* 0 for success; else sets the message and returns -1. */
S2S_INLINE int s2s_tvm_status(s2s_status status)
{
    if (status != S2S_OK && status != S2S_ERR_STATE) { /* there, the function that failed has set it */
        s2s_set_last_error(s2s_status_phrase(status));
    }
    return status == S2S_OK ? 0 : -1;
}

/* Finds a function of the process; *out is null where there is none of that name. TVMFuncFree lets go of it. */
S2S_INLINE int TVMFuncGetGlobal(const char *name, TVMFunctionHandle *out)
{
    if (name == NULL || out == NULL) {
        return s2s_tvm_status(S2S_ERR_NULL);
    }
    *out = s2s_registry_find(s2s_global_registry(), name);
    s2s_function_hold(*out);
    return 0;
}

/* Registers a copy of a function for the process; the name must outlive it. */
S2S_INLINE int TVMFuncRegisterGlobal(const char *name, TVMFunctionHandle f, int override)
{
    return s2s_tvm_status(f == NULL ? S2S_ERR_NULL
                                    : s2s_registry_add(s2s_global_registry(), name, *f, override != 0));
}

S2S_INLINE int TVMFuncCall(TVMFunctionHandle func, TVMValue *arg_values, int *type_codes, int num_args,
                           TVMValue *ret_val, int *ret_type_code)
{
    return s2s_function_call(func, arg_values, type_codes, num_args, ret_val, ret_type_code);
}

S2S_INLINE int TVMFuncFree(TVMFunctionHandle func)
{
    s2s_function_release(func);
    return 0;
}

/* As TVMFuncGetGlobal, for kernels, which fail where there is no such function. The module is not looked at. */
S2S_INLINE int TVMBackendGetFuncFromEnv(void *mod_node, const char *func_name, TVMFunctionHandle *out)
{
    const int status = TVMFuncGetGlobal(func_name, out);

    (void)mod_node;
    return status == 0 && *out == NULL ? s2s_tvm_status(S2S_ERR_NAME) : status;
}

/* Loads a graph JSON. Memory is asked for in growing amounts until it is enough. */
S2S_INLINE int TVMGraphExecutor_Create(const char *sym_json, TVMModuleHandle module_handle, const DLDevice *devices,
                                       TVMGraphExecutor **executor)
{
    s2s_file_error error = {NULL, 0u};
    s2s_status status = S2S_ERR_NULL;

    if (sym_json == NULL || module_handle == NULL || devices == NULL || executor == NULL) {
        return s2s_tvm_status(S2S_ERR_NULL);
    }
    *executor = NULL;
    for (size_t size = 4096u; size <= S2S_TVM_MEMORY; size *= 2u) {
        void *memory = NULL;
        TVMGraphExecutor *made;

        if (TVMPlatformMemoryAllocate(sizeof *made + size, *devices, &memory) != 0 || memory == NULL) {
            return s2s_tvm_status(S2S_ERR_ARENA_SIZE);
        }
        made = (TVMGraphExecutor *)memory;
        made->device = *devices;
        status = s2s_program_load(&made->program, sym_json, strlen(sym_json), module_handle, made + 1, size, &error);
        if (status == S2S_OK) {
            *executor = made;
            return 0;
        }
        (void)TVMPlatformMemoryFree(memory, *devices);
        if (status != S2S_ERR_ARENA_SIZE) {
            break;
        }
    }
    s2s_set_last_error(error.what);
    return -1;
}

S2S_INLINE int TVMGraphExecutor_Release(TVMGraphExecutor **executor)
{
    int status = 0;

    if (executor != NULL && *executor != NULL) {
        status = TVMPlatformMemoryFree(*executor, (*executor)->device);
        *executor = NULL;
    }
    return status;
}

/* The number of an input, -1 if there is none of that name. */
S2S_INLINE int TVMGraphExecutor_GetInputIndex(const TVMGraphExecutor *executor, const char *name)
{
    uint32_t index = 0u;

    return s2s_program_input_index(&executor->program, name, &index) == S2S_OK ? (int)index : -1;
}

S2S_INLINE int TVMGraphExecutor_GetNumInputs(const TVMGraphExecutor *executor)
{
    return (int)executor->program.num_inputs;
}

S2S_INLINE int TVMGraphExecutor_GetNumOutputs(const TVMGraphExecutor *executor)
{
    return (int)executor->program.num_outputs;
}

S2S_INLINE int TVMGraphExecutor_SetInput(TVMGraphExecutor *executor, const char *name, DLTensor *data_in)
{
    uint32_t index = 0u;
    const s2s_status status = s2s_program_input_index(&executor->program, name, &index);

    return s2s_tvm_status(status == S2S_OK ? s2s_program_set_input_zero_copy(&executor->program, index, data_in)
                                           : status);
}

S2S_INLINE int TVMGraphExecutor_Run(TVMGraphExecutor *executor)
{
    return s2s_tvm_status(s2s_program_run(&executor->program));
}

/* Copies an output. */
S2S_INLINE int TVMGraphExecutor_GetOutput(TVMGraphExecutor *executor, const int32_t index, DLTensor *out)
{
    return s2s_tvm_status(index < 0 ? S2S_ERR_INDEX
                                    : s2s_program_get_output(&executor->program, (uint32_t)index, out));
}

/* Copies parameters. */
S2S_INLINE int TVMGraphExecutor_LoadParams(TVMGraphExecutor *executor, const char *param_blob,
                                           const uint32_t param_size)
{
    s2s_file_error error = {NULL, 0u};

    return s2s_tvm_status(s2s_program_load_params(&executor->program, param_blob, param_size, &error));
}

#ifdef __cplusplus
}
#endif
#endif
