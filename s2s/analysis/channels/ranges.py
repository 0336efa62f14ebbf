"""Bound the elements of each channel of the tensors of a network, from its constants.

    %s = graph.conv %x, %w, %b      with x from -128 to 127, and filters (0, 0) and (2, -1), biases 70 and 5
    %y = graph.rescale %s …         by a half, saturated to i8

Channel 0 of %s is 70, channel 1 lies between 5 + 2 * -128 - 127 = -378 and 5 + 2 * 127 + 128 = 387; of %y they are 35
and [-128, 127]. A channel whose interval is one number is a constant. At the border of a padded layer taps are missing:
what a tap adds then lies between zero and what it adds inside.

Bounds hold for all inputs of the network; of floats, for all finite ones for which no intermediate result overflows.
Intervals of floats are widened by what rounding may add, unless they are one number: it then differs from what a
kernel computes by rounding alone, and not at all if it is the bias of a filter of zeros.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.channels.carried import ABSENT, Carried
from s2s.analysis.channels.elementwise import Evaluate, elementwise_range
from s2s.analysis.channels.intervals import Interval, everything, hull, whole
from s2s.analysis.channels.layers import Layer
from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import number
from s2s.types.dtypes import Array, as_tensor_type, is_float, to_numpy
from s2s.types.weights import WeightStore

Ranges = Mapping[SSAValue, Interval]
EXACT_INTEGERS = 2.0**53
"""Sums of integers below this are exact in f64."""


class Spread(NamedTuple):
    """The least and the largest sum of each output channel, and whether they are equal."""

    low: Array
    high: Array
    constant: Array


def layer_range(layer: Layer, x: Interval) -> Interval:
    """Return the intervals of the output channels of a layer, computed from the intervals of its input channels."""
    element = as_tensor_type(layer.op.y.type).element_type
    bias = np.zeros(layer.outputs) if layer.bias is None else layer.bias.astype(np.float64)
    spread = _sums(layer, x)
    dtype = to_numpy(element)
    low, high = spread.low + bias, spread.high + bias
    if is_float(element):
        return _rounded(Spread(low, high, spread.constant), layer, x, dtype)
    info = np.iinfo(dtype)
    fits = (low >= max(info.min, -EXACT_INTEGERS)) & (high <= min(info.max, EXACT_INTEGERS))
    every = everything(element, layer.outputs)
    return Interval(
        np.where(fits, np.where(fits, low, 0).astype(dtype), every.low),
        np.where(fits, np.where(fits, high, 0).astype(dtype), every.high),
    )


def _sums(layer: Layer, x: Interval) -> Spread:
    """Bound the sums of products, without the bias; a sum is unbounded if it reads a channel without bounds."""
    low, high = (np.broadcast_to(end.astype(np.float64), layer.inputs) - layer.input_zp for end in x)
    bounded = np.isfinite(low) & np.isfinite(high)
    if not bounded.any():
        ends = np.where(layer.silent, 0.0, np.inf)
        return Spread(-ends, ends, layer.silent)
    low, high = (np.where(bounded, end, 0).reshape(layer.groups, -1, 1) for end in (low, high))
    sums = np.zeros((layer.groups, layer.outputs // layer.groups, 3))
    for taps, ends in _taps(layer, low, high):
        positive, negative = _signed(layer, taps)
        between = ends[1] - ends[0]
        sums += positive @ np.concatenate([*ends, between], axis=2)
        sums += negative @ np.concatenate([*reversed(ends), -between], axis=2)
    least, largest, width = sums[..., 0], sums[..., 1], sums[..., 2]
    unbounded = np.zeros(layer.outputs, np.bool_)
    if not bounded.all():
        unbounded = np.any(layer.reads & ~bounded.reshape(layer.groups, 1, -1), axis=2).reshape(-1)
    least, largest = np.where(unbounded, -np.inf, least.reshape(-1)), np.where(unbounded, np.inf, largest.reshape(-1))
    return Spread(least, largest, ~unbounded & (width.reshape(-1) == 0))


def _signed(layer: Layer, taps: Array) -> tuple[Array, Array]:
    """The sums over `taps` of positive and of negative weights: [groups, outputs of a group, inputs of a group]."""
    weights = (layer.weights if taps.all() else layer.weights[..., taps]).astype(np.float64)
    if layer.weight_zp:
        weights -= layer.weight_zp
    positive, negative = np.maximum(weights, 0), np.minimum(weights, 0, out=weights)
    if weights.shape[3] == 1:
        return positive[..., 0], negative[..., 0]
    return positive.sum(axis=3), negative.sum(axis=3)


def _taps(layer: Layer, low: Array, high: Array) -> list[tuple[Array, tuple[Array, Array]]]:
    """The taps that every position has, and the taps that some positions miss, with the ends of what they read."""
    missing = layer.missing
    parts = [(~missing, (low, high)), (missing, (np.minimum(low, 0), np.maximum(high, 0)))]
    return [(taps, ends) for taps, ends in parts if taps.any()]


def _rounded(spread: Spread, layer: Layer, x: Interval, dtype: np.dtype[Any]) -> Interval:
    """Widen the sums of floats by what the rounding of each of their terms may add; constants stay one number."""
    finite = np.isfinite(spread.low) & np.isfinite(spread.high)
    if np.all(spread.constant | ~finite):
        with np.errstate(over="ignore"):
            return Interval(spread.low.astype(dtype), spread.high.astype(dtype))
    taps = layer.filters.shape[1] * layer.filters.shape[2]
    largest = np.nanmax(np.abs(np.where(np.isfinite(x.low), x.low, 0)), initial=0)
    largest = max(largest, np.nanmax(np.abs(np.where(np.isfinite(x.high), x.high, 0)), initial=0))
    info = np.finfo(dtype)
    magnitude = np.abs(layer.filters.astype(np.float64)).sum(axis=(1, 2)) * float(largest) + np.abs(
        np.zeros(1) if layer.bias is None else layer.bias.astype(np.float64)
    )
    error = np.where(spread.constant | ~finite, 0, 2 * (taps + 2) * float(info.eps) * magnitude)
    fits = finite & (np.maximum(np.abs(spread.low), np.abs(spread.high)) + error < float(info.max))
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = (spread.low - error).astype(dtype), (spread.high + error).astype(dtype)
    return Interval(np.where(fits, low, -np.inf).astype(dtype), np.where(fits, high, np.inf).astype(dtype))


def carried_range(op: Operation, carried: Carried, ranges: Ranges, store: WeightStore, evaluate: Evaluate) -> Interval:
    """Return the intervals of the result of an operation that hands channels on."""
    channels = next(iter(carried.sources.values())).size
    moved = {n: _moved(range_of(op.operands[n], ranges), source) for n, source in carried.sources.items()}
    match op:
        case graph.MaxPoolOp() if _is_covered(op):
            return moved[0]
        case graph.AvgPoolOp():
            return hull(moved[0], 0) if any(op.counted_pads.get_values()) else moved[0]
        case graph.SameAvgPoolOp() | graph.ReduceMaxOp() | graph.ReduceMinOp() | graph.ReduceMeanOp():
            return moved[0]
        case graph.TransposeOp() | graph.ReshapeOp() | graph.BroadcastToOp() | graph.TileOp() | graph.SliceOp():
            return moved[0]
        case graph.GatherOp():
            return moved[0]
        case graph.PadOp():
            return _padded(op, carried, moved[0])
        case graph.ConcatOp():
            return _joined(op, carried, ranges)
        case _ if fusion_kind(op) <= FusionKind.BROADCAST:
            operands = [
                moved[n] if n in moved else _operand_range(op, n, carried, ranges, store)
                for n in range(len(op.operands))
            ]
            return elementwise_range(op, carried.axis, channels, operands, evaluate)
        case _:
            return everything(as_tensor_type(op.results[0].type).element_type, channels)


def range_of(value: SSAValue, ranges: Ranges) -> Interval:
    """The intervals of a tensor, by default of its type."""
    return ranges[value] if value in ranges else whole(value)


def _moved(x: Interval, source: Array) -> Interval:
    """The intervals of the channels that come from `x`; other channels have the intervals of its first one."""
    if x.low.size == 1:
        return Interval(np.broadcast_to(x.low, source.size), np.broadcast_to(x.high, source.size))
    return Interval(x.low[np.maximum(source, 0)], x.high[np.maximum(source, 0)])


def _operand_range(op: Operation, number: int, carried: Carried, ranges: Ranges, store: WeightStore) -> Interval:
    """The intervals of an operand that does not carry channels."""
    operand = op.operands[number]
    value = known_value(operand, store)
    if value is None or value.size == 0:
        known = range_of(operand, ranges)
        return Interval(known.low.min(keepdims=True), known.high.max(keepdims=True))
    if isinstance(op, graph.TableOp):
        return Interval(value, value)
    along = carried.parameters.get(number)
    others = tuple(axis for axis in range(value.ndim) if axis != along)
    return Interval(np.atleast_1d(value.min(axis=others)), np.atleast_1d(value.max(axis=others)))


def _is_covered(op: graph.MaxPoolOp) -> bool:
    """Return whether every window holds an element of the image."""
    window = op.window()
    return all(pad < extent for pad, extent in zip(window.pads, [*window.extent, *window.extent], strict=True))


def _padded(op: graph.PadOp, carried: Carried, x: Interval) -> Interval:
    """Channels that padding adds are its value; others have it at their border."""
    if op.mode.data != "constant":
        return x
    value = x.low.dtype.type(number(op.value) or 0)
    along = [n for n in range(len(op.low.get_values())) if n != carried.axis]
    at_border = any(op.low.get_values()[n] > 0 or op.high.get_values()[n] > 0 for n in along)
    inside = hull(x, value) if at_border else x
    absent = carried.sources[0] == ABSENT
    return Interval(np.where(absent, value, inside.low), np.where(absent, value, inside.high))


def _joined(op: graph.ConcatOp, carried: Carried, ranges: Ranges) -> Interval:
    """The intervals of the part that each channel comes from; all that are side by side count."""
    element = as_tensor_type(op.y.type).element_type
    every = everything(element, next(iter(carried.sources.values())).size)
    low, high = every.high.copy(), every.low.copy()
    touched = np.zeros(low.size, np.bool_)
    for n, source in carried.sources.items():
        part, present = _moved(range_of(op.inputs[n], ranges), source), source != ABSENT
        low = np.where(present, np.minimum(low, part.low), low)
        high = np.where(present, np.maximum(high, part.high), high)
        touched |= present
    return Interval(np.where(touched, low, every.low), np.where(touched, high, every.high))
