"""Numpy meanings of the unary elementwise operations."""

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.interpret.graph.precision import Meaning, is_float_array, widen
from s2s.interpret.numbers import count_leading_zeros, erf, float_to_integer, reciprocal_root
from s2s.types.dtypes import Array, to_numpy


def _unary(function: Callable[[Array], Array]) -> Meaning:
    """Return the meaning of an operation that `function` computes on types that numpy supports natively."""

    def meaning(op: Operation, x: Array) -> Array:
        return function(widen(x)).astype(x.dtype)

    return meaning


def _transcendental(function: Callable[[Array], Array]) -> Meaning:
    """Return the meaning of an operation that `function` computes in float64, rounded once.

    Numpy's narrower routines are off by a few units in the last place, and by others on other processors.
    """

    def meaning(op: Operation, x: Array) -> Array:
        return function(x.astype(np.float64)).astype(x.dtype)

    return meaning


def _leading_zeros(x: Array) -> Array:
    return count_leading_zeros(x.view(f"u{x.dtype.itemsize}"))


def _clamp(op: graph.ClampOp, x: Array) -> Array:
    low, high = number(op.min), number(op.max)
    if low is not None:
        x = np.maximum(x, _bound(low, x))
    if high is not None:
        x = np.minimum(x, _bound(high, x))
    return x


def _bound(value: int | float, x: Array) -> Array:
    """Convert `value` to the type of `x`; an integer bound outside of the type becomes its limit."""
    if not is_float_array(x):
        limits = np.iinfo(x.dtype)
        value = min(max(int(value), limits.min), limits.max)
    return np.asarray(value).astype(x.dtype)


def convert(x: Array, dtype: np.dtype[Any]) -> Array:
    """Cast `x` to `dtype`: to bool by comparison with zero, float to integer towards zero, saturating, NaN to zero."""
    if dtype == np.bool_:
        return x != 0
    if is_float_array(x) and dtype.kind in "iu":
        return np.asarray(float_to_integer(dtype, unsigned=dtype.kind == "u")(x))
    return x.astype(dtype)


def _cast(op: graph.CastOp, x: Array) -> Array:
    return convert(x, to_numpy(op.y.type.element_type))


def _bitcast(op: graph.BitcastOp, x: Array) -> Array:
    return x.view(to_numpy(op.y.type.element_type))


def _is_inf(op: graph.IsInfOp, x: Array) -> Array:
    x = widen(x)
    negative = np.isneginf(x) if op.detect_negative else np.zeros(x.shape, np.bool_)
    return negative | np.isposinf(x) if op.detect_positive else negative


def _is_nan(op: graph.IsNanOp, x: Array) -> Array:
    return np.isnan(widen(x))


def _reciprocal(x: Array) -> Array:
    return 1 / x


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _identity(x: Array) -> Array:
    return x


MEANINGS: dict[type[Operation], Meaning] = {
    graph.AbsOp: _unary(np.abs),
    graph.NegOp: _unary(np.negative),
    graph.SignOp: _unary(np.sign),
    graph.CeilOp: _unary(np.ceil),
    graph.FloorOp: _unary(np.floor),
    graph.RoundOp: _unary(np.rint),
    graph.ExpOp: _transcendental(np.exp),
    graph.LogOp: _transcendental(np.log),
    graph.SqrtOp: _unary(np.sqrt),
    graph.RsqrtOp: _unary(reciprocal_root),
    graph.ReciprocalOp: _unary(_reciprocal),
    graph.SinOp: _transcendental(np.sin),
    graph.CosOp: _transcendental(np.cos),
    graph.TanOp: _transcendental(np.tan),
    graph.AsinOp: _transcendental(np.arcsin),
    graph.AcosOp: _transcendental(np.arccos),
    graph.AtanOp: _transcendental(np.arctan),
    graph.SinhOp: _transcendental(np.sinh),
    graph.CoshOp: _transcendental(np.cosh),
    graph.TanhOp: _transcendental(np.tanh),
    graph.AsinhOp: _transcendental(np.arcsinh),
    graph.AcoshOp: _transcendental(np.arccosh),
    graph.AtanhOp: _transcendental(np.arctanh),
    graph.ErfOp: _transcendental(erf),
    graph.SigmoidOp: _transcendental(_sigmoid),
    graph.LogicalNotOp: _unary(np.logical_not),
    graph.BitwiseNotOp: _unary(np.invert),
    graph.CountLeadingZerosOp: _unary(_leading_zeros),
    graph.IdentityOp: _unary(_identity),
    graph.ClampOp: _clamp,
    graph.BitcastOp: _bitcast,
    graph.CastOp: _cast,
    graph.IsNanOp: _is_nan,
    graph.IsInfOp: _is_inf,
}
