/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_packed.h: packed functions, which all have one C signature, and registries that find them by name.
 *
 *     static int add(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
 *     {
 *         ret->v_int64 = args[0].v_int64 + args[1].v_int64;
 *         *ret_code = S2S_ARG_INT;
 *         return 0;
 *     }
 *
 *     static s2s_named_function rows[8];
 *     s2s_registry registry;
 *
 *     s2s_registry_init(&registry, rows, 8);
 *     s2s_registry_add(&registry, "add", (s2s_function){add, NULL, NULL}, false);
 *
 * Values, type codes and the signature are those of TVM 0.12 (TVMValue, TVMBackendPackedCFunc), so that kernels and
 * callers of either side fit each other.
 *
 * Ownership: arguments belong to the caller and are valid during the call only; a function that is kept longer is held
 * by s2s_function_hold. A returned function or managed tensor belongs to the caller, who lets go of it. A returned text
 * is valid until the next call in the same thread. A registry keeps the pointers that it is given: names and rows must
 * outlive it. It is not locked: add functions before other threads look for them. */
#ifndef S2S_PACKED_H
#define S2S_PACKED_H

#include "s2s_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Type codes. */
#define S2S_ARG_INT 0      /* v_int64 */
#define S2S_ARG_UINT 1     /* v_int64, to be read as unsigned */
#define S2S_ARG_FLOAT 2    /* v_float64 */
#define S2S_ARG_HANDLE 3   /* v_handle, of a meaning that both sides know */
#define S2S_ARG_NULL 4     /* nothing */
#define S2S_ARG_DTYPE 5    /* v_type */
#define S2S_ARG_DEVICE 6   /* v_device */
#define S2S_ARG_TENSOR 7   /* v_handle: an s2s_tensor (DLTensor), borrowed */
#define S2S_ARG_FUNCTION 10 /* v_handle: an s2s_function */
#define S2S_ARG_TEXT 11    /* v_str: a text that ends with a zero byte */
#define S2S_ARG_BYTES 12   /* v_handle: an s2s_bytes */
#define S2S_ARG_MANAGED 13 /* v_handle: an s2s_managed (DLManagedTensor), given away; as a result only */

typedef union s2s_value {
    int64_t v_int64;
    double v_float64;
    void *v_handle;
    const char *v_str;
    s2s_dtype v_type;
    s2s_device v_device;
} s2s_value;

typedef struct s2s_bytes {
    const char *data;
    size_t size;
} s2s_bytes;

/* A tensor with the function that releases it. */
typedef struct s2s_managed {
    s2s_tensor tensor;
    void *context;
    void (*deleter)(struct s2s_managed *self);
} s2s_managed;

/* A packed function. It returns 0, or another number after s2s_set_last_error. *ret_code is S2S_ARG_NULL when it is
 * called. resource is what was registered with it. */
typedef int (*s2s_packed_call)(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code,
                               void *resource);

/* A packed function and what it needs to know. hold, if it is not null, counts holders: by is 1 or -1. */
typedef struct s2s_function {
    s2s_packed_call call;
    void *resource;
    void (*hold)(struct s2s_function *function, int by);
} s2s_function;

typedef struct s2s_named_function {
    const char *name;
    s2s_function function;
} s2s_named_function;

/* Functions by name, in memory of the caller. Where a name is not found, `other` is asked if it is not null. */
typedef struct s2s_registry {
    s2s_named_function *rows;
    uint32_t capacity;
    uint32_t count;
    s2s_function *(*other)(void *self, const char *name);
    void *self;
} s2s_registry;

/* Prepares an empty registry. Error: S2S_ERR_NULL. */
s2s_status s2s_registry_init(s2s_registry *registry, s2s_named_function *rows, uint32_t capacity);

/* Adds a function. Errors: S2S_ERR_NULL, S2S_ERR_NAME (the name is taken and may not be replaced), S2S_ERR_SLOTS. */
s2s_status s2s_registry_add(s2s_registry *registry, const char *name, s2s_function function, bool replace);

/* Removes a function. Errors: S2S_ERR_NULL, S2S_ERR_NAME. */
s2s_status s2s_registry_remove(s2s_registry *registry, const char *name);

/* Finds a function, null if there is none of that name. The pointer is valid until the next remove. */
s2s_function *s2s_registry_find(const s2s_registry *registry, const char *name);

/* The registry of the process, in which code that does not know each other finds functions: null until one is set, which
 * must outlive its use. In Python's process it is set, and finds the functions of s2s.register_func. */
void s2s_set_global_registry(s2s_registry *registry);
s2s_registry *s2s_global_registry(void);

/* Calls a function; *ret_code is set to S2S_ARG_NULL before. Returns what the function returns, -1 for a null one. */
int s2s_function_call(const s2s_function *function, s2s_value *args, int *type_codes, int num_args, s2s_value *ret,
                      int *ret_code);

/* Keeps a function that was given as an argument, and lets go of one that was kept or returned. Null is allowed. */
void s2s_function_hold(s2s_function *function);
void s2s_function_release(s2s_function *function);

/* Releases a returned function or managed tensor; does nothing for values of other type codes. */
void s2s_value_release(const s2s_value *value, int type_code);

/* A function that kernels call, if the linker shall find it (S2S_LINK_PACKED is defined) and not a registry. */
#ifdef S2S_LINK_PACKED
#define S2S_LINKED(function) (function)
#else
#define S2S_LINKED(function) NULL
#endif

/* Calls a packed function from a kernel: `linked`, or the one of this name in the global registry if that is null. Its
 * arguments are tensors, inputs first, then what args and type_codes hold behind them up to num_args, and it returns
 * nothing. Where it is missing or fails, the other num_tensors - num_inputs tensors, which are contiguous, become zeros,
 * and later calls of the same run are left out. */
void s2s_kernel_call(const char *name, s2s_packed_call linked, s2s_tensor *tensors, int num_inputs, int num_tensors,
                     int num_args, s2s_value *args, int *type_codes);

/* S2S_ERR_FUNCTION if an s2s_kernel_call of this thread has failed since this was asked last, else S2S_OK. */
s2s_status s2s_kernel_status(void);

/* The message of the last error in this thread, cut to S2S_ERROR_SIZE - 1 bytes; empty at first. */
void s2s_set_last_error(const char *message);
const char *s2s_get_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
