"""Operators that treat each element alone. Of 8-bit numbers they are tables, computed while the model is read.

Floats: ABS, NEG, SQUARE, SQRT, FLOOR, CEIL and ROUND equal the reference bit for bit. EXP, LOG, SIN, COS and RSQRT are
compared with a relative tolerance of 1e-6 (SIN, COS and ATAN2, which pass through zero, and 1e-7): libraries differ
in the last place.
"""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import arc_tangent, less, maximum, select
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import centered, looked_up, require_kinds, saturated, scaled, symmetric
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor
from s2s.types.dtypes import from_numpy

_FRACTION_BITS = 20
"""Fraction bits of the reference's inverse root while it is an integer."""


def _of_floats(operation: Callable[..., Operation]) -> Importer:
    def importer(node: Node) -> Value:
        require_kinds(node, (node.input(0),), "float32")
        return emit(operation, node.input(0).value)

    return importer


def _square(node: Node) -> Value:
    require_kinds(node, (node.input(0),), "float32")
    return node.input(0).value * node.input(0).value


def _logical_not(node: Node) -> Value:
    require_kinds(node, (node.input(0),), "bool")
    return emit(graph.LogicalNotOp, node.input(0).value)


def _abs(node: Node) -> Value:
    x = node.input(0)
    kind = require_kinds(node, (x,), "float32", "int8", "int16", "int32")
    if kind in ("float32", "int32") or (kind == "int16" and x.quant is None):
        return abs(x.value)
    symmetric(node, x)
    return looked_up(node, x, _quantised_abs) if kind == "int8" else _quantised_abs(node, x)


def _quantised_abs(node: Node, x: Tensor) -> Value:
    (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    size, dtype = abs(centered(x)), x.dtype
    if scale_x == scale_y:
        return saturated(size, dtype, zero_y)
    factor = quantize_multiplier(scale_x / scale_y)
    return scaled(size, factor, dtype, output_zero=zero_y)


def _rsqrt(node: Node) -> Value:
    x = node.input(0)
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        return emit(graph.RsqrtOp, x.value)
    return looked_up(node, x, _quantised_rsqrt)


def _quantised_rsqrt(node: Node, x: Tensor) -> Value:
    """The largest number for zero, and for what lies below it, where the reference stops with an error."""
    (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    number = centered(x)
    root, shift = fixed.inverse_root(maximum(number, 1))
    right = shift - _FRACTION_BITS
    one = emit(graph.ShiftLeftOp, number.like(1), maximum(-right, 0))
    data = fixed.rounded_right(fixed.high_product(one, root), maximum(right, 0))
    multiplier, exponent = quantize_multiplier(1 / float(np.sqrt(np.float32(scale_x)) * np.float32(scale_y)))
    y = scaled(data, (multiplier, exponent - _FRACTION_BITS), x.dtype, output_zero=zero_y)
    return select(less(number, 1), y.like(127), y)


def _atan2(node: Node) -> Value:
    y, x = node.input(0), node.input(1)
    require_kinds(node, (y, x), "float32", "float64")
    return arc_tangent(y.value, x.value)


def _sign(node: Node) -> Value:
    require_kinds(node, (node.input(0),), "float32", "float64", "int32")
    return emit(graph.SignOp, node.input(0).value)


def _bitcast(node: Node) -> Value:
    """The same bits as another element type of the same width."""
    x, dtype = node.input(0), node.output_type().dtype
    if dtype.itemsize != x.dtype.itemsize:
        raise node.unsupported(f"reads {x.dtype} as {dtype}, which is not as wide", "keep the width of the elements")
    return emit(graph.BitcastOp, x.value, element_type=from_numpy(dtype))


IMPORTERS: Mapping[str, Importer] = {
    "ABS": _abs,
    "ATAN2": _atan2,
    "BITCAST": _bitcast,
    "CEIL": _of_floats(graph.CeilOp),
    "COS": _of_floats(graph.CosOp),
    "EXP": _of_floats(graph.ExpOp),
    "FLOOR": _of_floats(graph.FloorOp),
    "LOG": _of_floats(graph.LogOp),
    "LOGICAL_NOT": _logical_not,
    "NEG": _of_floats(graph.NegOp),
    "ROUND": _of_floats(graph.RoundOp),
    "RSQRT": _rsqrt,
    "SIGN": _sign,
    "SIN": _of_floats(graph.SinOp),
    "SQRT": _of_floats(graph.SqrtOp),
    "SQUARE": _square,
}
