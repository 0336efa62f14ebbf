"""Elementwise operators and activations, in the versions that differ."""

import numpy as np
import pytest

from support.onnx_nodes import NodeCase, check, floats, known

X = floats(2, 3, 4)
Y = floats(2, 3, 4, seed=1)
POSITIVE = floats(2, 3, 4, low=0.1, high=3)
INTEGERS = np.array([[-7, -3, 5], [6, 2, -1]], np.int32)
BOOLS = X > 0

UNARY = [
    "Abs",
    "Neg",
    "Ceil",
    "Floor",
    "Round",
    "Exp",
    "Sin",
    "Cos",
    "Tan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Atan",
    "Erf",
    "Tanh",
    "Sign",
    "Reciprocal",
    "Identity",
    "Relu",
    "Sigmoid",
    "Softsign",
    "HardSwish",
    "Mish",
    "IsNaN",
    "Elu",
    "Selu",
    "Celu",
    "ThresholdedRelu",
    "HardSigmoid",
    "LeakyRelu",
    "Softplus",
    "Shrink",
    "Gelu",
]
BINARY = ["Add", "Sub", "Mul", "Div", "Pow", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"]


@pytest.mark.parametrize("kind", UNARY)
def test_unary(kind: str):
    check(NodeCase(kind, [X], opset=22))


@pytest.mark.parametrize("kind", ["Log", "Sqrt", "Acosh"])
def test_unary_of_positive_numbers(kind: str):
    check(NodeCase(kind, [POSITIVE + 1]))


@pytest.mark.parametrize("kind", BINARY)
def test_binary_broadcasts(kind: str):
    check(NodeCase(kind, [POSITIVE, POSITIVE[0, :, :1]]))


@pytest.mark.parametrize("kind", ["And", "Or", "Xor"])
def test_logic(kind: str):
    check(NodeCase(kind, [BOOLS, BOOLS[0]]))


@pytest.mark.parametrize("kind", ["Max", "Min", "Sum", "Mean"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_variadic(kind: str, count: int):
    check(NodeCase(kind, [X, Y[0], Y[:, :1]][:count]))


CASES = {
    "add of opset 6 at an axis": NodeCase(
        "Add", [X, Y[0, :, 0]], {"broadcast": 1, "axis": 1}, 6, expected=[X + Y[0, :, :1]]
    ),
    "add of opset 6 at a negative axis": NodeCase(
        "Add", [X, Y[0, :, 0]], {"broadcast": 1, "axis": -2}, 6, expected=[X + Y[0, :, :1]]
    ),
    "mul of opset 6 from the back": NodeCase("Mul", [X, Y[0, 0]], {"broadcast": 1}, 6, expected=[X * Y[0, 0]]),
    "power of opset 1": NodeCase("Pow", [POSITIVE, Y[0, 0]], {"broadcast": 1}, 6, expected=[POSITIVE ** Y[0, 0]]),
    "clip by attributes": NodeCase("Clip", [X], {"min": -0.5, "max": 0.5}, 6),
    "clip below only": NodeCase("Clip", [X], {"min": -0.5}, 6, expected=[np.maximum(X, np.float32(-0.5))]),
    "clip by constants": NodeCase("Clip", [X, known(-0.5, np.float32), known(0.5, np.float32)], {}, 13),
    "clip above only": NodeCase("Clip", [X, None, known(0.5, np.float32)], {}, 13),
    "clip by bounds of run time": NodeCase("Clip", [X, np.array(-0.5, np.float32), np.array(0.5, np.float32)]),
    "clip without bounds": NodeCase("Clip", [X]),
    "clip of integers": NodeCase("Clip", [INTEGERS, known(-3, np.int32), known(5, np.int32)]),
    "relu of integers": NodeCase("Relu", [INTEGERS], opset=14),
    "division of integers truncates": NodeCase("Div", [INTEGERS, np.array(3, np.int32)]),
    "power with an exponent of another type": NodeCase("Pow", [POSITIVE, known([1, 2, 3, 2], np.int64)]),
    "integer power with a float exponent": NodeCase("Pow", [np.abs(INTEGERS), known(2.0, np.float32)]),
    "remainder with the sign of the divisor": NodeCase("Mod", [INTEGERS, np.array([4, -4, 3], np.int32)]),
    "remainder as in C": NodeCase("Mod", [X, POSITIVE], {"fmod": 1}),
    "shift left": NodeCase("BitShift", [np.array([1, 200], np.uint8), known(3, np.uint8)], {"direction": "LEFT"}),
    "shift right": NodeCase("BitShift", [np.array([1, 200], np.uint8), known(3, np.uint8)], {"direction": "RIGHT"}),
    "bits": NodeCase("BitwiseXor", [INTEGERS, INTEGERS[::-1]]),
    "not of bits": NodeCase("BitwiseNot", [INTEGERS]),
    "cast to integers": NodeCase("Cast", [X * 10], {"to": 6}),
    "cast to bool": NodeCase("Cast", [np.array([0, 0.5, -0.0, np.nan], np.float32)], {"to": 9}),
    "cast to half": NodeCase("Cast", [X], {"to": 10}),
    "cast like": NodeCase("CastLike", [X, INTEGERS]),
    "where broadcasts": NodeCase("Where", [BOOLS[0], X, Y[:, :1]]),
    "only negative infinities": NodeCase(
        "IsInf", [np.array([np.inf, -np.inf, np.nan, 1], np.float32)], {"detect_positive": 0}
    ),
    "gelu by tanh": NodeCase("Gelu", [X], {"approximate": "tanh"}),
    "error function of integers": NodeCase(
        "Erf", [np.array([-9, -5, 0, 1, 6], np.int32)], {}, 9, expected=[np.array([-1, 0, 0, 0, 1], np.int32)]
    ),
    "gelu does not overflow": NodeCase("Gelu", [X * 1e4]),
    "softplus does not overflow": NodeCase("Softplus", [X * 100], expected=[np.logaddexp(0, X * 100)], tolerance=1e-6),
    "prelu with one slope": NodeCase("PRelu", [X, known([0.25], np.float32)]),
    "prelu per channel of opset 6": NodeCase(
        "PRelu", [X, known([0.1, 0.2, 0.3], np.float32)], {}, 6,
        expected=[np.where(X < 0, X * np.array([[0.1], [0.2], [0.3]], np.float32), X)],
    ),
    "shrink of integers": NodeCase("Shrink", [INTEGERS], {"lambd": 2.5, "bias": 1.0}, 9),
    "swish": NodeCase("Swish", [X], {"alpha": 1.5}, 24),
    "expanded by its definition": NodeCase("SwiGLU", [X, Y], {}, 28),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: NodeCase):
    check(case)
