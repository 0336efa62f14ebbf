"""Comparisons. Quantised operands are compared as the reference rescales them, with eight fractional bits."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.tflite.arithmetic import centered, require_kinds, scaled
from s2s.frontends.tflite.fixed_point import shifted_left
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor

_FRACTION_BITS = 8


def _rescaled(node: Node, x: Tensor) -> Value:
    scale, _ = x.scalar()
    if not 0 < scale < 1:
        raise node.unsupported(f"compares numbers of scale {scale:.3g}", "use a scale below 1, as TFLite asks for")
    return scaled(shifted_left(centered(x), _FRACTION_BITS), quantize_multiplier(scale))


def _tells_apart(node: Node, x: Tensor) -> bool:
    """Whether no two numbers of `x` are rescaled to the same one."""
    every = Tensor(node.constant(np.arange(-128, 128), np.int8), x.info)
    array = _rescaled(node, every).array
    return array is not None and len(np.unique(array)) == len(array)


def _operands(node: Node, *kinds: str) -> tuple[Value, Value]:
    a, b = node.input(0), node.input(1)
    if require_kinds(node, (a, b), "float32", "int32", "int64", "int8", *kinds) != "int8":
        return a.value, b.value
    if a.scalar() == b.scalar() and _tells_apart(node, a):
        return a.value, b.value
    return _rescaled(node, a), _rescaled(node, b)


def _compare(operation: Callable[..., Operation]) -> Importer:
    return lambda node: emit(operation, *_operands(node))


def _equal(node: Node) -> Value:
    return emit(graph.EqualOp, *_operands(node, "bool"))


def _not_equal(node: Node) -> Value:
    return emit(graph.LogicalNotOp, _equal(node))


IMPORTERS: Mapping[str, Importer] = {
    "EQUAL": _equal,
    "GREATER": _compare(graph.GreaterOp),
    "GREATER_EQUAL": _compare(graph.GreaterEqualOp),
    "LESS": _compare(graph.LessOp),
    "LESS_EQUAL": _compare(graph.LessEqualOp),
    "NOT_EQUAL": _not_equal,
}
