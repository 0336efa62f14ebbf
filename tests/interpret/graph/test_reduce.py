"""Reductions and scans mean what ONNX says."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.types.dtypes import Array
from support.reference import assert_close, run_onnx, run_operation

REDUCTIONS: dict[str, Callable[..., GraphOp]] = {
    "ReduceSum": graph.ReduceSumOp,
    "ReduceMean": graph.ReduceMeanOp,
    "ReduceMax": graph.ReduceMaxOp,
    "ReduceMin": graph.ReduceMinOp,
    "ReduceProd": graph.ReduceProdOp,
}
SEARCHES: dict[str, Callable[..., GraphOp]] = {"ArgMax": graph.ArgmaxOp, "ArgMin": graph.ArgminOp}


def drawn(*shape: int, dtype: Any = np.float32) -> Array:
    return (np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [[0], [1], [0, 2], [2, 1], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction(kind: str, axes: list[int], keepdims: bool):
    x = drawn(2, 3, 4)
    expected = run_onnx(kind, [x, np.array(axes)], {"keepdims": int(keepdims)})[0]
    assert_close(run_operation(partial(REDUCTIONS[kind], axes=axes, keepdims=keepdims), [x]), expected, 1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8], ids=str)
@pytest.mark.parametrize("kind", ["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"])
def test_integer_reduction_keeps_its_type_and_wraps(kind: str, dtype: Any):
    x = np.full((2, 5), 100, dtype)
    exact = {"ReduceSum": 500, "ReduceProd": 100**5}.get(kind, 100)
    assert_close(run_operation(partial(REDUCTIONS[kind], axes=[1]), [x]), np.full(2, exact).astype(dtype))


def test_integer_mean_truncates():
    x = np.array([[1, 2], [-1, -2]], np.int32)
    assert run_operation(partial(graph.ReduceMeanOp, axes=[1]), [x]).tolist() == [1, -1]


@pytest.mark.parametrize("kind", ["ReduceMax", "ReduceMin"])
def test_extreme_of_bools(kind: str):
    x = np.array([[True, False], [True, True], [False, False]])
    expected = run_onnx(kind, [x, np.array([1])], {"keepdims": 0})[0]
    assert_close(run_operation(partial(REDUCTIONS[kind], axes=[1]), [x]), expected)


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction_hands_nan_on(kind: str):
    x = np.array([[1, np.nan], [2, np.inf], [np.inf, -np.inf]], np.float32)
    expected = run_onnx(kind, [x, np.array([1])], {"keepdims": 0})[0]
    assert_close(run_operation(partial(REDUCTIONS[kind], axes=[1]), [x]), expected)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=str)
def test_half_precision_sum_rounds_once(dtype: Any):
    x = drawn(4096, dtype=dtype)
    expected = x.astype(np.float64).sum().astype(dtype)
    assert_close(run_operation(partial(graph.ReduceSumOp, axes=[0]), [x]), expected, 1e-3)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("select_last", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", SEARCHES)
def test_search(kind: str, axis: int, select_last: bool, keepdims: bool):
    x = np.array([[1, 3, 3, 1], [2, 3, 1, 1], [1, 0, 3, 0]], np.float32)
    attributes = {"axis": axis, "select_last_index": int(select_last), "keepdims": int(keepdims)}
    build = partial(SEARCHES[kind], axis=axis, select_last=select_last, keepdims=keepdims)
    assert_close(run_operation(build, [x]), run_onnx(kind, [x], attributes)[0])


@pytest.mark.parametrize(("select_last", "position"), [(False, 1), (True, 3)])
@pytest.mark.parametrize("kind", SEARCHES)
def test_search_finds_nan(kind: str, select_last: bool, position: int):
    x = np.array([9, np.nan, -9, np.nan], np.float32)
    assert run_operation(partial(SEARCHES[kind], axis=0, select_last=select_last), [x]) == position


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64], ids=str)
def test_cumsum(dtype: Any, axis: int, exclusive: bool, reverse: bool):
    x = drawn(3, 4, dtype=dtype)
    attributes = {"exclusive": int(exclusive), "reverse": int(reverse)}
    build = partial(graph.CumsumOp, axis=axis, exclusive=exclusive, reverse=reverse)
    assert_close(run_operation(build, [x]), run_onnx("CumSum", [x, np.array(axis)], attributes)[0])
