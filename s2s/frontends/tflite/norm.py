"""Normalisations along the last axis.

The quantised softmax of the reference needs `e ** x` of at most 256 differences to the largest number. They are a table
of 32-bit numbers that ends where nothing is left of them; with the scales that networks have it is a few hundred bytes,
less than the code that would compute them. All that remains per row is one reciprocal.

Floats are compared with a relative tolerance of 4e-6 (SOFTMAX) and 1e-6 (L2_NORMALIZATION), LOG_SOFTMAX with 1e-6 of
the largest magnitude: libraries differ in the last places of `exp` and `log`, and kernels add in an order of their own.
"""

from collections.abc import Mapping
from math import floor

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import composed, composes, hinted
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, greater, maximum, minimum, select, transpose
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite import luts
from s2s.frontends.tflite.arithmetic import centered, require_kinds, saturated, scaled, symmetric
from s2s.frontends.tflite.fixed_point import I32, I64
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_INTEGER_BITS, _SUM_BITS = 5, 12
"""Integer bits of differences, and of the sum of their exponentials."""
_U8, _I16 = np.dtype(np.uint8), np.dtype(np.int16)


def _row_max(x: Value) -> Value:
    return emit(graph.ReduceMaxOp, x, axes=[x.rank - 1], keepdims=True)


def _row_sum(x: Value) -> Value:
    return emit(graph.ReduceSumOp, x, axes=[x.rank - 1], keepdims=True)


def _along_rows(node: Node) -> Tensor:
    x = node.input(0)
    if x.rank == 0:
        raise node.invalid("its operand has no dimension", "give one")
    return x


# --------------------------------------------------------------- exponentials of 8 bits


@frozen
class _Exponentials:
    """`e ** -(scale * d)` for the differences `d = 0, 1, …` of a row's maximum and its elements."""

    factor: tuple[int, int]
    """What takes a difference to fixed point with five integer bits."""
    least: int
    """The reference takes exponentials of smaller (negative) differences for zero."""
    table: Array


def _exponentials(node: Node, scale: float, beta: float) -> _Exponentials:
    real = min(beta * scale * 2.0 ** (31 - _INTEGER_BITS), 2.0**31 - 1)
    if real <= 1:
        raise node.unsupported(f"its operand has the scale {scale:.3g}", "quantise it again")
    multiplier, left = quantize_multiplier(real)
    least = -floor((2**_INTEGER_BITS - 1) * 2.0 ** (31 - _INTEGER_BITS) / 2.0**left)
    differences = node.constant(np.arange(0, -min(-least, 255) - 1, -1), np.int32)
    table = fixed.exponential(scaled(differences, (multiplier, left)), _INTEGER_BITS).array
    assert table is not None
    kept = int(np.count_nonzero(table >= 2**11))  # smaller ones change neither the sum nor any result
    return _Exponentials((multiplier, left), least, np.append(table[:kept], np.int32(0)).astype(np.int32))


def _exponentials_of(node: Node, difference: Value, powers: _Exponentials) -> Value:
    """At every element of `difference`, an unsigned distance from the maximum."""
    return _looked_up(node.constant(powers.table), clamp(difference, None, len(powers.table) - 1))


def _looked_up(table: Value, place: Value) -> Value:
    """The number of a table at each place, an unsigned integer below its length."""
    return emit(graph.GatherOp, table, place, axis=0, nonnegative_indices=True, in_range=True)


def _distance(x: Value) -> Value:
    """How far each element lies below the largest of its row."""
    return cast(_row_max(x) - x, _U8)


def _softmax(node: Node) -> Value:
    x = _along_rows(node)
    kind = require_kinds(node, (x,), "float32", "int8", "int16")
    beta = float(np.float32(node.options.Beta()))
    if kind == "float32":
        return emit(graph.SoftmaxOp, x.value if beta == 1 else x.value * beta, axis=x.rank - 1)
    if kind == "int16":
        return _softmax_int16(node, x, beta)
    return _softmax_int8(node, x, beta)


def _softmax_int8(node: Node, x: Tensor, beta: float) -> Value:
    """`e ** x` times the reciprocal of the sum, which is normalised to one bit before the point."""
    out = node.output_type()
    info = np.iinfo(out.dtype.str)
    bits = 8 * out.dtype.itemsize
    scale_y, zero_y = out.scalar()
    if zero_y != info.min or abs(scale_y * 2**bits - 1) > 1e-3:
        raise node.invalid(f"its result is not quantised with scale 2 ** -{bits} and the least zero point", "do so")
    with composed(node.builder, "softmax_largest"):
        largest = hinted(_row_max(x.value), "largest")
    with composed(node.builder, "softmax_powers"):
        distance = cast(largest - x.value, _U8)
        powers = hinted(_exponentials_of(node, distance, _exponentials(node, x.scalar()[0], beta)), "powers")
    with composed(node.builder, "softmax_total"):
        total = hinted(_row_sum(fixed.halves_up(powers, _SUM_BITS)), "total")
    with composed(node.builder, "softmax_shares"):
        reciprocal, zeros = fixed.normalized_reciprocal(total)
        product = fixed.high_product(powers, hinted(cast(reciprocal, I64), "reciprocal"))
        y = fixed.halves_up(product, _SUM_BITS + 31 - bits - hinted(zeros, "zeros"))
        return cast(minimum(y + int(info.min), int(info.max)), out.dtype)


@composes("softmax")
def _softmax_int16(node: Node, x: Tensor, beta: float) -> Value:
    """By two tables of 513 numbers, interpolated: of `e ** x` from -10 to 0, and of `1 / (1 + x)` from 0 to 1."""
    symmetric(node, x)
    scale, scale_y = x.scalar()[0], node.output_type().scalar()[0]
    if abs(scale_y * 2**15 - 1) > 1e-3:
        raise node.invalid("its result is not quantised with scale 1 / 32768", "quantise the model again")
    steps = np.float32(65535)
    exp = luts.interpolated(luts.exact(np.exp), (float(np.float32(10) / steps), 32767), float(np.float32(2) / steps))
    inverse = luts.interpolated(
        lambda v: np.float32(1) / (np.float32(1) + v), (float(np.float32(1) / steps), -32768), float(2 / steps)
    )
    wide = cast(x.value, I32)
    difference = scaled(wide - _row_max(wide), quantize_multiplier(scale * beta / (10 / 65535)))
    powers = _interpolate(node, exp, clamp(difference + 32767, -32768, 32767))
    total = _row_sum(powers)
    zeros = fixed.leading_zeros(total)
    normal = emit(graph.ShiftLeftOp, cast(total, I64), cast(zeros - 1, I64)) + (1 << 13)
    fraction = clamp(cast(fixed.shifted_right(normal, 14), I32) - (2**15 + 2**16), -32768, 32767)
    reciprocal = _interpolate(node, inverse, fraction)
    right = 31 - zeros
    half = emit(graph.ShiftLeftOp, right.like(1), right - 1)
    y = emit(graph.ShiftRightOp, powers * reciprocal + half, right)
    return cast(clamp(y, 0, 32767), _I16)


def _interpolate(node: Node, table: Array, x: Value) -> Value:
    """A table of 513 places at the 16-bit numbers `x`, which are held in 32 bits; so is the result."""
    place = cast(fixed.shifted_right(x, 7) + 256, np.dtype(np.uint16))
    numbers = node.constant(table)
    low, high = (cast(_looked_up(numbers, each), I32) for each in (place, place + 1))
    rest = emit(graph.BitwiseAndOp, x, x.like(127))
    return low + fixed.shifted_right((high - low) * rest + 64, 7)


def _log_softmax(node: Node) -> Value:
    x = _along_rows(node)
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        return emit(graph.LogSoftmaxOp, x.value, axis=x.rank - 1)
    return _log_softmax_int8(node, x)


@composes("log_softmax")
def _log_softmax_int8(node: Node, x: Tensor) -> Value:
    """`x` less the largest of its row and less the logarithm of the sum of their powers, in fixed point."""
    if node.output_type().scalar() != (1 / 16, 127):
        raise node.invalid("its result is not quantised with scale 1 / 16 and zero point 127", "quantise it again")
    exponentials = _exponentials(node, x.scalar()[0], 1.0)
    multiplier, left = exponentials.factor
    distance = _distance(x.value)
    powers = _exponentials_of(node, distance, exponentials)
    log_sum = fixed.logarithm(_row_sum(fixed.halves_up(powers, _SUM_BITS)))
    back = quantize_multiplier(2.0 ** (31 - left) / multiplier)
    least = maximum(scaled(log_sum + -(2**31), back), exponentials.least - 1)
    difference = -cast(distance, I32)
    y = fixed.rounded_right(scaled(difference, exponentials.factor) - log_sum, 22) + 127
    y = select(greater(difference, least), clamp(y, -128, 127), -128)
    return cast(y, x.dtype)


def _l2_normalization(node: Node) -> Value:
    x = _along_rows(node)
    if int(node.options.FusedActivationFunction()) != 0:
        raise node.unsupported("has a fused activation", "make it an operator of its own")
    return _unit_rows(node, x)


@composes("l2_norm")
def _unit_rows(node: Node, x: Tensor) -> Value:
    """Return the rows of `x` over the roots of their sums of squares."""
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        size = emit(graph.SqrtOp, _row_sum(x.value * x.value))
        return x.value / maximum(size, float(np.float32(1e-6)))
    number = centered(x)
    inverse, shift = fixed.inverse_root(_row_sum(number * number))
    left, right = maximum(7 - shift, 0), maximum(shift - 7, 0)
    product = fixed.high_product(emit(graph.ShiftLeftOp, number, left), inverse)
    return saturated(fixed.rounded_right(product, right), x.dtype)


def _local_response_normalization(node: Node) -> Value:
    """Each element over a power of the sum of squares of its neighbours in the last dimension."""
    x, options = node.input(0), node.options
    require_kinds(node, (x,), "float32")
    if x.rank != 4:
        raise node.invalid(f"has input {list(x.shape)}, not 4 dimensions", "fix the model")
    size = 2 * min(int(options.Radius()), x.shape[3] - 1) + 1
    y = emit(
        graph.LrnOp,
        transpose(x.value, [0, 3, 1, 2]),
        size=size,
        alpha=float(np.float32(options.Alpha())) * size,
        beta=float(np.float32(options.Beta())),
        bias=float(np.float32(options.Bias())),
    )
    return transpose(y, [0, 2, 3, 1])


IMPORTERS: Mapping[str, Importer] = {
    "L2_NORMALIZATION": _l2_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": _local_response_normalization,
    "LOG_SOFTMAX": _log_softmax,
    "SOFTMAX": _softmax,
}
