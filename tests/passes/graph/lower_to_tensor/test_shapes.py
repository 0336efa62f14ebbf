"""Operators that move elements keep them when they are lowered."""

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.interpret.tensor import run_tensor
from s2s.types.dtypes import from_numpy
from support.kernels import check_lowering, kernel, lowered, rand

ALL = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int64, np.uint64, np.bool_)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([2, 3, 4], [6, 4]),
        ([6, 4], [2, 3, 4]),
        ([2, 3, 4], [24]),
        ([4, 6], [8, 3]),
        ([1], []),
        ([], [1, 1]),
        ([1, 3, 1, 2], [3, 2, 1]),
        ([3, 8, 5], [3, 4, 2, 5]),
        ([5, 7], [7, 5]),
    ],
)
def test_reshape(before: list[int], after: list[int]):
    check_lowering(lambda x: graph.ReshapeOp(x, after), rand(*before))


@pytest.mark.parametrize("dtype", ALL)
def test_elements_stay_as_they_are(dtype: Any):
    x = rand(3, 4, dtype=dtype)
    if x.dtype.kind == "f":
        x[0, 0] = np.nan
    check_lowering(lambda value: graph.TransposeOp(value, perm=[1, 0]), x, rtol=0)


@pytest.mark.parametrize("perm", [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
def test_transpose(perm: list[int]):
    check_lowering(lambda x: graph.TransposeOp(x, perm=perm), rand(2, 3, 4))


@pytest.mark.parametrize(
    ("starts", "sizes", "strides"), [([0, 0], [5, 6], [1, 1]), ([1, 5], [2, 3], [2, -2]), ([4, 0], [5, 1], [-1, 1])]
)
def test_slice(starts: list[int], sizes: list[int], strides: list[int]):
    check_lowering(lambda x: graph.SliceOp(x, starts=starts, sizes=sizes, strides=strides), rand(5, 6))


def test_slices_with_names():
    sliced = partial(graph.DynamicSliceOp, starts=[5, 0], sizes=[3, 4], strides=[-2, 0])
    check_lowering(lambda x: sliced(x, begins=("", ""), extents=("", "")), rand(6, 1))


@pytest.mark.parametrize("shape", [[6, 4], [2, 12], [3, 8], [24], [2, 1, 3, 2, 2]])
def test_reshapes_with_names(shape: list[int]):
    check_lowering(lambda x: graph.DynamicReshapeOp(x, shape=shape, extents=("",) * len(shape)), rand(2, 3, 4))


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_padding_of_centred_windows(side: str, size: int):
    padded = partial(graph.SamePadOp, windows=[1, 4, 3], strides=[1, 3, 2], side=side, value=0.5)
    check_lowering(padded, rand(2, size, size))


def test_values_of_sizes():
    check_lowering(lambda: graph.SizeValuesOp(i64, [3], values=[4, 2, 9], names=("", "", "")))


@pytest.mark.parametrize("repeats", [[1, 1], [2, 3], [1, 4]])
def test_tile(repeats: list[int]):
    check_lowering(lambda x: graph.TileOp(x, repeats=repeats), rand(1, 3))
    check_lowering(lambda x: graph.TileOp(x, repeats=repeats), rand(2, 3))


@pytest.mark.parametrize(("size", "starts"), [([1, 2, 3], [0, 4, 1]), ([2, 6, 5], [0, 0, 0]), ([2, 1, 5], [0, 5, 0])])
def test_insert_slice(size: list[int], starts: list[int]):
    check_lowering(lambda x, u: graph.InsertSliceOp(x, u, starts=starts), rand(2, 6, 5), rand(*size, seed=1))


def test_broadcast_to():
    check_lowering(lambda x: graph.BroadcastToOp(x, [4, 2, 3]), rand(2, 1))
    check_lowering(lambda x: graph.BroadcastToOp(x, [4, 2]), rand())


@pytest.mark.parametrize("sizes", [[3], [1, 2], [2, 0, 3, 1]])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concat(sizes: list[int], axis: int):
    inputs = [rand(*(size if dim == axis else 2 + dim for dim in range(3)), seed=size) for size in sizes]

    def build(*values: SSAValue) -> Operation:
        return graph.ConcatOp(values, axis=axis)

    check_lowering(build, *inputs)


def test_concat_of_one_value_twice():
    check_lowering(lambda x: graph.ConcatOp([x, x], axis=0), rand(3, 2))


def test_concat_with_a_constant():
    check_lowering(lambda x: graph.ConcatOp([graph.ConstantOp(np.ones((1, 1), np.float32)), x], axis=1), rand(1, 5))


@pytest.mark.parametrize("value", [0.0, -1.5, -np.inf])
@pytest.mark.parametrize(("low", "high"), [([1, 0], [0, 2]), ([0, 0], [0, 0]), ([3, 4], [5, 6])])
def test_pad_by_a_constant(low: list[int], high: list[int], value: float):
    check_lowering(lambda x: graph.PadOp(x, low=low, high=high, mode="constant", value=value), rand(2, 3))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float16])
def test_pad_of_other_types(dtype: Any):
    value = 0.1 if dtype == np.float16 else 100
    check_lowering(lambda x: graph.PadOp(x, low=[1], high=[2], value=value), rand(4, dtype=dtype), rtol=0)


@pytest.mark.parametrize("mode", ["edge", "reflect", "wrap"])
@pytest.mark.parametrize(("low", "high"), [([1, 0], [0, 2]), ([0, 0], [0, 0]), ([2, 2], [2, 3])])
def test_pad_from_the_tensor(low: list[int], high: list[int], mode: str):
    check_lowering(lambda x: graph.PadOp(x, low=low, high=high, mode=mode), rand(3, 4))


def test_edge_padding_reaches_further_than_the_tensor():
    check_lowering(lambda x: graph.PadOp(x, low=[7], high=[9], mode="edge"), rand(2))


@pytest.mark.parametrize("dtype", [each for each in ALL if each is not np.bool_])
def test_iota(dtype: Any):
    check_lowering(lambda: graph.IotaOp(from_numpy(np.dtype(dtype)), [2, 5, 3], axis=1))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint32, np.uint64])
def test_gather_by_indices_of_every_type(dtype: Any):
    indices = np.array([[0, 4], [2, 1]], dtype)
    if np.dtype(dtype).kind == "i":
        indices[1] = [-1, -5]
    check_lowering(lambda x, i: graph.GatherOp(x, i, axis=1), rand(2, 5, 3), indices)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_gather(axis: int, shape: tuple[int, ...]):
    indices = np.random.default_rng(0).integers(-3, 3, shape)
    check_lowering(lambda x, i: graph.GatherOp(x, i, axis=axis), rand(3, 4, 5), np.asarray(indices))


@pytest.mark.parametrize("index", [2, -1])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_gather_of_a_constant_place(index: int, shape: tuple[int, ...]):
    check_lowering(
        lambda x: graph.GatherOp(x, graph.ConstantOp(np.full(shape, index, np.int64)), axis=1), rand(3, 4, 5)
    )


@pytest.mark.parametrize("axis", [0, 1])
def test_gather_elements(axis: int):
    indices = np.random.default_rng(0).integers(-3, 3, (2, 3))
    check_lowering(lambda x, i: graph.GatherElementsOp(x, i, axis=axis), rand(3, 4), indices)


@pytest.mark.parametrize(
    ("shape", "batch_dims"), [((2, 1), 0), ((5, 3), 0), ((2, 4, 2), 1), ((2, 3, 1), 2), ((1,), 0), ((2, 2), 0)]
)
def test_gather_nd(shape: tuple[int, ...], batch_dims: int):
    indices = np.random.default_rng(0).integers(-2, 2, shape)
    check_lowering(lambda x, i: graph.GatherNdOp(x, i, batch_dims=batch_dims), rand(2, 3, 4), indices)


REDUCTIONS = ["none", "add", "mul", "min", "max"]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8, np.int64])
def test_scatter_elements(dtype: Any, reduction: str):
    indices = np.random.default_rng(0).integers(-4, 4, (2, 9))
    indices[1, 0] = indices[1, 8] = 3
    check_lowering(
        lambda x, i, u: graph.ScatterElementsOp(x, i, u, axis=1, reduction=reduction),
        rand(3, 4, dtype=dtype),
        indices,
        rand(2, 9, dtype=dtype, seed=1),
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape", [(7, 2), (3, 2, 1), (2,), (0, 2)])
def test_scatter_nd(shape: tuple[int, ...], reduction: str):
    indices = np.random.default_rng(0).integers(-2, 2, shape)
    updates = rand(*shape[:-1], *(2, 3, 4)[shape[-1] :], seed=1)
    check_lowering(lambda x, i, u: graph.ScatterNdOp(x, i, u, reduction=reduction), rand(2, 3, 4), indices, updates)


def test_scattered_truth_values():
    check_lowering(
        lambda x, i, u: graph.ScatterElementsOp(x, i, u, axis=0),
        rand(5, dtype=np.bool_),
        np.array([4, 0, 4], np.uint8),
        np.array([True, False, False]),
    )


def test_updates_with_an_index_outside_of_the_tensor_store_nothing():
    x, updates = rand(4, 3), rand(4, 3, seed=1)
    indices = np.array([[-5], [4], [-1], [2**31 - 1]])
    function = lowered(kernel(lambda x, i, u: graph.ScatterNdOp(x, i, u), [x, indices, updates]))
    [found] = run_tensor(function, [x, indices, updates])
    np.testing.assert_array_equal(found, [*x[:3], updates[2]])


def test_with_nonnegative_indices_a_negative_index_stores_nothing():
    def scattered(x: Any, i: Any, u: Any) -> graph.ScatterElementsOp:
        return graph.ScatterElementsOp(x, i, u, axis=0, nonnegative_indices=True)

    x, updates = rand(4), rand(5, seed=1)
    indices = np.array([-1, 2, 4, -(2**31), -4])
    [found] = run_tensor(lowered(kernel(scattered, [x, indices, updates])), [x, indices, updates])
    np.testing.assert_array_equal(found, [*x[:2], updates[1], x[3]])
    check_lowering(scattered, x, np.array([3, 0, 3, 1, 2]), updates)
