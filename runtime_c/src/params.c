/* SPDX-License-Identifier: Apache-2.0 */
/* Reading params; the contract is in s2s_params.h, the format in s2s/executor/params.py. */
#include "s2s_params.h"

#define LIST_MAGIC 0xF7E58D4F05049CB7u
#define ARRAY_MAGIC 0xDD5E40F096B4A13Fu

static bool fail(s2s_params *params, const char *what)
{
    params->what = what;
    params->left = 0u;
    return false;
}

/* Takes a number of so many bytes at *at; 0 and an error if the blob ends before. */
static uint64_t take(s2s_params *params, size_t *at, size_t bytes)
{
    uint64_t value = 0u;

    if (params->what != NULL || params->size - *at < bytes) {
        (void)fail(params, "the file is cut short");
        return 0u;
    }
    for (size_t i = bytes; i > 0u; --i) {
        value = value << 8 | params->blob[*at + i - 1u];
    }
    *at += bytes;
    return value;
}

/* Moves *at behind a name. */
static void take_name(s2s_params *params, size_t *at, const char **name, size_t *size)
{
    const uint64_t length = take(params, at, 8u);

    if (params->what != NULL || length > params->size - *at) {
        (void)fail(params, "a name is longer than the file");
        return;
    }
    *name = (const char *)&params->blob[*at];
    *size = (size_t)length;
    *at += (size_t)length;
}

S2S_MERGED
bool s2s_params_open(s2s_params *params, const void *blob, size_t size)
{
    uint64_t names;
    const char *name = NULL;

    params->blob = blob;
    params->size = blob == NULL ? 0u : size;
    params->at = 0u;
    params->what = NULL;
    if (take(params, &params->at, 8u) != LIST_MAGIC) {
        return fail(params, "the file does not begin like params");
    }
    (void)take(params, &params->at, 8u);
    names = take(params, &params->at, 8u);
    params->next_name = params->at;
    for (uint64_t i = 0u; i < names && params->what == NULL; ++i) {
        take_name(params, &params->at, &name, &params->name_size);
    }
    params->left = take(params, &params->at, 8u);
    if (params->what == NULL && params->left != names) {
        return fail(params, "there are not as many arrays as names");
    }
    return params->what == NULL;
}

/* Bytes of an array of the shape that was read; false if that is no number of bytes. */
static bool size_of_array(const s2s_params *params, uint64_t *bytes)
{
    *bytes = s2s_dtype_size(params->array.dtype);
    for (int32_t i = 0; i < params->array.ndim; ++i) {
        if (params->shape[i] < 0 || (params->shape[i] > 0 && *bytes > UINT64_MAX / (uint64_t)params->shape[i])) {
            return false;
        }
        *bytes *= (uint64_t)params->shape[i];
    }
    return true;
}

/* Takes the head of an array and the shape behind it. */
static bool take_head(s2s_params *params)
{
    s2s_tensor *const array = &params->array;
    uint64_t rank;

    if (take(params, &params->at, 8u) != ARRAY_MAGIC) {
        return fail(params, "there is no array where one should be");
    }
    (void)take(params, &params->at, 8u);
    array->device.type = (int32_t)take(params, &params->at, 4u);
    array->device.id = (int32_t)take(params, &params->at, 4u);
    rank = take(params, &params->at, 4u);
    array->dtype.code = (uint8_t)take(params, &params->at, 1u);
    array->dtype.bits = (uint8_t)take(params, &params->at, 1u);
    array->dtype.lanes = (uint16_t)take(params, &params->at, 2u);
    if (params->what != NULL || array->device.type != S2S_DEVICE_CPU || rank > S2S_PARAMS_RANK) {
        return fail(params, "the head of an array is damaged");
    }
    if (array->dtype.code == S2S_DTYPE_UINT && array->dtype.bits == 1u) { /* a bool, as TVM writes it */
        array->dtype.code = S2S_DTYPE_BOOL;
        array->dtype.bits = 8u;
    }
    array->ndim = (int32_t)rank;
    for (size_t i = 0u; i < rank; ++i) {
        params->shape[i] = (int64_t)take(params, &params->at, 8u);
    }
    return params->what == NULL;
}

S2S_MERGED
bool s2s_params_next(s2s_params *params)
{
    uint64_t bytes, wanted;

    if (params->left == 0u) {
        if (params->what == NULL && params->at != params->size) {
            return fail(params, "bytes follow the last array");
        }
        return false;
    }
    --params->left;
    take_name(params, &params->next_name, &params->name, &params->name_size);
    if (!take_head(params)) {
        return false;
    }
    bytes = take(params, &params->at, 8u);
    if (params->what != NULL || !size_of_array(params, &wanted) || bytes != wanted ||
        bytes > params->size - params->at) {
        return fail(params, "the size of an array is not that of its shape, or larger than the file");
    }
    /* The blob is only read; tensors have no const data. */
    params->array.data = (void *)(uintptr_t)&params->blob[params->at];
    params->array.shape = params->shape;
    params->array.strides = NULL;
    params->array.byte_offset = 0u;
    params->at += (size_t)bytes;
    return true;
}
