"""Bound the results of elementwise operations, by evaluating them at the ends of their operands' intervals.

    %y = graph.clamp %x {min = 0, max = 6}      x in [-3, 9]: y in [clamp(-3), clamp(9)] = [0, 6]
    %y = graph.mul %a, %b                       a in [-2, 3], b in [-5, 1]: y in [3 * -5, -2 * -5] = [-15, 10]

This holds for operations that are monotone in each operand where the others do not change. Where all operands are one
number, it holds for any operation. Integers must not wrap around on the way; where they may, nothing is known.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.channels.intervals import Interval, everything
from s2s.dialects import graph
from s2s.types.dtypes import Array, as_tensor_type, is_float

Evaluate: TypeAlias = Callable[[Operation, Sequence[Array]], Array | None]
"""Computes an operation on arrays that broadcast to its operands; None for operations without a numpy meaning."""
_Corner: TypeAlias = tuple[Array, ...]

ROUNDED = (
    graph.IdentityOp,
    graph.ClampOp,
    graph.CastOp,
    graph.RescaleOp,
    graph.RoundOp,
    graph.FloorOp,
    graph.CeilOp,
    graph.SignOp,
    graph.NegOp,
    graph.SqrtOp,
    graph.AddOp,
    graph.SubOp,
    graph.MulOp,
    graph.DivOp,
    graph.MaximumOp,
    graph.MinimumOp,
    graph.PreluOp,
)
"""Monotone operations whose results are exact, or the nearest floats to the exact ones; a prelu is monotone on both
sides of zero."""
CURVED = (graph.SigmoidOp, graph.TanhOp, graph.ExpOp, graph.LogOp, graph.ErfOp, graph.AtanOp, graph.SinhOp)
"""Monotone functions, which kernels compute to a few units in the last place."""
CURVED_ERROR = 1e-5
"""A bound of their error: relative, and absolute near zero."""


def elementwise_range(
    op: Operation, axis: int, channels: int, operands: Sequence[Interval], evaluate: Evaluate
) -> Interval:
    """Return the intervals of the channels of `op`, which count along `axis` of its result."""
    every = everything(as_tensor_type(op.results[0].type).element_type, channels)
    if isinstance(op, graph.TableOp):
        return _looked_up(operands[0], operands[1].low, channels)
    constant = np.broadcast_to(np.all([np.broadcast_to(x.constant, channels) for x in operands], axis=0), channels)
    is_monotone = isinstance(op, ROUNDED + CURVED)
    if not constant.any() and not is_monotone:
        return every
    point = _Point(op, axis, channels, evaluate)
    at = point.at(tuple(x.low for x in operands))
    if at is None:
        return every
    low, high = _monotone(point, every, operands) if is_monotone else every
    return Interval(np.where(constant, at, low), np.where(constant, at, high))


class _Point(NamedTuple):
    """An operation to be evaluated on one number for each channel of each operand."""

    op: Operation
    axis: int
    channels: int
    evaluate: Evaluate

    def at(self, numbers: Sequence[Array]) -> Array | None:
        """Return the results, one for each channel."""
        rank = len(as_tensor_type(self.op.results[0].type).get_shape())
        shape = [-1 if each == self.axis else 1 for each in range(rank)]
        plain = isinstance(self.op, graph.RescaleOp)
        arrays = [number if plain and n > 0 else number.reshape(shape) for n, number in enumerate(numbers)]
        result = self.evaluate(self.op, arrays)
        return None if result is None else np.broadcast_to(result.reshape(-1), self.channels)


def _monotone(point: _Point, every: Interval, operands: Sequence[Interval]) -> Interval:
    """Return the hull of the results at all corners of the operands' intervals."""
    op = point.op
    ends = [(x.low,) if np.array_equal(x.low, x.high) else (x.low, x.high) for x in operands]
    corners: list[_Corner] = list(product(*ends))
    if isinstance(op, graph.PreluOp):
        x = operands[0]
        turn = np.minimum(np.maximum(x.low, 0), x.high)
        corners += [(turn, *rest) for rest in product(*ends[1:])]
    results = np.stack([found for corner in corners if (found := point.at(corner)) is not None])
    low, high = results.min(axis=0), results.max(axis=0)
    holds = np.broadcast_to(_holds(op, operands, corners), point.channels) & ~np.isnan(low) & ~np.isnan(high)
    if isinstance(op, CURVED):
        margin = CURVED_ERROR * np.maximum(np.abs(low), np.abs(high)) + CURVED_ERROR
        low, high = (low - margin).astype(low.dtype), (high + margin).astype(high.dtype)
    return Interval(np.where(holds, low, every.low), np.where(holds, high, every.high))


def _holds(op: Operation, operands: Sequence[Interval], corners: Sequence[_Corner]) -> Array:
    """Return for each channel whether `op` is monotone on the intervals: integers do not wrap, no divisor is zero."""
    match op:
        case graph.DivOp():
            divisor = operands[1]
            return (divisor.low > 0) | ((divisor.high < 0) & (divisor.low.dtype.kind == "f"))
        case graph.RescaleOp():
            return _rescale_holds(op, operands)
        case graph.AddOp() | graph.SubOp() | graph.MulOp() | graph.NegOp() | graph.CastOp() | graph.PreluOp():
            return _fits(op, corners)
        case _:
            return np.ones(1, np.bool_)


def _fits(op: Operation, corners: Sequence[_Corner]) -> Array:
    """Return for each channel whether the exact results at all corners fit an integer type; floats always do."""
    element = as_tensor_type(op.results[0].type).element_type
    floats = corners[0][0].dtype.kind == "f"
    if is_float(element) or (isinstance(op, graph.CastOp) and floats):
        return np.ones(1, np.bool_)
    every = everything(element, 1)
    if every.low.dtype == np.bool_:
        return np.zeros(1, np.bool_)
    exact = np.stack([_exact(op, [x.astype(np.float64) for x in corner]) for corner in corners])
    return np.all((exact >= float(every.low[0])) & (exact <= float(every.high[0])), axis=0)


def _exact(op: Operation, numbers: Sequence[Array]) -> Array:
    match op:
        case graph.AddOp():
            return numbers[0] + numbers[1]
        case graph.SubOp():
            return numbers[0] - numbers[1]
        case graph.MulOp():
            return numbers[0] * numbers[1]
        case graph.PreluOp():
            return np.where(numbers[0] >= 0, numbers[0], numbers[0] * numbers[1])
        case graph.NegOp():
            return -numbers[0]
        case _:
            return numbers[0]


def _rescale_holds(op: graph.RescaleOp, operands: Sequence[Interval]) -> Array:
    """Return for each channel whether no step of a rescale leaves 32 bits, before its result saturates."""
    x, multiplier, shift = ([end.astype(np.float64) for end in each] for each in operands)
    input_zp, output_zp = op.zero_points
    largest = np.maximum(np.abs(x[0] - input_zp), np.abs(x[1] - input_zp))
    shifted = largest * 2.0 ** np.maximum(shift[1], 0)
    scaled = largest * np.abs(multiplier[1]) * 2.0 ** (shift[1] - 31)
    room = 2.0**31 - 2 - abs(output_zp)
    return (scaled < room) & ((shifted < 2.0**31) | (op.rounding_mode != "double"))


def _looked_up(x: Interval, table: Array, channels: int) -> Interval:
    """Return the least and the largest entry of a table between two places."""
    first = int(np.iinfo(x.low.dtype).min)
    places = [(int(low) - first, int(high) - first + 1) for low, high in zip(x.low, x.high, strict=True)]
    least = np.asarray([table[begin:end].min() for begin, end in places], table.dtype)
    largest = np.asarray([table[begin:end].max() for begin, end in places], table.dtype)
    return Interval(np.broadcast_to(least, channels), np.broadcast_to(largest, channels))
