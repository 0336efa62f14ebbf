"""Activation functions. Of 8-bit numbers they are tables, computed while the model is read.

Floats: RELU, RELU6, LEAKY_RELU, PRELU and HARD_SWISH equal the reference. TANH, ELU and LOGISTIC are compared with a
relative tolerance of 1e-6, as libraries differ in the last place of `exp`, and an absolute one: 1e-7, 1.2e-7 for ELU
where the reference calls `expm1`, 2e-8 for LOGISTIC, whose reference takes `e ** x` for it below -9.
"""

from collections.abc import Mapping
from math import floor, frexp, log

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import gelu, gelu_by_tanh
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, greater, less, maximum, minimum, select
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite import luts
from s2s.frontends.tflite.arithmetic import (
    IDENTITY,
    centered,
    looked_up,
    require_kinds,
    saturated,
    scaled,
    symmetric,
    table_lookup,
)
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.frontends.tflite.tensors import Tensor

# ------------------------------------------------------------------ piecewise linear


def _relu(node: Node) -> Value:
    x = node.input(0)
    if require_kinds(node, (x,), "float32", "int8", "int16") == "float32":
        return clamp(x.value, 0, None)
    symmetric(node, x)
    (scale_x, zero_x), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    factor = quantize_multiplier(scale_x / scale_y)
    if factor == IDENTITY and zero_x == zero_y:
        return clamp(x.value, zero_y, None)
    if x.dtype == np.int8:
        return looked_up(node, x, _quantised_relu)
    return _quantised_relu(node, x)


def _quantised_relu(node: Node, x: Tensor) -> Value:
    (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    factor = quantize_multiplier(scale_x / scale_y)
    return clamp(scaled(centered(x), factor, x.dtype, output_zero=zero_y), zero_y, None)


def _relu6(node: Node) -> Value:
    """On the stored numbers: the reference takes it that the result has the scale and zero point of the operand."""
    x = node.input(0)
    if require_kinds(node, (x,), "float32", "int8", "int16") == "float32":
        return clamp(x.value, 0, 6)
    scale, zero = x.scalar()
    info = np.iinfo(x.dtype.str)
    six = floor(float(np.float32(6) / np.float32(scale)) + 0.5) + zero
    return clamp(x.value, zero, min(six, int(info.max)))


def _relu_between(low: float, high: float) -> Importer:
    """Limits to real numbers: stored ones are rescaled first, as the result may have a scale of its own."""

    def importer(node: Node) -> Value:
        x = node.input(0)
        if require_kinds(node, (x,), "float32", "int8") == "float32":
            return clamp(x.value, low, high)
        return looked_up(node, x, between)

    def between(node: Node, x: Tensor) -> Value:
        (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
        info = np.iinfo(x.dtype.str)
        ends = zero_y + luts.rounded(np.array((low, high), np.float32) / np.float32(scale_y)).astype(np.int64)
        y = scaled(centered(x), quantize_multiplier(scale_x / scale_y)) + zero_y
        return cast(clamp(y, max(int(ends[0]), int(info.min)), min(int(ends[1]), int(info.max))), x.dtype)

    return importer


def _leaky_relu(node: Node) -> Value:
    x = node.input(0)
    kind = require_kinds(node, (x,), "float32", "int8", "int16")
    if kind == "float32":
        return emit(graph.PreluOp, x.value, x.value.like(float(np.float32(node.options.Alpha()))))
    return looked_up(node, x, _quantised_leaky_relu) if kind == "int8" else _quantised_leaky_relu(node, x)


def _quantised_leaky_relu(node: Node, x: Tensor) -> Value:
    (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    alpha = scale_x * float(np.float32(node.options.Alpha())) / scale_y
    number = centered(x)
    above = scaled(number, quantize_multiplier(scale_x / scale_y))
    below = scaled(number, quantize_multiplier(abs(alpha)))
    y = select(less(number, 0), below if alpha >= 0 else -below, above)
    return saturated(y, x.dtype, zero_y)


def _prelu(node: Node) -> Value:
    x, alpha = node.input(0), node.input(1)
    kind = require_kinds(node, (x,), "float32", "int8", "int16")
    require_kinds(node, (alpha,), "float32" if kind == "float32" else "int8")
    if kind == "float32":
        return emit(graph.PreluOp, x.value, alpha.value)
    if kind == "int8" and alpha.array is not None and alpha.array.size == 1 and alpha.rank <= x.rank:
        return looked_up(node, x, lambda node, x: _quantised_prelu(node, x, alpha, single=True))
    return _quantised_prelu(node, x, alpha, single=False)


def _quantised_prelu(node: Node, x: Tensor, alpha: Tensor, *, single: bool) -> Value:
    (scale_x, _), (scale_a, _), (scale_y, zero_y) = x.scalar(), alpha.scalar(), node.output_type().scalar()
    number, slope = centered(x), centered(alpha)
    if single:
        slope = emit(graph.ReshapeOp, slope, shape=[])
    above = scaled(number, quantize_multiplier(scale_x / scale_y))
    below = scaled(number * slope, quantize_multiplier(scale_x * scale_a / scale_y))
    return saturated(select(less(number, 0), below, above), x.dtype, zero_y)


# ------------------------------------------------------------------- exponential ones


def _elu(node: Node) -> Value:
    x = node.input(0)
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        # The reference calls expm1; exp(x) - 1 is within 1.2e-7 of it, absolutely.
        return maximum(x.value, 0) + (emit(graph.ExpOp, minimum(x.value, 0)) - 1)
    exp = luts.exact(np.exp)
    table = luts.table_of(lambda v: np.where(v < 0, exp(v) - np.float32(1), v), x.scalar(), node.output_type().scalar())
    return table_lookup(x.value, node.constant(table))


def _logistic(node: Node) -> Value:
    x = node.input(0)
    kind = require_kinds(node, (x,), "float32", "int8", "int16")
    if kind == "float32":
        return emit(graph.SigmoidOp, x.value)
    if kind == "int16":
        return logistic_int16(x.value, *sigmoid_input(node, x, (0,)))
    if node.output_type().scalar()[1] != -128:
        raise node.invalid("the zero point of its result is not -128", "quantise the model again")
    return looked_up(node, x, _quantised_logistic)


def _quantised_logistic(node: Node, x: Tensor) -> Value:
    number, inside = _with_four_integer_bits(x)
    y = fixed.rounded_right(fixed.logistic(number, 4), 23)
    return inside(cast(clamp(y - 128, -128, 127), x.dtype))


def _tanh(node: Node) -> Value:
    x = node.input(0)
    kind = require_kinds(node, (x,), "float32", "int8", "int16")
    if kind == "float32":
        return emit(graph.TanhOp, x.value)
    if kind == "int16":
        return tanh_int16(x.value, *sigmoid_input(node, x, (0, 1)))
    return looked_up(node, x, _quantised_tanh)


def _quantised_tanh(node: Node, x: Tensor) -> Value:
    number, inside = _with_four_integer_bits(x)
    y = fixed.rounded_right(fixed.tangent(number, 4), 24)
    return inside(cast(clamp(y, -128, 127), x.dtype))


def _with_four_integer_bits(x: Tensor) -> tuple[Value, "_Ends"]:
    """`x` as fixed-point number, and what to do with results: outside the range of four integer bits they are -128
    and 127."""
    scale, _ = x.scalar()
    fraction, exponent = frexp(scale * 2.0**27)
    multiplier = floor(fraction * 2**31 + 0.5)
    radius = floor(15 * 2.0**27 / 2.0**exponent)
    number = centered(x)
    return scaled(number, (multiplier, min(exponent, 30))), _Ends(number, radius)


class _Ends:
    """Puts -128 and 127 in the place of results whose operand is as far from zero as the radius."""

    def __init__(self, number: Value, radius: int) -> None:
        self.low, self.high = less(number, 1 - radius), greater(number, radius - 1)

    def __call__(self, y: Value) -> Value:
        return select(self.low, y.like(-128), select(self.high, y.like(127), y))


def sigmoid_input(node: Node, x: Tensor, powers: tuple[int, ...]) -> tuple[int, int]:
    """Multiplier and right shift that bring an `int16` to steps of `1 / (3 * 4096)`, the unit of the table's steps.

    `powers` are the powers of two over `1 / 4096` that need no rounding as a scale.
    """
    symmetric(node, x)
    (scale_x, _), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    if zero_y != 0 or _power_of_two(scale_y) != -15:
        raise node.invalid("its result is not quantised with scale 1 / 32768 and zero point 0", "quantise it again")
    power = _power_of_two(scale_x)
    if power is not None and power + 12 in powers:
        return 3 << (power + 12), 0
    multiplier, shift = scale_x * 4096 * 3, 0
    while multiplier <= 32767 / 2 and shift <= 30:
        multiplier, shift = 2 * multiplier, shift + 1
    if multiplier >= 32768:
        raise node.unsupported(f"its operand has the scale {scale_x:.3g}", "use one of at most 2.6, or 8-bit numbers")
    return int(multiplier), shift


def _power_of_two(scale: float) -> int | None:
    """The logarithm of `scale`, when it is next to an integer."""
    exponent = log(scale) / log(2)
    nearest = floor(exponent + 0.5)
    return nearest if abs(exponent - nearest) < 1e-3 else None


def _sigmoid_steps(x: Value, multiplier: int, shift: int, step_bits: int) -> tuple[Value, Value, Value]:
    """The table at `|x|`, interpolated with `step_bits` more bits; where the table ends; and `x` as it was rescaled."""
    number = cast(x, I32) * multiplier
    if shift:
        number = fixed.shifted_right(number + (1 << (shift - 1)), shift)
    size = abs(number)
    place = fixed.shifted_right(size, step_bits)
    table = x.builder.constant(luts.sigmoid_table().astype(np.uint16))
    at = minimum(place, 254)
    low = cast(emit(graph.GatherOp, table, cast(at, np.dtype(np.uint8)), axis=0), I32)
    high = cast(emit(graph.GatherOp, table, cast(at + 1, np.dtype(np.uint8)), axis=0), I32)
    rest = emit(graph.BitwiseAndOp, size, size.like(2**step_bits - 1))
    return fixed.shifted_left(low, step_bits) + rest * (high - low), greater(place, 254), number


def logistic_int16(x: Value, multiplier: int, shift: int) -> Value:
    """The logistic function of 16-bit numbers with 15 fractional bits in the result."""
    y, beyond, number = _sigmoid_steps(x, multiplier, shift, 9)
    y = select(beyond, y.like(0x7FFF << 10), y)
    y = select(less(number, 0), (1 << 25) - 1 - y, y) + (1 << 9)
    return cast(fixed.shifted_right(y, 10), np.dtype(np.int16))


def tanh_int16(x: Value, multiplier: int, shift: int) -> Value:
    """The hyperbolic tangent of 16-bit numbers with 15 fractional bits in the result."""
    y, beyond, number = _sigmoid_steps(x, multiplier, shift, 8)
    y = select(beyond, y.like(0xFFFF << 8), y) - (1 << 23)
    y = select(less(number, 0), -1 - y, y) + (1 << 7)
    return cast(fixed.shifted_right(y, 8), np.dtype(np.int16))


def _gelu(node: Node) -> Value:
    x, approximate = node.input(0), bool(node.options.Approximate())
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        return gelu_by_tanh(x.value) if approximate else gelu(x.value)
    function = luts.gelu_by_tanh if approximate else luts.gelu
    return table_lookup(x.value, node.constant(luts.table_of(function, x.scalar(), node.output_type().scalar())))


# ---------------------------------------------------------------------------- gates


def _hard_swish(node: Node) -> Value:
    x = node.input(0)
    if require_kinds(node, (x,), "float32", "int8") == "float32":
        return x.value * clamp(x.value + 3, 0, 6) / 6
    return table_lookup(x.value, node.constant(_hard_swish_table(node, x)))


def _hard_swish_table(node: Node, x: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """In 16-bit fixed point: `x` on the scale of the result, times a number from 0 to 1 that grows from -3 to 3."""
    (scale_x, zero_x), (scale_y, zero_y) = x.scalar(), node.output_type().scalar()
    to_output, output_exponent = quantize_multiplier(scale_x / 128 / scale_y)
    to_gate, gate_exponent = quantize_multiplier(scale_x / 128 / float(np.float32(3 / 32768)))
    if output_exponent > 0:
        raise node.unsupported("the scale of its result is too small for that of its operand", "quantise it again")
    number = _int16((np.arange(-128, 128) - zero_x) * 128)
    on_output_scale = _high_product16(number, _narrow_multiplier(to_output))
    gate = _saturated16(number * 2 ** max(gate_exponent - 1, 0))
    gate = _high_product16(gate, _narrow_multiplier(to_gate))
    if gate_exponent > 0:
        gate = _saturated16(gate * 2)
    gate = _rounded_right(gate, max(-gate_exponent, 0))
    product = (gate + 2**15 >> 1) * on_output_scale
    y = _rounded_right(np.where(product < 0, -(-product >> 15), product >> 15), -output_exponent)
    return np.clip(_int16(y + zero_y), -128, 127).astype(np.int8)


_Integers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def _int16(x: _Integers) -> _Integers:
    return x.astype(np.int16).astype(np.int64)


def _saturated16(x: _Integers) -> _Integers:
    return np.clip(x, -(2**15), 2**15 - 1)


def _high_product16(a: _Integers, b: int) -> _Integers:
    """`a * b / 2 ** 15`, ties up."""
    return _saturated16((a * b + 2**14) >> 15)


def _narrow_multiplier(multiplier: int) -> int:
    return 2**15 - 1 if multiplier >= 2**31 - 1 - 2**15 else (multiplier + 2**15) >> 16


def _rounded_right(x: _Integers, count: int) -> _Integers:
    """`x / 2 ** count`, ties away from zero."""
    mask = (1 << count) - 1
    return (x >> count) + ((x & mask) > (mask >> 1) + (x < 0))


IMPORTERS: Mapping[str, Importer] = {
    "ELU": _elu,
    "GELU": _gelu,
    "HARD_SWISH": _hard_swish,
    "LEAKY_RELU": _leaky_relu,
    "LOGISTIC": _logistic,
    "PRELU": _prelu,
    "RELU": _relu,
    "RELU6": _relu6,
    "RELU_0_TO_1": _relu_between(0.0, 1.0),
    "RELU_N1_TO_1": _relu_between(-1.0, 1.0),
    "TANH": _tanh,
}
