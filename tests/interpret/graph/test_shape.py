"""Operations that move elements mean what ONNX and numpy say."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, Value
from s2s.errors import InputError
from s2s.interpret.graph import evaluate
from s2s.types.dtypes import Array, from_numpy
from support.reference import assert_close, run_onnx, run_operation

I64 = np.int64


def counted(*shape: int, dtype: Any = np.float32) -> Array:
    """An array whose elements are all different."""
    return np.arange(np.prod(shape, dtype=I64)).reshape(shape).astype(dtype)


def test_reshape():
    x = counted(2, 3, 4)
    expected = run_onnx("Reshape", [x, np.array([4, 6])], {})[0]
    assert_close(run_operation(partial(graph.ReshapeOp, shape=[4, 6]), [x]), expected)


@pytest.mark.parametrize("perm", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_transpose(perm: list[int]):
    x = counted(2, 3, 4)
    assert_close(
        run_operation(partial(graph.TransposeOp, perm=perm), [x]), run_onnx("Transpose", [x], {"perm": perm})[0]
    )


@st.composite
def slices(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """A bound, and start, size and stride of a slice inside it."""
    bound = draw(st.integers(1, 9))
    start = draw(st.integers(0, bound - 1))
    stride = draw(st.integers(-4, 4).filter(bool))
    room = (bound - 1 - start) // stride if stride > 0 else start // -stride
    return bound, start, draw(st.integers(1, room + 1)), stride


@given(slices())
def test_slice(case: tuple[int, int, int, int]):
    bound, start, size, stride = case
    x = counted(bound)
    build = partial(graph.SliceOp, starts=[start], sizes=[size], strides=[stride])
    assert_close(run_operation(build, [x]), x[[start + i * stride for i in range(size)]])


def test_slice_like_onnx_with_negative_strides():
    x = counted(5, 6)
    bounds = [np.array(values) for values in ([4, -1], [-100, 0], [0, 1], [-1, -2])]
    build = partial(graph.SliceOp, starts=[4, 5], sizes=[5, 3], strides=[-1, -2])
    assert_close(run_operation(build, [x]), run_onnx("Slice", [x, *bounds], {})[0])


@pytest.mark.parametrize("axis", [0, 1])
def test_concat(axis: int):
    inputs = [counted(2, 2), counted(2, 2) + 10, counted(2, 2) + 20]

    def build(*operands: Value) -> GraphOp:
        return graph.ConcatOp(operands, axis=axis)

    assert_close(run_operation(build, inputs), run_onnx("Concat", inputs, {"axis": axis})[0])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad(mode: str):
    x, low, high = counted(3, 4), [2, 1], [0, 3]
    value = 1.5 if mode == "constant" else None
    given = [x, np.array([*low, *high]), *([np.array(1.5, np.float32)] if mode == "constant" else [])]
    build = partial(graph.PadOp, low=low, high=high, mode=mode, value=value)
    assert_close(run_operation(build, [x]), run_onnx("Pad", given, {"mode": mode})[0])


@pytest.mark.parametrize(("dtype", "value"), [(np.int8, -3), (np.bool_, 1), (np.uint64, 7)])
def test_pad_of_integers(dtype: Any, value: int):
    x = counted(2, dtype=dtype)
    expected = np.pad(x, 1, constant_values=value)
    assert_close(run_operation(partial(graph.PadOp, low=[1], high=[1], value=value), [x]), expected)


def test_broadcast_to():
    x = counted(3, 1)
    expected = run_onnx("Expand", [x, np.array([2, 3, 4])], {})[0]
    assert_close(run_operation(partial(graph.BroadcastToOp, shape=[2, 3, 4]), [x]), expected)


def test_tile():
    x, repeats = counted(2, 3), [2, 3]
    expected = run_onnx("Tile", [x, np.array(repeats)], {})[0]
    assert_close(run_operation(partial(graph.TileOp, repeats=repeats), [x]), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.int64, np.uint8], ids=str)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_iota(axis: int, dtype: Any):
    op = graph.IotaOp(from_numpy(np.dtype(dtype)), [2, 3, 4], axis=axis)
    assert_close(evaluate(op, [])[0], np.indices((2, 3, 4))[axis].astype(dtype))


@pytest.mark.parametrize("indices", [np.array(1), np.array([0, -1, 2]), np.array([[0, 1], [-3, 2]], np.int32)])
@pytest.mark.parametrize("axis", [0, 1])
def test_gather(axis: int, indices: Array):
    x = counted(3, 4)
    build = partial(graph.GatherOp, axis=axis)
    assert_close(run_operation(build, [x, indices]), run_onnx("Gather", [x, indices], {"axis": axis})[0])


@pytest.mark.parametrize("index", [3, -4])
def test_gather_refuses_an_index_outside(index: int):
    with pytest.raises(InputError, match=rf"index {index}: is outside \[-3, 3\)"):
        run_operation(partial(graph.GatherOp, axis=0), [counted(3), np.array([0, index])])


@pytest.mark.parametrize("axis", [0, 1])
def test_gather_elements(axis: int):
    x, indices = counted(3, 3), np.array([[0, -1, 2], [1, 1, -3]])
    given = indices if axis == 0 else indices.T.copy()
    build = partial(graph.GatherElementsOp, axis=axis)
    assert_close(run_operation(build, [x, given]), run_onnx("GatherElements", [x, given], {"axis": axis})[0])


def test_gather_elements_inside_a_larger_tensor():
    x, indices = counted(3, 5), np.array([[0, 4], [2, 1]])
    expected = np.take_along_axis(x[:2], indices, 1)
    assert_close(run_operation(partial(graph.GatherElementsOp, axis=1), [x, indices]), expected)


GATHER_ND = {
    "elements": ((2, 2), [[0, 0], [1, -1]], 0),
    "rows": ((2, 2), [[1], [0]], 0),
    "matrix of rows": ((2, 2, 2), [[[0, 1]], [[1, 0]]], 0),
    "in batches": ((2, 2, 2), [[1], [0]], 1),
    "in two batches": ((2, 3, 4), [[[1], [0], [3]], [[2], [2], [0]]], 2),
    "many in batches": ((2, 3, 4), [[[1], [0]], [[2], [2]]], 1),
}


@pytest.mark.parametrize("case", GATHER_ND)
def test_gather_nd(case: str):
    shape, indices, batch_dims = GATHER_ND[case]
    given = [counted(*shape), np.array(indices)]
    build = partial(graph.GatherNdOp, batch_dims=batch_dims)
    assert_close(run_operation(build, given), run_onnx("GatherND", given, {"batch_dims": batch_dims})[0])


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
@pytest.mark.parametrize("axis", [0, 1])
def test_scatter_elements(axis: int, reduction: str):
    x, indices, updates = counted(3, 4), np.array([[0, 2], [-1, 1]]), np.array([[1.5, -2], [3, 9]], np.float32)
    build = partial(graph.ScatterElementsOp, axis=axis, reduction=reduction)
    expected = run_onnx("ScatterElements", [x, indices, updates], {"axis": axis, "reduction": reduction})[0]
    assert_close(run_operation(build, [x, indices, updates]), expected)


@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
def test_scatter_combines_updates_of_one_place(reduction: str):
    x, indices, updates = np.ones(3, np.float32), np.array([1, 1, 1]), np.array([2, 3, -4], np.float32)
    build = partial(graph.ScatterElementsOp, axis=0, reduction=reduction)
    expected = run_onnx("ScatterElements", [x, indices, updates], {"axis": 0, "reduction": reduction})[0]
    assert_close(run_operation(build, [x, indices, updates]), expected)


def test_of_updates_of_one_place_the_last_stays():
    x, indices, updates = np.zeros(2, np.float32), np.array([1, 1]), np.array([2, 3], np.float32)
    assert run_operation(partial(graph.ScatterElementsOp, axis=0), [x, indices, updates]).tolist() == [0, 3]


def test_nonnegative_indices_do_not_count_from_the_end():
    build = partial(graph.ScatterElementsOp, axis=0, nonnegative_indices=True)
    with pytest.raises(InputError, match=r"index -1: is outside \[0, 2\)"):
        run_operation(build, [np.zeros(2, np.float32), np.array([-1]), np.ones(1, np.float32)])


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
def test_scatter_nd(reduction: str):
    x, indices, updates = counted(4, 3), np.array([[1], [3]]), np.full((2, 3), 5, np.float32)
    build = partial(graph.ScatterNdOp, reduction=reduction)
    expected = run_onnx("ScatterND", [x, indices, updates], {"reduction": reduction})[0]
    assert_close(run_operation(build, [x, indices, updates]), expected)


def test_scatter_leaves_its_input_alone():
    x = counted(3)
    run_operation(graph.ScatterNdOp, [x, np.array([[1]]), np.array([9], np.float32)])
    assert x.tolist() == [0, 1, 2]


def test_a_window_moves_on_and_takes_new_elements():
    moved = run_operation(partial(graph.AdvanceOp, by=2), [counted(2, 4)])
    assert moved.reshape(-1)[:6].tolist() == [2, 3, 4, 5, 6, 7]
    window = run_operation(partial(graph.InsertSliceOp, starts=[0, 2]), [moved, counted(2, 2) + 10])
    assert window.tolist() == [[2, 3, 10, 11], [6, 7, 12, 13]]


MOVES: dict[str, Callable[..., GraphOp]] = {
    "reshape": partial(graph.ReshapeOp, shape=[4, 3]),
    "transpose": partial(graph.TransposeOp, perm=[1, 0]),
    "tile": partial(graph.TileOp, repeats=[1, 2]),
    "pad": partial(graph.PadOp, low=[1, 0], high=[0, 0], mode="edge"),
}


@pytest.mark.parametrize("dtype", [np.float16, np.uint8, np.int64, np.bool_], ids=str)
@pytest.mark.parametrize("case", MOVES)
def test_moves_keep_the_element_type(case: str, dtype: Any):
    assert run_operation(MOVES[case], [counted(3, 4, dtype=dtype)]).dtype == dtype
