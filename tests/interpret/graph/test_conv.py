"""Convolutions and pools mean what ONNX says, for one to three dimensions, strides, dilations, groups and pads."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.types.dtypes import Array
from s2s.types.shapes import ShapeError
from support.reference import assert_close, run_onnx, run_onnxruntime, run_operation

UNIT = {np.dtype(np.float16): 2.0**-10, np.dtype(ml_dtypes.bfloat16): 2.0**-7}
"""Relative distance of neighbouring numbers."""


def normal(shape: Sequence[int], seed: int = 0, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(seed).standard_normal(tuple(shape)).astype(dtype)


def window(strides: Sequence[int], pads: Sequence[int], dilations: Sequence[int]) -> dict[str, Any]:
    return {"strides": list(strides), "pads": list(pads), "dilations": list(dilations)}


CONVOLUTIONS = {
    "pointwise": ((2, 3, 4, 4), (5, 3, 1, 1), 1, window([1, 1], [0] * 4, [1, 1])),
    "same": ((1, 2, 5, 6), (3, 2, 3, 3), 1, window([1, 1], [1] * 4, [1, 1])),
    "strided": ((1, 2, 7, 8), (3, 2, 3, 2), 1, window([2, 3], [1, 0, 0, 1], [1, 1])),
    "dilated": ((1, 2, 7, 8), (3, 2, 3, 2), 1, window([1, 1], [1, 2, 2, 0], [2, 3])),
    "grouped": ((2, 4, 5, 5), (6, 2, 3, 3), 2, window([1, 1], [0] * 4, [1, 1])),
    "depthwise": ((1, 4, 5, 5), (4, 1, 3, 3), 4, window([2, 2], [1] * 4, [1, 1])),
    "multiplied depthwise": ((1, 2, 5, 5), (6, 1, 3, 3), 2, window([1, 1], [1] * 4, [1, 1])),
    "one dimension": ((2, 3, 9), (4, 3, 4), 1, window([2], [1, 2], [2])),
    "three dimensions": ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), 1, window([1, 2, 1], [1, 0, 1, 0, 1, 0], [1, 1, 2])),
    "padding beyond the kernel": ((1, 1, 2, 2), (1, 1, 1, 1), 1, window([1, 1], [2, 1, 1, 2], [1, 1])),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_conv(case: str, bias: bool):
    x_shape, w_shape, groups, geometry = CONVOLUTIONS[case]
    inputs = [normal(x_shape), normal(w_shape, 1), *([normal(w_shape[:1], 2)] if bias else [])]
    expected = run_onnx("Conv", inputs, {**geometry, "group": groups})[0]
    assert_close(run_operation(partial(graph.ConvOp, groups=groups, **geometry), inputs), expected, 1e-5)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=str)
def test_half_precision_conv_rounds_once(dtype: Any):
    x, w, b = normal((1, 8, 5, 5), dtype=dtype), normal((4, 8, 3, 3), 1, dtype), normal((4,), 2, dtype)
    build = partial(graph.ConvOp, groups=1, **window([1, 1], [1] * 4, [1, 1]))
    exact = run_operation(build, [x.astype(np.float64), w.astype(np.float64), b.astype(np.float64)])
    assert_close(run_operation(build, [x, w, b]), exact.astype(dtype), UNIT[np.dtype(dtype)])


def test_wide_integer_conv_wraps():
    x, w = np.full((1, 1, 2, 2), 2**30, np.int32), np.full((1, 1, 2, 2), 3, np.int32)
    build = partial(graph.ConvOp, groups=1, **window([1, 1], [0] * 4, [1, 1]))
    assert run_operation(build, [x, w]).tolist() == [[[[12 * 2**30 - 3 * 2**32]]]]


def test_small_integers_lose_their_zero_points_and_are_summed_in_32_bits():
    x, w, b = np.full((1, 1, 2, 2), -100, np.int8), np.full((1, 1, 2, 2), 120, np.int8), np.array([7], np.int32)
    build = partial(graph.ConvOp, groups=1, input_zp=27, weight_zp=-3, **window([1, 1], [0] * 4, [1, 1]))
    assert run_operation(build, [x, w, b]).tolist() == [[[[4 * -127 * 123 + 7]]]]


def test_padding_contributes_nothing_whatever_the_zero_point():
    x, w = np.full((1, 1, 1, 1), 5, np.int8), np.full((1, 1, 3, 3), 2, np.int8)
    build = partial(graph.ConvOp, groups=1, input_zp=3, **window([1, 1], [1] * 4, [1, 1]))
    assert run_operation(build, [x, w]).tolist() == [[[[4]]]]


@pytest.mark.parametrize(("acc_type", "expected"), [(None, np.int64), (i32, np.int32)])
def test_a_factor_of_16_bits_asks_for_a_sum_of_64(acc_type: Any, expected: Any):
    x, w = np.full((1, 1, 2, 2), -100, np.int16), np.full((1, 1, 2, 2), 2, np.int8)
    build = partial(graph.ConvOp, groups=1, acc_type=acc_type, **window([1, 1], [0] * 4, [1, 1]))
    found = run_operation(build, [x, w])
    assert (found.dtype, found.tolist()) == (np.dtype(expected), [[[[-800]]]])


@pytest.mark.parametrize("case", ["same", "strided", "grouped", "depthwise", "one dimension", "three dimensions"])
def test_channels_last_is_the_same_with_axes_moved(case: str):
    x_shape, w_shape, groups, geometry = CONVOLUTIONS[case]
    x, w = normal(x_shape), normal(w_shape, 1)
    expected = run_operation(partial(graph.ConvOp, groups=groups, **geometry), [x, w])
    found = run_operation(partial(graph.ConvOp, groups=groups, layout="NHWC", **geometry), [np.moveaxis(x, 1, -1), w])
    np.testing.assert_array_equal(found, np.moveaxis(expected, 1, -1))


TRANSPOSED = {
    "plain": ((1, 2, 3, 3), (2, 3, 3, 3), 1, window([1, 1], [0] * 4, [1, 1]), [0, 0]),
    "strided": ((2, 2, 3, 4), (2, 3, 3, 2), 1, window([2, 3], [0] * 4, [1, 1]), [0, 0]),
    "cut": ((1, 2, 4, 4), (2, 3, 3, 3), 1, window([2, 2], [1, 0, 1, 2], [1, 1]), [0, 0]),
    "lengthened": ((1, 2, 3, 3), (2, 3, 3, 3), 1, window([3, 2], [0] * 4, [1, 1]), [2, 1]),
    "cut and lengthened": ((1, 2, 3, 3), (2, 3, 3, 3), 1, window([2, 2], [1] * 4, [1, 1]), [1, 1]),
    "dilated": ((1, 1, 3, 3), (1, 2, 2, 2), 1, window([1, 1], [0] * 4, [2, 2]), [0, 0]),
    "grouped": ((1, 4, 3, 3), (4, 2, 3, 3), 2, window([2, 2], [0] * 4, [1, 1]), [0, 0]),
    "one dimension": ((1, 2, 5), (2, 3, 3), 1, window([2], [1, 1], [1]), [1]),
    "three dimensions": ((1, 1, 2, 3, 2), (1, 2, 2, 2, 2), 1, window([1, 2, 1], [0] * 6, [1, 1, 1]), [0, 0, 0]),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("case", TRANSPOSED)
def test_conv_transpose(case: str, bias: bool):
    x_shape, w_shape, groups, geometry, output_padding = TRANSPOSED[case]
    inputs = [normal(x_shape), normal(w_shape, 1), *([normal((w_shape[1] * groups,), 2)] if bias else [])]
    build = partial(graph.ConvTransposeOp, groups=groups, output_padding=output_padding, **geometry)
    if groups == 1:
        attributes = {**geometry, "group": groups, "output_padding": output_padding}
        expected = run_onnx("ConvTranspose", inputs, attributes)[0]
    else:
        parts = [np.split(value, groups) if i else np.split(value, groups, 1) for i, value in enumerate(inputs)]
        attributes = {**geometry, "output_padding": output_padding}
        expected = np.concatenate(
            [run_onnx("ConvTranspose", part, attributes)[0] for part in zip(*parts, strict=True)], 1
        )
    assert_close(run_operation(build, inputs), expected, 1e-5)


@given(st.integers(1, 7), st.integers(1, 4), st.integers(1, 3), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))
def test_conv_transpose_is_the_adjoint_of_conv(size: int, kernel: int, stride: int, low: int, high: int, dilation: int):
    extent = (kernel - 1) * dilation + 1
    assume(size + low + high >= extent)
    geometry = window([stride], [low, high], [dilation])
    x, w = normal((1, 2, size), dtype=np.float64), normal((3, 2, kernel), 1, np.float64)
    y = run_operation(partial(graph.ConvOp, groups=1, **geometry), [x, w])
    extra = (size + low + high - extent) % stride
    assume((y.shape[2] - 1) * stride + extent - low - high >= 1)
    back = run_operation(partial(graph.ConvTransposeOp, groups=1, output_padding=[extra], **geometry), [y, w])
    np.testing.assert_allclose(np.vdot(y, y), np.vdot(x, back), rtol=1e-9)


POOLS = {
    "plain": ((2, 3, 6, 6), [2, 2], window([2, 2], [0] * 4, [1, 1])),
    "padded": ((1, 2, 7, 6), [3, 3], window([2, 1], [1, 1, 1, 1], [1, 1])),
    "one-sided": ((1, 2, 7, 6), [3, 2], window([1, 1], [0, 1, 2, 0], [1, 1])),
    "one dimension": ((2, 3, 9), [4], window([3], [1, 2], [1])),
    "three dimensions": ((1, 2, 4, 5, 4), [2, 3, 2], window([1, 2, 2], [0, 1, 1, 0, 1, 0], [1, 1, 1])),
    "dilated": ((1, 2, 8, 8), [2, 3], window([1, 2], [1, 1, 0, 1], [3, 2])),
}


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8], ids=str)
@pytest.mark.parametrize("case", POOLS)
def test_max_pool(case: str, dtype: Any):
    shape, kernel, geometry = POOLS[case]
    x = (normal(shape) * 20).astype(np.int8).astype(dtype)
    expected = run_onnxruntime("MaxPool", [x], {**geometry, "kernel_shape": kernel})[0]
    assert_close(run_operation(partial(graph.MaxPoolOp, kernel=kernel, **geometry), [x]), expected.astype(dtype))


@pytest.mark.parametrize("storage_order", [0, 1])
@pytest.mark.parametrize("case", ["plain", "padded", "one-sided", "dilated"])
def test_max_pool_indices(case: str, storage_order: int):
    shape, kernel, geometry = POOLS[case]
    x = normal((1, 1, *shape[2:]))
    build = partial(graph.MaxPoolIndicesOp, kernel=kernel, storage_order=storage_order, **geometry)
    expected = run_onnxruntime(
        "MaxPool", [x], {**geometry, "kernel_shape": kernel, "storage_order": storage_order}, outputs=2
    )
    assert_close(run_operation(build, [x]), expected[1])


def test_max_pool_indices_count_over_images_and_channels():
    x = normal((2, 3, 4, 4))
    geometry = {"kernel": [2, 2], **window([2, 2], [0] * 4, [1, 1])}
    found = run_operation(partial(graph.MaxPoolIndicesOp, **geometry), [x])
    assert_close(x.ravel()[found], run_operation(partial(graph.MaxPoolOp, **geometry), [x]))


def test_max_pool_hands_nan_on():
    x = np.array([[[1.0, np.nan, 3.0, -np.inf, -np.inf]]], np.float32)
    geometry = {"kernel": [2], **window([1], [0, 0], [1])}
    assert_close(
        run_operation(partial(graph.MaxPoolOp, **geometry), [x]),
        np.array([[[np.nan, np.nan, 3.0, -np.inf]]], np.float32),
    )
    assert run_operation(partial(graph.MaxPoolIndicesOp, **geometry), [x]).tolist() == [[[1, 1, 2, 3]]]


@pytest.mark.parametrize("count_include_pad", [0, 1])
@pytest.mark.parametrize("case", [case for case in POOLS if case != "dilated"])
def test_avg_pool(case: str, count_include_pad: int):
    shape, kernel, geometry = POOLS[case]
    x = normal(shape)
    counted = geometry["pads"] if count_include_pad else [0] * len(geometry["pads"])
    expected = run_onnxruntime(
        "AveragePool", [x], {**geometry, "kernel_shape": kernel, "count_include_pad": count_include_pad}
    )[0]
    build = partial(graph.AvgPoolOp, kernel=kernel, counted_pads=counted, **geometry)
    assert_close(run_operation(build, [x]), expected)


def average_by_definition(
    x: Array, kernel: int, stride: int, pads: tuple[int, int], dilation: int, counted: tuple[int, int]
) -> list[float]:
    """The formula of `graph.avg_pool` on one dimension, element by element."""
    size = len(x)
    y: list[float] = []
    for start in range(-pads[0], size + pads[1] - (kernel - 1) * dilation, stride):
        taps = [start + k * dilation for k in range(kernel)]
        divisor = sum(-counted[0] <= tap < size + counted[1] for tap in taps)
        y.append(sum(float(x[tap]) for tap in taps if 0 <= tap < size) / divisor)
    return y


@given(st.data())
def test_avg_pool_counts_the_stated_padding(data: st.DataObject):
    kernel, dilation, stride = (data.draw(st.integers(1, 4)) for _ in range(3))
    extent = (kernel - 1) * dilation + 1
    low, high = (data.draw(st.integers(0, extent - 1)) for _ in range(2))
    size = max(1, extent - low - high) + data.draw(st.integers(0, 7))
    counted = (data.draw(st.integers(0, low)), data.draw(st.integers(0, high)))
    x = normal((size,), dtype=np.float64)
    taps_hit = all(
        any(0 <= start + k * dilation < size for k in range(kernel))
        for start in range(-low, size + high - extent + 1, stride)
    )
    build: Callable[..., GraphOp] = partial(
        graph.AvgPoolOp, kernel=[kernel], counted_pads=counted, **window([stride], [low, high], [dilation])
    )
    if not taps_hit:
        with pytest.raises(ShapeError, match="holds nothing but padding"):
            run_operation(build, [x.reshape(1, 1, -1)])
        return
    found = run_operation(build, [x.reshape(1, 1, -1)])
    np.testing.assert_allclose(found[0, 0], average_by_definition(x, kernel, stride, (low, high), dilation, counted))


def test_integer_avg_pool_rounds_halves_away_from_zero():
    x = np.array([[[-3, 0, 3, 4]]], np.int8)
    build = partial(graph.AvgPoolOp, kernel=[2], counted_pads=[0, 0], **window([1], [0, 0], [1]))
    assert run_operation(build, [x]).tolist() == [[[-2, 2, 4]]]


@pytest.mark.parametrize(("kernel", "pads"), list(product([1, 3], [0, 1])))
def test_conv_of_a_batch_is_conv_of_each_image(kernel: int, pads: int):
    x, w = normal((3, 2, 6, 6)), normal((4, 2, kernel, kernel), 1)
    build = partial(graph.ConvOp, groups=1, **window([1, 1], [pads] * 4, [1, 1]))
    single = np.concatenate([run_operation(build, [image[None], w]) for image in x])
    assert_close(run_operation(build, [x, w]), single, 0)
