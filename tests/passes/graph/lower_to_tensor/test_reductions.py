"""Reductions, normalisations and running sums keep their numbers when they are lowered."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.types.dtypes import Array
from support.kernels import check_lowering, rand

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.uint8, np.int32, np.uint64)
REDUCTIONS = [graph.ReduceSumOp, graph.ReduceProdOp, graph.ReduceMeanOp, graph.ReduceMaxOp, graph.ReduceMinOp]
SEARCHES = [graph.ArgmaxOp, graph.ArgminOp]


def tolerance(dtype: Any) -> float | None:
    """Half a unit in the last place of bfloat16 is 0.4 %; what the other types allow otherwise."""
    return 8e-3 if dtype == ml_dtypes.bfloat16 else None


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [[0], [1], [2, 0], [0, 1, 2], []])
@pytest.mark.parametrize("build", REDUCTIONS)
def test_axes(build: Callable[..., Operation], axes: list[int], keepdims: bool):
    check_lowering(lambda x: build(x, axes=axes, keepdims=keepdims), rand(3, 4, 5))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("build", REDUCTIONS)
def test_other_types(build: Callable[..., Operation], dtype: Any):
    check_lowering(lambda x: build(x, axes=[1]), rand(4, 6, dtype=dtype), rtol=tolerance(dtype))


@pytest.mark.parametrize("build", [graph.ReduceMaxOp, graph.ReduceMinOp])
def test_extremes(build: Callable[..., Operation]):
    x = np.array([[np.nan, 1], [2, np.nan], [-np.inf, -np.inf], [np.inf, -np.inf]], np.float32)
    check_lowering(lambda value: build(value, axes=[1]), x)
    check_lowering(lambda value: build(value, axes=[1]), rand(3, 4, dtype=np.bool_))


def test_sum_of_nothing_is_zero():
    check_lowering(lambda x: graph.ReduceSumOp(x, axes=[1]), rand(3, 0))
    check_lowering(lambda x: graph.ReduceProdOp(x, axes=[1], keepdims=True), rand(3, 0, dtype=np.int32))


@pytest.mark.parametrize("select_last", [False, True])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("build", SEARCHES)
def test_search(build: Callable[..., Operation], axis: int, keepdims: bool, select_last: bool):
    x = np.rint(rand(3, 6, 5))
    check_lowering(lambda value: build(value, axis=axis, keepdims=keepdims, select_last=select_last), x)


@pytest.mark.parametrize("select_last", [False, True])
@pytest.mark.parametrize("build", SEARCHES)
def test_search_among_extremes(build: Callable[..., Operation], select_last: bool):
    rows = [[1, np.nan, 2, np.nan], [-np.inf] * 4, [np.inf] * 4, [np.nan] * 4, [np.nan, np.inf, 0, -np.inf]]
    check_lowering(lambda value: build(value, axis=1, select_last=select_last), np.array(rows, np.float32))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("build", SEARCHES)
def test_search_in_other_types(build: Callable[..., Operation], dtype: Any):
    check_lowering(lambda value: build(value, axis=1), rand(4, 6, dtype=dtype))


@pytest.mark.parametrize("build", SEARCHES)
def test_search_for_a_narrow_position(build: Callable[..., Operation]):
    check_lowering(lambda value: build(value, axis=1, element_type=i32), rand(4, 6, dtype=np.int8))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_running_sum(axis: int, reverse: bool, exclusive: bool):
    for x in (rand(4, 5), rand(1, 1), rand(4, 5, dtype=np.int8)):
        check_lowering(lambda value: graph.CumsumOp(value, axis=axis, exclusive=exclusive, reverse=reverse), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_running_sum_of_other_floats(dtype: Any):
    check_lowering(lambda x: graph.CumsumOp(x, axis=0), rand(6, dtype=dtype), rtol=tolerance(dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("build", [graph.SoftmaxOp, graph.LogSoftmaxOp])
def test_softmax(build: Callable[..., Operation], axis: int, dtype: Any):
    check_lowering(lambda x: build(x, axis=axis), rand(3, 4, 5, dtype=dtype), rtol=tolerance(dtype))


@pytest.mark.parametrize("build", [graph.SoftmaxOp, graph.LogSoftmaxOp])
def test_softmax_of_large_numbers(build: Callable[..., Operation]):
    x = np.array([[1e4, 1e4 + 1, 0], [-1e30, 0, 1], [-np.inf, 0, 1], [np.nan, 0, 1], [np.inf, 0, 1]], np.float32)
    check_lowering(lambda value: build(value, axis=1), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("parameters", [[], ["scale"], ["bias"], ["scale", "bias"]])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_layer_norm(axis: int, parameters: list[str], dtype: Any):
    values = {name: rand(4, 5, dtype=dtype, seed=seed) for seed, name in enumerate(parameters, 1)}

    def build(x: SSAValue, *given: SSAValue) -> Operation:
        return graph.LayerNormOp(x, **dict(zip(parameters, given, strict=True)), axis=axis, epsilon=1e-5)

    check_lowering(
        build,
        rand(3, 4, 5, dtype=dtype),
        *values.values(),
        rtol=2e-2 if dtype == ml_dtypes.bfloat16 else None,
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4, 5)])
def test_batch_norm(shape: tuple[int, ...], dtype: Any):
    scale, bias, mean = (rand(3, dtype=dtype, seed=seed) for seed in range(3))
    variance: Array = np.abs(rand(3, dtype=dtype, seed=3))

    def build(x: SSAValue, *given: SSAValue) -> Operation:
        return graph.BatchNormOp(x, *given, epsilon=1e-3)

    check_lowering(
        build,
        rand(*shape, dtype=dtype),
        scale,
        bias,
        mean,
        variance,
        rtol=2e-2 if dtype == ml_dtypes.bfloat16 else None,
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_lrn(size: int, dtype: Any):
    check_lowering(
        lambda x: graph.LrnOp(x, size=size, alpha=0.1, beta=0.75, bias=1.5),
        rand(2, 6, 3, 2, dtype=dtype),
        rtol=tolerance(dtype),
    )


@pytest.mark.parametrize(("parts", "bins", "inverse"), [(1, 7, False), (2, 12, False), (2, 5, True)])
def test_fourier_transforms(parts: int, bins: int, inverse: bool):
    angles = 2 * np.pi * np.arange(12) / 12
    roots = np.stack([np.cos(angles), -np.sin(angles)], 1).astype(np.float32)
    x = rand(2, 3, 12, parts, dtype=np.float32)
    check_lowering(lambda x, roots: graph.DftOp(x, roots, bins=bins, inverse=inverse), x, roots, rtol=1e-5)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_fourier_transforms_in_fixed_point(dtype: Any, inverse: bool):
    most, sign = np.iinfo(dtype).max, 1 if inverse else -1
    angles = sign * 2 * np.pi * np.arange(6) / 6, sign * np.pi * ((np.arange(3) + 1) / 6 + 0.5)
    roots, turns = (np.floor(0.5 + most * np.stack([np.cos(a), np.sin(a)], 1)).astype(dtype) for a in angles)
    x = rand(2, 7, 2, dtype=dtype) if inverse else rand(2, 12, dtype=dtype)
    check_lowering(lambda x, roots, turns: graph.FixedDftOp(x, roots, turns, inverse=inverse), x, roots, turns)


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8, np.int16, np.uint32, np.uint64])
def test_first_elements_in_order(dtype: Any, smallest: bool):
    x = rand(3, 20, dtype=dtype)
    x[0, 3:9] = x[0, 12]
    if x.dtype.kind == "f":
        x[1, 4:6] = np.nan
        x[2] = np.copysign(0, x[2])
    check_lowering(lambda value: graph.TopKOp(value, count=7, smallest=smallest), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint32, np.int8])
def test_order_of_rows(dtype: Any):
    x = np.round(rand(40, 3, dtype=dtype))
    x[5:9] = x[20]
    if x.dtype.kind == "f":
        x[9:12, 1] = np.nan
    check_lowering(graph.RowOrderOp, x)


def test_positions_of_true_elements():
    mask = np.random.default_rng(0).integers(0, 2, 40).astype(np.bool_)
    check_lowering(
        lambda value, count: graph.NonzeroOp(value, count, size="found", bound=30), mask, np.array(mask.sum(), np.int32)
    )


@pytest.mark.parametrize("is_centered", [False, True])
def test_boxes_that_overlap_little(is_centered: bool):
    limits = [np.array(0.2, np.float32), np.array(-0.5, np.float32)]

    def build(boxes: SSAValue, *given: SSAValue) -> Operation:
        scores, overlap, least = given
        return graph.NonMaxSuppressionOp(boxes, scores, overlap, least, most=5, is_centered=is_centered)

    check_lowering(
        build,
        *(np.abs(rand(2, 12, 4)), rand(2, 3, 12, seed=1), *limits),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("largest", [False, True])
def test_samples_of_regions(largest: bool, dtype: Any):
    def build(image: SSAValue, *given: SSAValue) -> Operation:
        batch, starts, bins, sizes = given
        return graph.RoiAlignOp(image, batch, starts, bins, sizes, rows=2, columns=3, ratio=0, largest=largest)

    numbers, sizes = np.array([1, 0, 1], np.int32), np.array([5, 6], np.int32)
    starts, bins = rand(3, 2, dtype=dtype) * 4, np.abs(rand(3, 2, dtype=dtype, seed=1)) * 4
    check_lowering(build, rand(2, 5, 6, 4, dtype=dtype), numbers, starts, bins, sizes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_largest_elements_of_regions(dtype: Any):
    def build(image: SSAValue, *given: SSAValue) -> Operation:
        batch, high, wide = given
        return graph.MaxRegionsOp(image, batch, high, wide)

    ends = np.array([[[0, 2], [1, 4]], [[-3, 9], [2, 2]], [[4, 9], [0, 1]]], np.int32)
    check_lowering(build, rand(2, 5, 6, 4, dtype=dtype), np.array([1, 0, 7], np.int32), ends, ends)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (2, 2), (3, 1)])
def test_sums_of_patches(stride: int, dilation: int, dtype: Any):
    def build(x: SSAValue) -> Operation:
        return graph.SumPatchesOp(x, sizes=[9, 7], strides=[stride, 1], low=[1, 0], dilations=[dilation, 1])

    check_lowering(build, rand(2, 2, 3, 2, 4, 6, dtype=dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_determinants(dtype: Any):
    x = rand(2, 3, 6, 6, dtype=dtype)
    x[0, 1, 2], x[1, 0, :, 3], x[1, 2, 0, 0] = x[0, 1, 4] * 2, 0, np.nan
    check_lowering(graph.DeterminantOp, x)
