"""Bounds of floats that indices are computed from, as a resize computes its positions.

    %at = graph.cast (graph.maximum (graph.minimum %x, %size - 1.0), 0.0)          from 0 to the greatest size - 1

NaN lies within no bounds: a cast to integers makes it 0.
"""

from collections.abc import Callable, Sequence
from math import ceil, floor, inf, isfinite, isinf
from typing import NamedTuple

import numpy as np
from xdsl.ir import SSAValue

from s2s.analysis.network.named_sizes import range_of_numbers
from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph.base import number, type_of
from s2s.types.dtypes import to_numpy
from s2s.types.weights import WeightStore

MAX_DEPTH = 16
"""Operations that are looked through; what lies behind them is taken for any number."""


class FloatBounds(NamedTuple):
    """All elements but NaN lie from `least` to `most`."""

    least: float = -inf
    most: float = inf

    @property
    def is_finite(self) -> bool:
        """Whether there are both bounds."""
        return isfinite(self.least) and isfinite(self.most)


ANY = FloatBounds()


def float_range(value: SSAValue, weights: WeightStore, depth: int = MAX_DEPTH) -> FloatBounds:
    """Return bounds that all elements of `value`, floats, lie within in every run but for NaN."""
    known = known_value(value, weights)
    if known is not None:
        numbers = known[~np.isnan(known)] if known.dtype.kind == "f" else known
        return FloatBounds(float(numbers.min()), float(numbers.max())) if numbers.size else ANY
    if depth == 0:
        return ANY
    match value.owner:
        case graph.SizeValuesOp():
            sizes = range_of_numbers(value.owner)
            return ANY if sizes is None else _rounded(FloatBounds(float(sizes.least), float(sizes.most)), value)
        case (
            graph.ReshapeOp(x=x)
            | graph.BroadcastToOp(x=x)
            | graph.TransposeOp(x=x)
            | graph.SliceOp(x=x)
            | graph.DynamicSliceOp(x=x)
        ):
            return float_range(x, weights, depth - 1)
        case graph.ClampOp(x=x, min=least, max=most):
            ends = (number(least), number(most))
            low, high = (end if end is None else float(end) for end in ends)
            return _limited(float_range(x, weights, depth - 1), low, high)
        case graph.CastOp(x=x):
            return _rounded(float_range(x, weights, depth - 1), value)
        case graph.FloorOp(x=x) | graph.CeilOp(x=x) | graph.RoundOp(x=x):
            found = float_range(x, weights, depth - 1)
            return FloatBounds(_whole(found.least, floor), _whole(found.most, ceil))
        case graph.MinimumOp() | graph.MaximumOp() | graph.AddOp() | graph.SubOp():
            a, b = (float_range(each, weights, depth - 1) for each in (value.owner.a, value.owner.b))
            return _of_two(value.owner, a, b)
        case _:
            return ANY


def _whole(end: float, rounded: Callable[[float], int]) -> float:
    return end if isinf(end) else float(rounded(end))


def _limited(bounds: FloatBounds, least: float | None, most: float | None) -> FloatBounds:
    """The bounds of `minimum(maximum(x, least), most)`."""
    low, high = bounds
    if least is not None:
        low, high = max(low, least), max(high, least)
    if most is not None:
        low, high = min(low, most), min(high, most)
    return FloatBounds(low, high)


def _of_two(op: graph.BinaryElementwiseOp, a: FloatBounds, b: FloatBounds) -> FloatBounds:
    match op:
        case graph.MinimumOp():
            return FloatBounds(min(a.least, b.least), min(a.most, b.most))
        case graph.MaximumOp():
            return FloatBounds(max(a.least, b.least), max(a.most, b.most))
        case graph.AddOp():
            ends: Sequence[float] = (a.least + b.least, a.most + b.most)
        case _:
            ends = (a.least - b.most, a.most - b.least)
    return _rounded(FloatBounds(*ends), op.y)


def _rounded(bounds: FloatBounds, value: SSAValue) -> FloatBounds:
    """The bounds in the type of `value`: rounding keeps the order of numbers, so ends are rounded as elements are."""
    kind = to_numpy(type_of(value).element_type)
    with np.errstate(over="ignore"):
        return FloatBounds(*(float(np.array(end).astype(kind)) for end in bounds))
