"""Numpy meanings of the unary elementwise operations."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.dtypes import Array, to_numpy
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.interpret.graph.precision import Meaning, is_float_array, widen

_erf = np.frompyfunc(math.erf, 1, 1)


def _unary(function: Callable[[Array], Array]) -> Meaning:
    """The meaning of an operation that `function` computes on natively supported types."""

    def meaning(op: Operation, x: Array) -> Array:
        return function(widen(x)).astype(x.dtype)

    return meaning


def _clamp(op: graph.ClampOp, x: Array) -> Array:
    low, high = number(op.min), number(op.max)
    if low is not None:
        x = np.maximum(x, _bound(low, x))
    if high is not None:
        x = np.minimum(x, _bound(high, x))
    return x


def _bound(value: int | float, x: Array) -> Array:
    """`value` in the type of `x`; integer bounds beyond the type bound nothing."""
    if not is_float_array(x):
        limits = np.iinfo(x.dtype)
        value = min(max(int(value), limits.min), limits.max)
    return np.asarray(value).astype(x.dtype)


def convert(x: Array, dtype: np.dtype[Any]) -> Array:
    """`x` cast to `dtype`: to bool by comparison with zero, float to integer towards zero, saturating, NaN to zero."""
    if dtype == np.bool_:
        return x != 0
    if not is_float_array(x) or np.issubdtype(dtype, np.inexact) or dtype.kind == "V":
        return x.astype(dtype)
    limits = np.iinfo(dtype)
    whole = np.nan_to_num(np.trunc(x.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    inside = (whole >= float(limits.min)) & (whole < float(limits.max) + (1 if limits.max < 2**53 else 0))
    saturated = np.where(whole > 0, limits.max, limits.min)
    return np.where(inside, np.where(inside, whole, 0).astype(dtype), saturated.astype(dtype))


def _cast(op: graph.CastOp, x: Array) -> Array:
    return convert(x, to_numpy(op.y.type.element_type))


def _is_inf(op: graph.IsInfOp, x: Array) -> Array:
    x = widen(x)
    negative = np.isneginf(x) if op.detect_negative else np.zeros(x.shape, np.bool_)
    return negative | np.isposinf(x) if op.detect_positive else negative


def _is_nan(op: graph.IsNanOp, x: Array) -> Array:
    return np.isnan(widen(x))


def _reciprocal(x: Array) -> Array:
    return 1 / x


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _error_function(x: Array) -> Array:
    return np.asarray(_erf(x.astype(np.float64)), dtype=np.float64)


def _identity(x: Array) -> Array:
    return x


MEANINGS: dict[type[Operation], Meaning] = {
    graph.AbsOp: _unary(np.abs),
    graph.NegOp: _unary(np.negative),
    graph.SignOp: _unary(np.sign),
    graph.CeilOp: _unary(np.ceil),
    graph.FloorOp: _unary(np.floor),
    graph.RoundOp: _unary(np.rint),
    graph.ExpOp: _unary(np.exp),
    graph.LogOp: _unary(np.log),
    graph.SqrtOp: _unary(np.sqrt),
    graph.RsqrtOp: _unary(_rsqrt),
    graph.ReciprocalOp: _unary(_reciprocal),
    graph.SinOp: _unary(np.sin),
    graph.CosOp: _unary(np.cos),
    graph.TanOp: _unary(np.tan),
    graph.AsinOp: _unary(np.arcsin),
    graph.AcosOp: _unary(np.arccos),
    graph.AtanOp: _unary(np.arctan),
    graph.SinhOp: _unary(np.sinh),
    graph.CoshOp: _unary(np.cosh),
    graph.TanhOp: _unary(np.tanh),
    graph.AsinhOp: _unary(np.arcsinh),
    graph.AcoshOp: _unary(np.arccosh),
    graph.AtanhOp: _unary(np.arctanh),
    graph.ErfOp: _unary(_error_function),
    graph.SigmoidOp: _unary(_sigmoid),
    graph.LogicalNotOp: _unary(np.logical_not),
    graph.BitwiseNotOp: _unary(np.invert),
    graph.IdentityOp: _unary(_identity),
    graph.ClampOp: _clamp,
    graph.CastOp: _cast,
    graph.IsNanOp: _is_nan,
    graph.IsInfOp: _is_inf,
}
