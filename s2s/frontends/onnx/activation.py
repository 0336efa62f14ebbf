"""Activation functions, written as formulas over the elementwise operations."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import (
    composes,
    elu,
    gelu,
    gelu_by_tanh,
    hard_sigmoid,
    leaky_relu,
    mish,
    rounded_once,
    sigmoid,
    softplus,
)
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, greater, less, maximum, minimum, select
from s2s.frontends.onnx.elementwise import aligned
from s2s.frontends.onnx.node import Importer, Node


def _relu(node: Node) -> Value:
    return clamp(node.input(0), 0, None)


def _prelu(node: Node) -> Value:
    x, slope = node.input(0), node.input(1)
    if node.since < 7 and slope.rank == 1 and slope.shape != (1,) and x.rank > 1:
        slope = aligned(x, slope, 1)  # one slope per channel
    elif node.since < 7 and slope.shape == (1,):
        slope = emit(graph.ReshapeOp, slope, shape=[])
    return emit(graph.PreluOp, x, slope)


def _leaky_relu(node: Node) -> Value:
    return leaky_relu(node.input(0), node.real("alpha"))


def _elu(node: Node) -> Value:
    return elu(node.input(0), node.real("alpha"))


def _selu(node: Node) -> Value:
    return node.real("gamma") * elu(node.input(0), node.real("alpha"))


def _celu(node: Node) -> Value:
    if node.real("alpha") == 0:
        raise node.invalid("alpha is 0", "use Relu, or another alpha")
    return _smooth_elu(node.input(0), node.real("alpha"))


@composes("celu")
@rounded_once
def _smooth_elu(x: Value, alpha: float) -> Value:
    """`x` where positive, else `alpha * (e ** (x / alpha) - 1)`: differentiable for each alpha."""
    return maximum(x, 0) + minimum(alpha * (emit(graph.ExpOp, x / alpha) - 1), 0)


@composes("thresholded_relu")
def _thresholded_relu(node: Node) -> Value:
    x = node.input(0)
    return select(greater(x, node.real("alpha")), x, 0)


def _hard_sigmoid(node: Node) -> Value:
    return hard_sigmoid(node.input(0), node.real("alpha"), node.real("beta"))


@composes("hard_swish")
def _hard_swish(node: Node) -> Value:
    x = node.input(0)
    return x * hard_sigmoid(x, 1 / 6, 0.5)


def _gelu(node: Node) -> Value:
    x = node.input(0)
    return gelu_by_tanh(x) if node.choice("approximate", "none", "tanh") == "tanh" else gelu(x)


def _mish(node: Node) -> Value:
    return mish(node.input(0))


def _sigmoid(node: Node) -> Value:
    return sigmoid(node.input(0))


def _softplus(node: Node) -> Value:
    return softplus(node.input(0))


@composes("softsign")
def _softsign(node: Node) -> Value:
    x = node.input(0)
    return x / (abs(x) + 1)


@composes("swish")
def _swish(node: Node) -> Value:
    x, alpha = node.input(0), node.real("alpha")
    return x * sigmoid(x if alpha == 1 else alpha * x)


def _shrink(node: Node) -> Value:
    x = node.input(0)
    if not x.is_float:
        return cast(_shrunk(node, cast(x, np.dtype(np.float64 if x.dtype.itemsize > 2 else np.float32))), x.dtype)
    return _shrunk(node, x)


def _shrunk(node: Node, x: Value) -> Value:
    limit, bias = node.real("lambd"), node.real("bias")
    return select(less(x, -limit), x + bias, select(greater(x, limit), x - bias, 0))


IMPORTERS: Mapping[str, Importer] = {
    "Celu": _celu,
    "Elu": _elu,
    "Gelu": _gelu,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _hard_swish,
    "LeakyRelu": _leaky_relu,
    "Mish": _mish,
    "PRelu": _prelu,
    "Relu": _relu,
    "Selu": _selu,
    "Shrink": _shrink,
    "Sigmoid": _sigmoid,
    "Softplus": _softplus,
    "Softsign": _softsign,
    "Swish": _swish,
    "ThresholdedRelu": _thresholded_relu,
}
