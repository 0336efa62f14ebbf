#include "check.h"
#include "s2s_tensor.h"

static const s2s_dtype float32 = {S2S_DTYPE_FLOAT, 32, 1};

static s2s_tensor view(const int64_t *shape, int32_t ndim, const int64_t *strides)
{
    s2s_tensor tensor = {NULL, {S2S_DEVICE_CPU, 0}, 0, {0, 0, 0}, NULL, NULL, 0};

    tensor.dtype = float32;
    tensor.shape = shape;
    tensor.ndim = ndim;
    tensor.strides = strides;
    return tensor;
}

static void sizes_count_bytes(void)
{
    const int64_t shape[] = {2, 3, 5};
    const int64_t empty[] = {2, 0, 5};
    s2s_tensor tensor = view(shape, 3, NULL);

    CHECK(s2s_tensor_size(&tensor) == 120u);
    tensor.shape = empty;
    CHECK(s2s_tensor_size(&tensor) == 0u);
    tensor = view(NULL, 0, NULL);
    CHECK(s2s_tensor_size(&tensor) == 4u);
}

static void elements_take_whole_bytes(void)
{
    const s2s_dtype bit = {S2S_DTYPE_UINT, 1, 1};
    const s2s_dtype nibbles = {S2S_DTYPE_INT, 4, 3};
    const s2s_dtype complex_like = {S2S_DTYPE_FLOAT, 64, 2};

    CHECK(s2s_dtype_size(float32) == 4u);
    CHECK(s2s_dtype_size(bit) == 1u);
    CHECK(s2s_dtype_size(nibbles) == 2u);
    CHECK(s2s_dtype_size(complex_like) == 16u);
}

static void dtypes_differ_in_each_field(void)
{
    const s2s_dtype integer = {S2S_DTYPE_INT, 32, 1};
    const s2s_dtype half = {S2S_DTYPE_FLOAT, 16, 1};
    const s2s_dtype pair = {S2S_DTYPE_FLOAT, 32, 2};

    CHECK(s2s_dtype_equal(float32, float32));
    CHECK(!s2s_dtype_equal(float32, integer));
    CHECK(!s2s_dtype_equal(float32, half));
    CHECK(!s2s_dtype_equal(float32, pair));
}

static void the_first_element_stands_at_the_byte_offset(void)
{
    float values[4] = {0.0f, 1.0f, 2.0f, 3.0f};
    s2s_tensor tensor = view(NULL, 0, NULL);

    CHECK(s2s_tensor_first(&tensor) == NULL);
    tensor.data = values;
    tensor.byte_offset = 8u;
    CHECK(s2s_tensor_first(&tensor) == &values[2]);
}

static void strides_are_contiguous_or_not(void)
{
    const int64_t shape[] = {4, 1, 3};
    const int64_t row_major[] = {3, 3, 1};
    const int64_t any_for_one[] = {3, 77, 1};
    const int64_t transposed[] = {1, 4, 4};
    s2s_tensor tensor = view(shape, 3, NULL);

    CHECK(s2s_tensor_is_contiguous(&tensor));
    tensor.strides = row_major;
    CHECK(s2s_tensor_is_contiguous(&tensor));
    tensor.strides = any_for_one;
    CHECK(s2s_tensor_is_contiguous(&tensor));
    tensor.strides = transposed;
    CHECK(!s2s_tensor_is_contiguous(&tensor));
}

/* DLPack 0.x: data, device, ndim, dtype, shape, strides, byte_offset, each at its natural alignment. */
static void the_layout_is_that_of_dlpack(void)
{
    CHECK(offsetof(s2s_tensor, data) == 0u);
    CHECK(offsetof(s2s_tensor, device) == sizeof(void *));
    CHECK(offsetof(s2s_tensor, ndim) == sizeof(void *) + 8u);
    CHECK(offsetof(s2s_tensor, dtype) == sizeof(void *) + 12u);
    CHECK(offsetof(s2s_tensor, shape) == sizeof(void *) + 16u);
    CHECK(offsetof(s2s_tensor, strides) == 2u * sizeof(void *) + 16u);
    CHECK(offsetof(s2s_tensor, byte_offset) == 3u * sizeof(void *) + 16u || sizeof(void *) != 8u);
    CHECK(sizeof(s2s_device) == 8u);
    CHECK(sizeof(s2s_dtype) == 4u);
}

void test_tensor(void)
{
    sizes_count_bytes();
    elements_take_whole_bytes();
    dtypes_differ_in_each_field();
    the_first_element_stands_at_the_byte_offset();
    strides_are_contiguous_or_not();
    the_layout_is_that_of_dlpack();
}
