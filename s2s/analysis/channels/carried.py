"""Find which channels of its operands an operation hands on to each channel of its result.

    %y = graph.concat %a, %b {axis = 1} : (tensor<1x2x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x5x8x8xf32>

With channels along axis 1 of both operands, channel 3 of `%y` is channel 1 of `%b` and no channel of `%a`:

    axis 1, sources {0: [0, 1, -1, -1, -1], 1: [-1, -1, 0, 1, 2]}

Elementwise operations, pools, transposes, slices, pads, reshapes that keep the axis or merge it with others, and
reductions along other axes carry channels. Layers do not: each of their results is computed of all channels
(`s2s/analysis/channels/layers.py`).
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.numbers.known_values import is_known, known_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import GraphOp
from s2s.dialects.graph.pool import PoolOp
from s2s.dialects.graph.reduce import ReduceOp
from s2s.types.dtypes import Array, as_tensor_type
from s2s.types.shapes.window import channel_axis
from s2s.types.weights import WeightStore

Axes = Mapping[SSAValue, int]
"""The axis that counts channels, of the tensors that have one."""
ABSENT = -1
"""The channel of an operand that does not hold the channel of the result."""


class Carried(NamedTuple):
    """How an operation hands channels on."""

    axis: int
    """Of the result."""
    sources: Mapping[int, Array]
    """By the number of an operand, the channel of it that each channel of the result is, or `ABSENT`."""
    parameters: Mapping[int, int] = {}
    """By the number of a constant operand with an element for each channel, the axis that counts them."""


def carried(op: Operation, axes: Axes, store: WeightStore) -> Carried | None:
    """Return how `op` hands on the channels of its operands; None if it mixes them, or if no operand has any."""
    if not isinstance(op, GraphOp) or not any(operand in axes for operand in op.operands):
        return None
    rule = next((_RULES[kind] for kind in type(op).__mro__ if kind in _RULES), None)
    if rule is not None:
        return rule(op, axes, store)
    return _elementwise(op, axes) if fusion_kind(op) <= FusionKind.BROADCAST else None


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor, at the greatest sizes where they vary."""
    return as_tensor_type(value.type).get_shape()


def _same(axis: int, channels: int) -> Carried:
    return Carried(axis, {0: np.arange(channels)})


def _elementwise(op: Operation, axes: Axes) -> Carried | None:
    """Channels along one axis of all operands, counted from the last one as broadcasting does."""
    ranks = [len(shape_of(operand)) for operand in op.operands]
    places = {axes[operand] - rank for operand, rank in zip(op.operands, ranks, strict=True) if operand in axes}
    shape = shape_of(op.results[0])
    if len(places) != 1 or len(shape) + min(places) < 0:
        return None
    [place] = places
    channels = shape[place]
    sources: dict[int, Array] = {}
    parameters: dict[int, int] = {}
    for number, (operand, rank) in enumerate(zip(op.operands, ranks, strict=True)):
        if rank < -place or shape_of(operand)[place] == 1 != channels:
            continue
        if operand in axes:
            sources[number] = np.arange(channels)
        elif is_known(operand):
            parameters[number] = rank + place
        else:
            return None
    return Carried(len(shape) + place, sources, parameters) if sources else None


def _rescale(op: graph.RescaleOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis = axes.get(op.x)
    if axis is None:
        return None
    along = [number for number in (1, 2) if shape_of(op.operands[number])]
    if along and (op.channel_axis != axis or not all(is_known(op.operands[number]) for number in along)):
        return None
    return Carried(axis, {0: np.arange(shape_of(op.x)[axis])}, dict.fromkeys(along, 0))


def _table(op: graph.TableOp, axes: Axes, _: WeightStore) -> Carried | None:
    return _same(axes[op.x], shape_of(op.x)[axes[op.x]]) if op.x in axes else None


def _pool(op: PoolOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis = channel_axis(op.data_layout, len(shape_of(op.x)))
    if isinstance(op, graph.MaxPoolIndicesOp) or axes[op.x] != axis:
        return None
    return _same(axis, shape_of(op.x)[axis])


def _transpose(op: graph.TransposeOp, axes: Axes, _: WeightStore) -> Carried:
    axis = axes[op.x]
    return _same(list(op.perm.get_values()).index(axis), shape_of(op.x)[axis])


def _reshape(op: graph.ReshapeOp, axes: Axes, _: WeightStore) -> Carried | None:
    """An axis that stays, or is merged with some before and behind it.

    [2, 3, 4] with three channels under the shape [2, 12] has the channels 0 0 0 0 1 1 1 1 2 2 2 2 along axis 1.
    """
    old, new, axis = shape_of(op.x), shape_of(op.y), axes[op.x]
    before, channels, behind = prod(old[:axis]), old[axis], prod(old[axis + 1 :])
    for number, size in enumerate(new):
        outer, inner = prod(new[:number]), prod(new[number + 1 :])
        if 0 in (outer, inner) or before % outer or behind % inner:
            continue
        merged, repeated = before // outer, behind // inner
        if size == merged * channels * repeated and size > 0:
            one = np.repeat(np.arange(channels), repeated)
            return Carried(number, {0: np.tile(one, merged)})
    return None


def _broadcast(op: graph.BroadcastToOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis, grown = axes[op.x], len(shape_of(op.y)) - len(shape_of(op.x))
    channels = shape_of(op.x)[axis]
    return _same(axis + grown, channels) if shape_of(op.y)[axis + grown] == channels else None


def _tile(op: graph.TileOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis = axes[op.x]
    return _same(axis, shape_of(op.x)[axis]) if op.repeats.get_values()[axis] == 1 else None


def _slice(op: graph.SliceOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis = axes[op.x]
    start, size, step = (each.get_values()[axis] for each in (op.starts, op.sizes, op.strides))
    return Carried(axis, {0: start + np.arange(size)}) if step == 1 or size == 1 else None


def _pad(op: graph.PadOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis = axes[op.x]
    low, high = op.low.get_values()[axis], op.high.get_values()[axis]
    if (low or high) and (op.mode.data != "constant" or min(low, high) < 0):
        return None
    inside = np.arange(shape_of(op.x)[axis])
    return Carried(axis, {0: np.pad(inside, (low, high), constant_values=ABSENT)})


def _concat(op: graph.ConcatOp, axes: Axes, _: WeightStore) -> Carried | None:
    """Channels one after the other, or side by side where another axis grows."""
    places = {axes[operand] for operand in op.inputs if operand in axes}
    if len(places) != 1:
        return None
    [axis] = places
    if axis != op.axis.value.data:
        every = all(operand in axes for operand in op.inputs)
        return Carried(axis, {n: np.arange(shape_of(op.y)[axis]) for n in range(len(op.inputs))}) if every else None
    sources: dict[int, Array] = {}
    first = 0
    for number, operand in enumerate(op.inputs):
        count = shape_of(operand)[axis]
        if operand in axes:
            sources[number] = np.full(shape_of(op.y)[axis], ABSENT)
            sources[number][first : first + count] = np.arange(count)
        first += count
    return Carried(axis, sources)


def _gather(op: graph.GatherOp, axes: Axes, store: WeightStore) -> Carried | None:
    """Rows along another axis, or constant numbers of channels."""
    if op.x not in axes or op.indices in axes:
        return None
    axis, along, rank = axes[op.x], op.axis.value.data, len(shape_of(op.indices))
    channels = shape_of(op.x)[axis]
    if axis != along:
        return _same(axis if axis < along else axis + rank - 1, channels)
    numbers = known_value(op.indices, store)
    if numbers is None or rank != 1:
        return None
    return Carried(axis, {0: numbers.astype(np.int64) % channels}, {1: 0})


def _reduce(op: ReduceOp, axes: Axes, _: WeightStore) -> Carried | None:
    axis, reduced = axes[op.x], op.axes.get_values()
    if axis in reduced:
        return None
    gone = 0 if op.keepdims is not None else sum(each < axis for each in reduced)
    return _same(axis - gone, shape_of(op.x)[axis])


def _mixed(op: Operation, axes: Axes, _: WeightStore) -> None:
    return None


Rule = Callable[[Any, Axes, WeightStore], Carried | None]
_RULES: Mapping[type, Rule] = {
    graph.RescaleOp: _rescale,
    graph.TableOp: _table,
    graph.BatchNormOp: _mixed,
    PoolOp: _pool,
    graph.TransposeOp: _transpose,
    graph.ReshapeOp: _reshape,
    graph.BroadcastToOp: _broadcast,
    graph.TileOp: _tile,
    graph.SliceOp: _slice,
    graph.PadOp: _pad,
    graph.ConcatOp: _concat,
    graph.GatherOp: _gather,
    ReduceOp: _reduce,
}
