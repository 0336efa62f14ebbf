"""Normalisations and the matrix product mean what ONNX says."""

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from s2s.dialects import graph
from s2s.dialects.graph.base import Value
from s2s.types.dtypes import Array
from support.reference import assert_close, run_onnx, run_operation

UNIT = {np.dtype(np.float16): 2.0**-10, np.dtype(ml_dtypes.bfloat16): 2.0**-7}
"""Relative distance of neighbouring numbers."""


def normal(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


MATRICES = {
    "plain": ((3, 4), (4, 5)),
    "batch": ((2, 3, 4), (2, 4, 5)),
    "broadcast left": ((3, 4), (2, 4, 5)),
    "broadcast both": ((2, 1, 3, 4), (3, 4, 5)),
    "vector": ((1, 4), (4, 1)),
}


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("case", MATRICES)
def test_matmul(case: str, transpose_a: bool, transpose_b: bool):
    a, b = (normal(shape, seed) for seed, shape in enumerate(MATRICES[case]))
    expected = run_onnx("MatMul", [a, b], {})[0]
    given_a = np.swapaxes(a, -1, -2).copy() if transpose_a else a
    given_b = np.swapaxes(b, -1, -2).copy() if transpose_b else b
    build = partial(graph.MatmulOp, transpose_a=transpose_a, transpose_b=transpose_b)
    assert_close(run_operation(build, [given_a, given_b]), expected)


def test_integer_matmul_wraps():
    a, b = np.full((1, 4), 2**30, np.int32), np.full((4, 1), 3, np.int32)
    assert run_operation(graph.MatmulOp, [a, b]).tolist() == [[12 * 2**30 - 3 * 2**32]]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=str)
def test_half_precision_matmul_rounds_once(dtype: Any):
    a, b = normal((4, 64)).astype(dtype), normal((64, 3), 1).astype(dtype)
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(dtype)
    assert_close(run_operation(graph.MatmulOp, [a, b]), expected, UNIT[np.dtype(dtype)])


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (1, 3, 2, 2, 2)])
def test_batch_norm(shape: tuple[int, ...]):
    x, scale, bias, mean, var = normal(shape), *(normal((3,), seed) for seed in range(1, 5))
    inputs = [x, scale, bias, mean, np.abs(var)]
    expected = run_onnx("BatchNormalization", inputs, {"epsilon": 1e-3})[0]
    assert_close(run_operation(partial(graph.BatchNormOp, epsilon=1e-3), inputs), expected, 1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax(axis: int):
    x = normal((2, 3, 4)) * 100
    assert_close(run_operation(partial(graph.SoftmaxOp, axis=axis), [x]), run_onnx("Softmax", [x], {"axis": axis})[0])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_log_softmax(axis: int):
    x = normal((2, 3, 4))
    expected = run_onnx("LogSoftmax", [x], {"axis": axis})[0]
    assert_close(run_operation(partial(graph.LogSoftmaxOp, axis=axis), [x]), expected, 1e-5)


@pytest.mark.parametrize("parameters", [0, 1, 2])
@pytest.mark.parametrize("axis", [1, 2])
def test_layer_norm(axis: int, parameters: int):
    x = normal((2, 3, 4))
    scale, bias = normal(x.shape[axis:], 1), normal(x.shape[axis:], 2)
    given = [x, scale, bias][: 1 + parameters]
    full = [x, scale if parameters else np.ones_like(scale), *given[2:]]
    expected = run_onnx("LayerNormalization", full, {"axis": axis, "epsilon": 1e-5})[0]
    assert_close(run_operation(partial(graph.LayerNormOp, axis=axis, epsilon=1e-5), given), expected, 1e-5)


def test_layer_norm_with_bias_alone():
    x, bias = normal((2, 4)), normal((4,), 1)

    def with_bias(x: Value, bias: Value) -> graph.LayerNormOp:
        return graph.LayerNormOp(x, None, bias, axis=1, epsilon=1e-5)

    plain = run_operation(partial(graph.LayerNormOp, axis=1, epsilon=1e-5), [x])
    assert_close(run_operation(with_bias, [x, bias]), plain + bias)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 12])
def test_lrn(size: int):
    x = normal((5, 5, 3, 3))  # ONNX's reference counts images where it means channels
    attributes: dict[str, Any] = {"size": size, "alpha": 0.02, "beta": 0.6, "bias": 1.5}
    assert_close(run_operation(partial(graph.LrnOp, **attributes), [x]), run_onnx("LRN", [x], attributes)[0])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=str)
def test_half_precision_softmax_rounds_once(dtype: Any):
    x = normal((2, 100)).astype(dtype)
    exact = run_operation(partial(graph.SoftmaxOp, axis=1), [x.astype(np.float64)])
    assert_close(run_operation(partial(graph.SoftmaxOp, axis=1), [x]), exact.astype(dtype), 0)
