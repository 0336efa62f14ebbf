/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as packed functions; the contract is in s2s_kernels.h. */
#include "s2s_kernels.h"

#include "s2s_align.h"

/* Why a tensor is none that the kernel can take; null if it is one. */
static const char *refusal(const s2s_tensor *tensor, const s2s_kernel_argument *wanted)
{
    uint64_t elements = 1u;

    if (tensor == NULL || tensor->device.type != S2S_DEVICE_CPU) {
        return "kernel: an argument is not in the memory of the processor";
    }
    if (!s2s_dtype_equal(tensor->dtype, wanted->dtype)) {
        return "kernel: an argument has another element type";
    }
    for (int32_t i = 0; i < tensor->ndim; ++i) {
        if (tensor->shape[i] < 0 || (tensor->shape[i] > 0 && elements > UINT64_MAX / (uint64_t)tensor->shape[i])) {
            return "kernel: an argument has a shape of no tensor";
        }
        elements *= (uint64_t)tensor->shape[i];
    }
    if (elements != wanted->elements) {
        return "kernel: an argument has another number of elements";
    }
    if (elements == 0u) {
        return NULL;
    }
    if (!s2s_tensor_is_contiguous(tensor)) {
        return "kernel: an argument is not contiguous";
    }
    if (tensor->data == NULL || !s2s_is_aligned(s2s_tensor_first(tensor), s2s_dtype_size(tensor->dtype))) {
        return "kernel: an argument has no memory, or its elements are not aligned";
    }
    return NULL;
}

S2S_MERGED
int s2s_call_kernel(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    const s2s_kernel_row *const row = resource;
    const uint32_t count = row->num_results + row->num_inputs + row->num_scratch;
    void *pointers[S2S_KERNEL_ARGUMENTS];

    (void)ret;
    if (num_args < 0 || (uint32_t)num_args != count || count > S2S_KERNEL_ARGUMENTS) {
        s2s_set_last_error("kernel: it takes another number of arguments");
        return -1;
    }
    for (uint32_t i = 0u; i < count; ++i) {
        const uint32_t packed = i < row->num_results                      ? i + row->num_inputs
                                : i < row->num_results + row->num_inputs ? i - row->num_results
                                                                         : i;
        const s2s_tensor *const tensor = type_codes[packed] == S2S_ARG_TENSOR ? args[packed].v_handle : NULL;
        const char *const wrong = refusal(tensor, &row->arguments[i]);

        if (wrong != NULL) {
            s2s_set_last_error(wrong);
            return -1;
        }
        pointers[i] = s2s_tensor_first(tensor);
    }
    row->kernel(pointers);
    *ret_code = S2S_ARG_NULL;
    return s2s_kernel_status() == S2S_OK ? 0 : -1;
}

S2S_MERGED
s2s_status s2s_registry_add_kernels(s2s_registry *registry, const s2s_kernel_row *rows, uint32_t count)
{
    s2s_status status = rows == NULL ? S2S_ERR_NULL : S2S_OK;

    for (uint32_t i = 0u; status == S2S_OK && i < count; ++i) {
        s2s_function function = {s2s_call_kernel, NULL, NULL};

        /* A resource is const for some functions and not for others. */
        function.resource = (void *)(uintptr_t)&rows[i];
        status = s2s_registry_add(registry, rows[i].name, function, false);
    }
    return status;
}
