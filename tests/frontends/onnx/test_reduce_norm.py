"""Reductions, searches, running sums, normalisations and matrix products."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.types.dtypes import Array
from support.onnx_nodes import NodeCase, check, floats, known

X = floats(2, 3, 4)
POSITIVE = floats(2, 3, 4, low=0.5, high=2)
IMAGE = floats(2, 4, 3, 5)
CHANNELS = [floats(4, seed=seed, low=0.5, high=2) for seed in range(4)]
REDUCTIONS = [
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceSumSquare",
]


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("keepdims", [0, 1])
def test_reduction_by_attribute(kind: str, keepdims: int):
    check(NodeCase(kind, [POSITIVE], {"axes": [0, -1], "keepdims": keepdims}, 11))


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction_by_operand(kind: str):
    check(NodeCase(kind, [POSITIVE, known([1])], {}, 18))


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction_of_everything(kind: str):
    check(NodeCase(kind, [POSITIVE], {"keepdims": 0}, 18))


@pytest.mark.parametrize("kind", ["ReduceSum", "ReduceMax"])
def test_reduction_of_a_scalar(kind: str):
    check(NodeCase(kind, [np.array(3, np.float32)], {"keepdims": 0}, 18))


HALVES = np.array([[[300, 400, 0, 0]]], np.float16)
TINY = np.array([[[1.5e-4, 2e-4, 0, 0]]], np.float16)
LARGE = np.full((1, 1, 100), 1000, np.float16)


@pytest.mark.parametrize("x", [HALVES, TINY], ids=["large", "tiny"])
@pytest.mark.parametrize(
    ("kind", "attributes"),
    [("ReduceL2", {"axes": [2]}), ("GlobalLpPool", {"p": 2}), ("LpPool", {"p": 2, "kernel_shape": [4]})],
)
def test_squares_of_16_bits_neither_overflow_nor_vanish(kind: str, attributes: dict[str, Any], x: Array):
    norm = np.sqrt((x.astype(np.float64) ** 2).sum(keepdims=True)).astype(np.float16)
    check(NodeCase(kind, [x], attributes, 13 if kind == "ReduceL2" else 22, expected=[norm]))


def test_norms_of_16_bits_do_not_overflow():
    check(NodeCase("LpNormalization", [HALVES], {"axis": 2}, 22, expected=[HALVES / np.float16(500)]))


def test_logs_of_sums_of_16_bits_do_not_overflow():
    check(NodeCase("ReduceLogSum", [LARGE], {}, 13, expected=[np.full((1, 1, 1), np.log(1e5), np.float16)]))


CASES = {
    "no axes on request": NodeCase("ReduceSum", [X, known([])], {"noop_with_empty_axes": 1}),
    "log of a sum does not overflow": NodeCase("ReduceLogSumExp", [X * 1000], opset=18),
    "argmax": NodeCase("ArgMax", [X], {"axis": 1}),
    "argmin, last of equals": NodeCase(
        "ArgMin", [np.ones((2, 3), np.float32)], {"axis": -1, "select_last_index": 1, "keepdims": 0}
    ),
    "cumulative sum": NodeCase("CumSum", [X, known(1)], {"exclusive": 1, "reverse": 1}),
    "cumulative sum along an axis of run time": NodeCase("CumSum", [X, np.array(-1, np.int32)]),
    "the largest alone": NodeCase("TopK", [np.round(X), known([1])], {"axis": 1}, outputs=2),
    "the smallest alone": NodeCase("TopK", [np.round(X), known([1])], {"axis": 0, "largest": 0}, outputs=2),
    "largest": NodeCase("TopK", [X, known([2])], {"axis": 1}, outputs=2),
    "smallest, with equals": NodeCase(
        "TopK", [np.array([3, 1, 2, 1, 3], np.float32), known([4])], {"largest": 0}, outputs=2
    ),
    "largest of many, with equals": NodeCase(
        "TopK", [(np.arange(300, dtype=np.float32) * 7 % 19).reshape(2, 150), known([3])], outputs=2
    ),
    "smallest of many integers": NodeCase(
        "TopK", [(np.arange(520) * 7 % 23).reshape(260, 2), known([9])], {"largest": 0, "axis": 0}, outputs=2
    ),
    "softmax": NodeCase("Softmax", [X], {"axis": 1}),
    "softmax of opset 11 is two-dimensional": NodeCase(
        "Softmax", [X], {"axis": 1}, 11,
        expected=[(lambda e: e / e.sum((1, 2), keepdims=True))(np.exp(X))],
    ),
    "log softmax": NodeCase("LogSoftmax", [X], {"axis": -1}),
    "log softmax of opset 11": NodeCase(
        "LogSoftmax", [X], {"axis": 0}, 11, expected=[X - np.log(np.exp(X).sum(keepdims=True))]
    ),
    "hardmax": NodeCase("Hardmax", [X], {"axis": 1}),
    "batch normalization": NodeCase("BatchNormalization", [IMAGE, *CHANNELS], {"epsilon": 1e-3}),
    "batch normalization of opset 7": NodeCase("BatchNormalization", [IMAGE, *CHANNELS], {}, 7, by_runtime=True),
    "batch statistics": NodeCase("BatchNormalization", [IMAGE, *CHANNELS], {"training_mode": 1}, 15, 3),
    "instance normalization": NodeCase("InstanceNormalization", [IMAGE, *CHANNELS[:2]]),
    "group normalization": NodeCase("GroupNormalization", [IMAGE, *CHANNELS[:2]], {"num_groups": 2}, 21),
    "layer normalization": NodeCase("LayerNormalization", [X, floats(4), floats(4, seed=1)], {}, 17),
    "layer normalization with statistics": NodeCase("LayerNormalization", [X, floats(3, 4)], {"axis": 1}, 17, 3),
    "rms normalization": NodeCase("RMSNormalization", [X, floats(4)], {}, 23),
    "lp normalization": NodeCase("LpNormalization", [X], {"axis": 1, "p": 1}, 21, by_runtime=True),
    "lp normalization of zeros": NodeCase("LpNormalization", [np.zeros((2, 3), np.float32)], {"p": 2}, 22),
    "mean and variance": NodeCase("MeanVarianceNormalization", [IMAGE], {}, 13, tolerance=1e-4),
    "local responses": NodeCase(
        "LRN", [IMAGE], {"size": 3, "alpha": 0.01, "beta": 0.6, "bias": 1.5}, by_runtime=True
    ),
    "local responses of all channels": NodeCase(
        "LRN", [IMAGE], {"size": 1001, "alpha": 100.0, "beta": 0.6, "bias": 1.5}, by_runtime=True
    ),
    "matrices": NodeCase("MatMul", [floats(2, 1, 3, 4), floats(5, 4, 2)]),
    "vector times matrix": NodeCase("MatMul", [floats(4), floats(3, 4, 2)]),
    "matrix times vector": NodeCase("MatMul", [floats(3, 2, 4), floats(4)]),
    "vector times vector": NodeCase("MatMul", [floats(4), floats(4, seed=1)]),
    "gemm": NodeCase("Gemm", [floats(4, 3), floats(2, 4), floats(2)], {"transA": 1, "transB": 1, "alpha": 0.5}),
    "gemm with a constant": NodeCase(
        "Gemm", [floats(3, 4), known(floats(4, 2), np.float32), floats(3, 1)],
        {"alpha": 2.0, "beta": 0.25},
    ),
    "gemm of opset 6": NodeCase(
        "Gemm", [floats(3, 4), floats(4, 2), floats(2)], {"broadcast": 1}, 6,
        expected=[floats(3, 4) @ floats(4, 2) + floats(2)],
    ),
    "gemm without c": NodeCase("Gemm", [floats(3, 4), floats(4, 2)], {}, 11),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: NodeCase):
    check(case)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("ReduceSum", [X, known([3])]), "axis 3 is outside"),
        (NodeCase("ReduceSum", [X, known([1, -2])]), "name an axis twice"),
        (NodeCase("MatMul", [floats(2, 3), floats(4, 2)]), "3 columns and b has 4 rows"),
        (NodeCase("MatMul", [np.array(1, np.float32), X]), "scalar"),
        (NodeCase("BatchNormalization", [IMAGE, *CHANNELS[:3], floats(3)]), "expected \\[4\\]"),
        (NodeCase("GroupNormalization", [IMAGE, *CHANNELS[:2]], {"num_groups": 3}), "do not divide into 3"),
        (NodeCase("TopK", [X, known([9])], outputs=2), "K is 9 for 4"),
        (NodeCase("Softmax", [X], {"axis": 5}), "axis 5 is outside"),
        (NodeCase("ReduceSum", [X, np.array([1])]), "axes is computed at run time"),
        (NodeCase("BatchNormalization", [IMAGE, *CHANNELS], {}, 6), "training mode"),
    ],
)
def test_what_does_not_fit_is_refused(case: NodeCase, message: str):
    with pytest.raises((InputError, UnsupportedError), match=message) as caught:
        import_model(case.model())
    assert str(caught.value).startswith("node (")
