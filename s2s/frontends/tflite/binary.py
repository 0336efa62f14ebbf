"""Arithmetic on elements of several tensors.

Quantised operands are brought to a common scale with many fractional bits, combined, and rescaled to the result's.
Floats are one IEEE operation each: they equal the reference bit for bit, which the tests ask for.
"""

from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, floor_quotient, less, maximum, minimum, select
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import (
    activated_integers,
    centered,
    require_kinds,
    saturated,
    scaled,
    symmetric,
)
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated, quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor

_F64 = np.dtype(np.float64)
_HALF = (2**30, 0)
"""Multiplier and shift of one half."""

OperationClass = Callable[..., Operation]


def on_common_scale(x: Tensor, real: float, left: int) -> Value:
    """`(x - zero point) * real * 2 ** left`, rounded as the reference rounds; by one half nothing is lost."""
    factor = quantize_multiplier(real)
    if factor == _HALF and left > 0:
        return fixed.shifted_left(centered(x), left - 1)
    return scaled(fixed.shifted_left(centered(x), left), factor)


def from_common_scale(node: Node, x: Value, real: float) -> Value:
    """`x * real`, saturated to the result's type around its zero point; the reference wants `real` below one."""
    out = node.output_type()
    if not 0 < real < 1:
        raise node.invalid(
            f"the scale of its result is too small for those of its operands: a factor of {real:.3g} is not below 1",
            "quantise the model again",
        )
    return scaled(x, quantize_multiplier(real), out.dtype, output_zero=out.scalar()[1])


def _sum(sign: int) -> Importer:
    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        kind = require_kinds(node, (a, b), "float32", "int32", "int64", "int8", "int16")
        if kind in ("int8", "int16"):
            return activated(node, _quantised_sum(node, a, b, sign))
        y = a.value + b.value if sign > 0 else a.value - b.value
        if kind == "float32":
            return activated(node, y)
        return y if sign > 0 else activated_integers(node, y)  # the reference ignores the activation of ADD

    return importer


def _quantised_sum(node: Node, a: Tensor, b: Tensor, sign: int) -> Value:
    left = 15 if a.dtype == np.int16 else 20
    (scale_a, _), (scale_b, _), (scale_y, _) = a.scalar(), b.scalar(), node.output_type().scalar()
    symmetric(node, a, b)
    twice = 2 * max(scale_a, scale_b)
    first, second = on_common_scale(a, scale_a / twice, left), on_common_scale(b, scale_b / twice, left)
    return from_common_scale(node, first + second if sign > 0 else first - second, twice / (2**left * scale_y))


def _mul(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    kind = require_kinds(node, (a, b), "float32", "int32", "int64", "int8", "int16")
    if kind == "float32":
        return activated(node, a.value * b.value)
    if kind in ("int32", "int64"):
        return activated_integers(node, a.value * b.value)
    (scale_a, _), (scale_b, _), (scale_y, zero_y) = a.scalar(), b.scalar(), node.output_type().scalar()
    symmetric(node, a, b)
    factor = quantize_multiplier(scale_a * scale_b / scale_y)
    y = scaled(centered(a) * centered(b), factor, a.dtype, output_zero=zero_y)
    return activated(node, y)


def _div(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    kind = require_kinds(node, (a, b), "float32", "int32", "int8")
    if kind == "float32":
        return activated(node, a.value / b.value)
    if kind == "int32":
        return activated_integers(node, a.value / b.value)
    return activated(node, _quantised_quotient(node, a, b))


def _quantised_quotient(node: Node, a: Tensor, b: Tensor) -> Value:
    """The quotient of the numbers normalised to one bit before the point; a zero divisor is the user's error."""
    (scale_a, _), (scale_b, _), (scale_y, zero_y) = a.scalar(), b.scalar(), node.output_type().scalar()
    multiplier, shift = quantize_multiplier(scale_a / (scale_b * scale_y))
    x, divisor = centered(a), centered(b)
    x = select(less(divisor, 0), -x, x)
    inverse, zeros = fixed.normalized_reciprocal(abs(divisor))
    headroom = fixed.leading_zeros(select(less(x, 0), emit(graph.BitwiseNotOp, x), x)) - 1
    quotient = fixed.high_product(emit(graph.ShiftLeftOp, x, headroom), inverse)
    right = headroom + 31 - zeros - shift
    y = fixed.rounded_right(fixed.high_product(quotient, multiplier), minimum(maximum(right, 0), 31))
    return saturated(y, a.dtype, zero_y)


def _add_n(node: Node) -> Value:
    tensors = node.inputs()
    if len(tensors) < 2:
        raise node.invalid(f"has {len(tensors)} operands", "give two or more")
    kind = require_kinds(node, tensors, "float32", "int8")
    if kind == "float32":
        return reduce(lambda a, b: a + b, (tensor.value for tensor in tensors))
    scale, zero = tensors[0].scalar()
    if any(tensor.scalar() != (scale, zero) for tensor in tensors):
        raise node.unsupported("its operands differ in scale or zero point", "give all of them the same")
    # The reference starts the sum at the number 0 in place of the zero point.
    total = reduce(lambda a, b: a + b, (cast(tensor.value, I32) for tensor in tensors)) - zero * (len(tensors) + 1)
    return from_common_scale(node, fixed.shifted_left(total, 19), 2 / 2**20 * scale / node.output_type().scalar()[0])


def _extreme(operation: OperationClass) -> Importer:
    """On the stored numbers: the reference takes it that all three tensors have one scale and zero point."""

    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        require_kinds(node, (a, b), "float32", "int8", "int16", "int32", "int64")
        return emit(operation, a.value, b.value)

    return importer


def _squared_difference(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    kind = require_kinds(node, (a, b), "float32", "int32", "int8", "int16")
    if kind in ("float32", "int32"):
        difference = a.value - b.value
        return difference * difference
    left = 0 if kind == "int16" else 7
    (scale_a, _), (scale_b, _), (scale_y, zero_y) = a.scalar(), b.scalar(), node.output_type().scalar()
    symmetric(node, a, b)
    twice = 2 * max(scale_a, scale_b)
    first, second = on_common_scale(a, scale_a / twice, left), on_common_scale(b, scale_b / twice, left)
    difference = first - second
    factor = quantize_multiplier(twice * twice / (2 ** (2 * left) * scale_y))
    return scaled(difference * difference, factor, a.dtype, output_zero=zero_y)


def _floor_div(node: Node) -> Value:
    """Of floats in double precision, as the reference divides: a rounded quotient may lie on the wrong side."""
    a, b = node.input(0), node.input(1)
    if require_kinds(node, (a, b), "float32", "int32") == "float32":
        return cast(emit(graph.FloorOp, cast(a.value, _F64) / cast(b.value, _F64)), a.dtype)
    return floor_quotient(a.value, b.value)


def _floor_mod(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    require_kinds(node, (a, b), "float32", "int32")
    return emit(graph.ModOp, a.value, b.value)


def _logical(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        require_kinds(node, (a, b), "bool")
        return emit(operation, a.value, b.value)

    return importer


def _pow(node: Node) -> Value:
    """Powers; of integers with exponents that are not negative, where the reference stops with an error."""
    a, b = node.input(0), node.input(1)
    require_kinds(node, (a, b), "float32", "int32")
    return a.value**b.value


def _bits(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        a, b = node.input(0), node.input(1)
        require_kinds(node, (a, b), "int8", "uint8", "int16", "uint16", "int32", "uint32")
        return emit(operation, a.value, b.value)

    return importer


def _right_shift(node: Node) -> Value:
    """By 0 to the width less one: numbers beyond are brought to the nearer end, as the reference does."""
    a, b = node.input(0), node.input(1)
    require_kinds(node, (a, b), "int8", "uint8", "int16", "uint16", "int32", "uint32")
    return emit(graph.ShiftRightOp, a.value, clamp(b.value, 0, 8 * a.dtype.itemsize - 1))


IMPORTERS: Mapping[str, Importer] = {
    "ADD": _sum(1),
    "ADD_N": _add_n,
    "BITWISE_XOR": _bits(graph.BitwiseXorOp),
    "DIV": _div,
    "FLOOR_DIV": _floor_div,
    "FLOOR_MOD": _floor_mod,
    "LOGICAL_AND": _logical(graph.LogicalAndOp),
    "LOGICAL_OR": _logical(graph.LogicalOrOp),
    "MAXIMUM": _extreme(graph.MaximumOp),
    "MINIMUM": _extreme(graph.MinimumOp),
    "MUL": _mul,
    "POW": _pow,
    "RIGHT_SHIFT": _right_shift,
    "SQUARED_DIFFERENCE": _squared_difference,
    "SUB": _sum(-1),
}
