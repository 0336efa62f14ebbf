"""Numpy meanings of the elementwise operations on several operands."""

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, is_float_array, widen
from s2s.interpret.numbers import divide_signed, integer_power
from s2s.types.dtypes import Array


def _binary(function: Callable[[Array, Array], Array]) -> Meaning:
    """Return the meaning of an operation that `function` computes on types that numpy supports natively."""

    def meaning(op: Operation, a: Array, b: Array) -> Array:
        return function(widen(a), widen(b)).astype(a.dtype)

    return meaning


def _compare(function: Callable[[Array, Array], Array]) -> Meaning:
    def meaning(op: Operation, a: Array, b: Array) -> Array:
        return function(widen(a), widen(b))

    return meaning


def divide(a: Array, b: Array) -> Array:
    """`a / b`; integers truncate towards zero, and give 0 for a zero divisor."""
    return np.divide(a, b) if is_float_array(a) else divide_signed(a, b)


def _power(op: graph.PowOp, a: Array, b: Array) -> Array:
    if not is_float_array(a):
        return integer_power(a, b)
    return np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


def _mod(op: graph.ModOp, a: Array, b: Array) -> Array:
    function = np.fmod if op.fmod else np.remainder
    return function(widen(a), widen(b)).astype(a.dtype)


def _prelu(op: graph.PreluOp, x: Array, slope: Array) -> Array:
    wide = widen(x)
    return np.where(wide < 0, wide * widen(slope), wide).astype(x.dtype)


def _select(op: graph.SelectOp, cond: Array, a: Array, b: Array) -> Array:
    return np.where(cond, a, b)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.AddOp: _binary(np.add),
    graph.SubOp: _binary(np.subtract),
    graph.MulOp: _binary(np.multiply),
    graph.DivOp: _binary(divide),
    graph.ModOp: _mod,
    graph.PowOp: _power,
    graph.MinimumOp: _binary(np.minimum),
    graph.MaximumOp: _binary(np.maximum),
    graph.LogicalAndOp: _binary(np.logical_and),
    graph.LogicalOrOp: _binary(np.logical_or),
    graph.LogicalXorOp: _binary(np.logical_xor),
    graph.BitwiseAndOp: _binary(np.bitwise_and),
    graph.BitwiseOrOp: _binary(np.bitwise_or),
    graph.BitwiseXorOp: _binary(np.bitwise_xor),
    graph.ShiftLeftOp: _binary(np.left_shift),
    graph.ShiftRightOp: _binary(np.right_shift),
    graph.EqualOp: _compare(np.equal),
    graph.LessOp: _compare(np.less),
    graph.LessEqualOp: _compare(np.less_equal),
    graph.GreaterOp: _compare(np.greater),
    graph.GreaterEqualOp: _compare(np.greater_equal),
    graph.PreluOp: _prelu,
    graph.SelectOp: _select,
}
