/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_tensor.h: a view of an array somewhere in memory, laid out as DLPack's DLTensor.
 *
 * An s2s_tensor owns nothing: data, shape and strides belong to the caller that filled it in and must outlive its use. A
 * pointer to a DLTensor may be passed where a pointer to an s2s_tensor is wanted after a cast, as the fields are the
 * same. */
#ifndef S2S_TENSOR_H
#define S2S_TENSOR_H

#include "s2s.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DLDeviceType: memory that the processor reads directly. The executor takes no other. */
#define S2S_DEVICE_CPU 1

/* DLDataTypeCode. */
#define S2S_DTYPE_INT 0
#define S2S_DTYPE_UINT 1
#define S2S_DTYPE_FLOAT 2
#define S2S_DTYPE_BFLOAT 4
#define S2S_DTYPE_BOOL 6

typedef struct s2s_device {
    int32_t type;
    int32_t id;
} s2s_device;

typedef struct s2s_dtype {
    uint8_t code;   /* S2S_DTYPE_... */
    uint8_t bits;   /* of one lane; 8 for bool */
    uint16_t lanes; /* 1: elements are scalars */
} s2s_dtype;

typedef struct s2s_tensor {
    void *data; /* null if and only if nothing is bound yet or there are no elements */
    s2s_device device;
    int32_t ndim;
    s2s_dtype dtype;
    const int64_t *shape;   /* ndim numbers; not read if ndim is 0 */
    const int64_t *strides; /* ndim numbers counting elements, or null for row-major order without gaps */
    uint64_t byte_offset;   /* of the first element from data */
} s2s_tensor;

S2S_INLINE bool s2s_dtype_equal(s2s_dtype a, s2s_dtype b)
{
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/* Bytes of one element. */
S2S_INLINE size_t s2s_dtype_size(s2s_dtype dtype)
{
    return ((size_t)dtype.bits * dtype.lanes + 7u) / 8u;
}

/* Product of ndim dimensions; 1 if there are none. */
S2S_INLINE size_t s2s_shape_elements(const int64_t *shape, int32_t ndim)
{
    size_t elements = 1u;

    for (int32_t i = 0; i < ndim; ++i) {
        elements *= (size_t)shape[i];
    }
    return elements;
}

/* Bytes from the first element to the end of the last one, for row-major order without gaps. */
S2S_INLINE size_t s2s_tensor_size(const s2s_tensor *tensor)
{
    return s2s_shape_elements(tensor->shape, tensor->ndim) * s2s_dtype_size(tensor->dtype);
}

/* Address of the first element. */
S2S_INLINE void *s2s_tensor_first(const s2s_tensor *tensor)
{
    return tensor->data == NULL ? NULL : (char *)tensor->data + tensor->byte_offset;
}

/* True if the elements lie in row-major order without gaps. Strides of dimensions of size 1 do not matter. */
S2S_INLINE bool s2s_tensor_is_contiguous(const s2s_tensor *tensor)
{
    int64_t expected = 1;

    if (tensor->strides == NULL) {
        return true;
    }
    for (int32_t i = tensor->ndim - 1; i >= 0; --i) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != expected) {
            return false;
        }
        expected *= tensor->shape[i];
    }
    return true;
}

/* S2S_OK if a tensor has this type and shape, else S2S_ERR_DTYPE, S2S_ERR_RANK or S2S_ERR_SHAPE. */
S2S_INLINE s2s_status s2s_tensor_compare(const s2s_tensor *tensor, s2s_dtype dtype, const int64_t *shape, int32_t ndim)
{
    if (!s2s_dtype_equal(tensor->dtype, dtype)) {
        return S2S_ERR_DTYPE;
    }
    if (tensor->ndim != ndim) {
        return S2S_ERR_RANK;
    }
    for (int32_t i = 0; i < ndim; ++i) {
        if (tensor->shape[i] != shape[i]) {
            return S2S_ERR_SHAPE;
        }
    }
    return S2S_OK;
}

#ifdef __cplusplus
}
#endif
#endif
