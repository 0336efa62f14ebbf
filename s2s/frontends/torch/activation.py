"""Activation functions."""

from collections.abc import Mapping

from s2s.dialects import graph
from s2s.frontends.activations import composes, gelu, gelu_by_tanh, hard_sigmoid, leaky_relu, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import clamp, greater, maximum, minimum, reshape, select
from s2s.frontends.torch.elementwise import expm1
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import as_result


def _relu(node: Node) -> Value:
    return clamp(node.value("self"), 0, None)


def _gelu(node: Node) -> Value:
    x = node.value("self")
    return gelu_by_tanh(x) if node.text("approximate") == "tanh" else gelu(x)


@composes("elu")
def _elu(node: Node) -> Value:
    """`scale * x` where positive, else `scale * alpha * (e ** (input_scale * x) - 1)`; one of the terms is zero."""
    x, alpha, scale, inner = node.value("self"), node.real("alpha"), node.real("scale"), node.real("input_scale")
    below = minimum(x, 0) * inner if inner != 1 else minimum(x, 0)
    y = maximum(x, 0) + alpha * expm1(below)
    return y if scale == 1 else y * scale


def _leaky_relu(node: Node) -> Value:
    return leaky_relu(node.value("self"), node.real("negative_slope"))


def _hardtanh(node: Node) -> Value:
    return clamp(node.value("self"), node.number("min_val"), node.number("max_val"))


def _sigmoid(node: Node) -> Value:
    return sigmoid(as_result(node))


@composes("silu")
def _silu(node: Node) -> Value:
    x = node.value("self")
    return x * sigmoid(x)


def _hard_sigmoid(node: Node) -> Value:
    return hard_sigmoid(node.value("self"), 1 / 6, 0.5)


@composes("hard_swish")
def _hard_swish(node: Node) -> Value:
    x = node.value("self")
    return x * hard_sigmoid(x, 1 / 6, 0.5)


@composes("softplus")
def _softplus(node: Node) -> Value:
    """`ln(1 + e ** (beta * x)) / beta`; torch takes `x` itself above a threshold, from where they are equal."""
    x, beta = node.value("self"), node.real("beta")
    scaled = x if beta == 1 else x * beta
    soft = maximum(scaled, 0) + emit(graph.LogOp, emit(graph.ExpOp, -abs(scaled)) + 1)
    return select(greater(scaled, node.real("threshold")), x, soft if beta == 1 else soft / beta)


def _prelu(node: Node) -> Value:
    """A slope for all, or for each index of dimension 1."""
    x, slope = node.value("self"), node.value("weight")
    if slope.rank == 1:
        slope = reshape(slope, [slope.shape[0], *[1] * max(0, x.rank - 2)] if slope.shape[0] > 1 else [])
    return emit(graph.PreluOp, x, slope)


IMPORTERS: Mapping[str, Importer] = {
    "_prelu_kernel": _prelu,
    "elu": _elu,
    "gelu": _gelu,
    "hardsigmoid": _hard_sigmoid,
    "hardswish": _hard_swish,
    "hardtanh": _hardtanh,
    "leaky_relu": _leaky_relu,
    "prelu": _prelu,
    "relu": _relu,
    "sigmoid": _sigmoid,
    "silu": _silu,
    "softplus": _softplus,
}
