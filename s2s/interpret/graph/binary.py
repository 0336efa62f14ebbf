"""Numpy meanings of the elementwise operations on several operands."""

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.dtypes import Array
from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, is_float_array, widen


def _binary(function: Callable[[Array, Array], Array]) -> Meaning:
    """The meaning of an operation that `function` computes on natively supported types."""

    def meaning(op: Operation, a: Array, b: Array) -> Array:
        return function(widen(a), widen(b)).astype(a.dtype)

    return meaning


def _compare(function: Callable[[Array, Array], Array]) -> Meaning:
    def meaning(op: Operation, a: Array, b: Array) -> Array:
        return function(widen(a), widen(b))

    return meaning


def divide(a: Array, b: Array) -> Array:
    """`a / b`; integers truncate towards zero where numpy's `//` rounds down."""
    if is_float_array(a):
        return np.divide(a, b)
    down = np.floor_divide(a, b)
    rounded_away = (np.remainder(a, b) != 0) & ((a < 0) != (b < 0))
    return down + rounded_away.astype(a.dtype)


def _power(a: Array, b: Array) -> Array:
    """`a ** b`; for integers and negative `b` the truncated quotient, 0 for a base of 0."""
    if is_float_array(a) or not np.any(b < 0):
        return np.power(a, b)
    odd_sign = np.where(b % 2 == 0, 1, -1)
    reciprocal = np.where(a == 1, 1, np.where(a == -1, odd_sign, 0)).astype(a.dtype)
    return np.where(b < 0, reciprocal, np.power(a, np.maximum(b, 0)))


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
    graph.PowOp: _binary(_power),
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
