"""What the elements of an operator's result read along the frames of its operands.

Frames lie along one axis of a tensor. Element `i` of `y = conv(x)` with three taps and no padding reads elements `i` to
`i + 2` of `x` along that axis, so that the taps of its first operand are `Taps(1, 0, 3)`. A mean over the axis reads
all frames for each element: it has no rule.
"""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.dialects.graph.reduce import ReduceOp
from s2s.support.frozen import frozen
from s2s.types.shapes.window import spatial_axes


@frozen
class Frames:
    """The axis of a tensor along which the frames of a window lie."""

    axis: int
    low: int
    high: int
    """Elements from `low` on and before `high` read no padding."""


@frozen
class Taps:
    """What an element of a result reads of an operand: elements `i * stride + offset`, and `extent` in all."""

    stride: int = 1
    offset: int = 0
    extent: int = 1

    def range(self, begin: int, end: int) -> tuple[int, int]:
        """The elements of the operand that elements `begin` to `end - 1` of the result read."""
        return begin * self.stride + self.offset, (end - 1) * self.stride + self.offset + self.extent


@frozen
class Rule:
    """The axis of a result along which its frames lie, and what its elements read of operands along theirs."""

    axis: int
    taps: Mapping[int, Taps]
    """By the number of the operand; operands without taps are read whole by each element."""


Framed = Mapping[int, Frames]
"""The frames of the operands that have any, by number."""


def rule_of(op: Operation, framed: Framed) -> Rule | None:
    """Return what the elements of the result of `op` read along the frames of its operands; None if an element reads
    more than a few frames, or frames along several axes."""
    if not framed:
        return None
    for kind, rule in RULES.items():
        if isinstance(op, kind):
            return rule(op, framed)
    if fusion_kind(op) in (FusionKind.ELEMENTWISE, FusionKind.BROADCAST):
        return _broadcast(op, framed)
    return None


def _broadcast(op: Operation, framed: Framed) -> Rule | None:
    """Elements of one place; operands of one element along the axis, which all elements read, may be anything."""
    rank = type_of(op.results[0]).get_num_dims()
    shapes = [(1,) * (rank - len(shape)) + shape for shape in (type_of(each).get_shape() for each in op.operands)]
    axes = {
        number: frames.axis + rank - type_of(op.operands[number]).get_num_dims() for number, frames in framed.items()
    }
    shape = type_of(op.results[0]).get_shape()
    along = {number: axis for number, axis in axes.items() if shapes[number][axis] == shape[axis]}
    if len(set(along.values())) != 1:
        return None
    axis = next(iter(along.values()))
    if any(each[axis] != 1 for number, each in enumerate(shapes) if number not in along):
        return None
    return Rule(axis, dict.fromkeys(along, Taps()))


def _first(op: Operation, framed: Framed) -> Frames | None:
    """Return the frames of the first operand if no other one has any."""
    return framed[0] if list(framed) == [0] else None


def _along_another(axis_of: Callable[[Operation, Frames], bool]) -> "Callable[[Operation, Framed], Rule | None]":
    """Make the rule of operators that compute along any axis but one for which `axis_of` is true."""

    def rule(op: Operation, framed: Framed) -> Rule | None:
        frames = _first(op, framed)
        return None if frames is None or axis_of(op, frames) else Rule(frames.axis, {0: Taps()})

    return rule


def _is_channel(_: Operation, frames: Frames) -> bool:
    return frames.axis == 1


def _is_scaled(op: Operation, frames: Frames) -> bool:
    assert isinstance(op, graph.RescaleOp)
    return frames.axis == op.channel_axis


def _is_normalised(op: Operation, frames: Frames) -> bool:
    assert isinstance(op, graph.SoftmaxOp | graph.LogSoftmaxOp)
    return frames.axis == op.axis.value.data


def _is_within_layer(op: Operation, frames: Frames) -> bool:
    assert isinstance(op, graph.LayerNormOp)
    return frames.axis >= op.axis.value.data


def _never(_: Operation, __: Frames) -> bool:
    return False


def _window(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, graph.ConvOp | PoolOp)
    frames = _first(op, framed)
    axes = list(spatial_axes(op.data_layout, type_of(op.x).get_num_dims()))
    if frames is None or frames.axis not in axes:
        return None
    window, place = op.window(), axes.index(frames.axis)
    return Rule(frames.axis, {0: Taps(window.strides[place], -window.low[place], window.extent[place])})


def _product(op: Operation, framed: Framed) -> Rule | None:
    """Rows are frames, if the second factor is one matrix."""
    assert isinstance(op, graph.MatmulOp)
    frames = _first(op, framed)
    rank = type_of(op.a).get_num_dims()
    if frames is None or type_of(op.b).get_num_dims() != len(("k", "n")) or frames.axis >= rank - 1:
        return None
    return None if op.transpose_a is not None else Rule(frames.axis, {0: Taps()})


def _transposed(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, graph.TransposeOp)
    return Rule(list(op.perm.get_values()).index(framed[0].axis), {0: Taps()})


def _reshaped(op: Operation, framed: Framed) -> Rule | None:
    """The axis stays, behind as many elements."""
    assert isinstance(op, graph.ReshapeOp)
    before, after, axis = type_of(op.x).get_shape(), type_of(op.y).get_shape(), framed[0].axis
    for place, size in enumerate(after):
        if size == before[axis] and prod(after[:place]) == prod(before[:axis]):
            return Rule(place, {0: Taps()})
    return None


def _sliced(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, graph.SliceOp)
    axis = framed[0].axis
    stride = op.strides.get_values()[axis]
    return None if stride < 1 else Rule(axis, {0: Taps(stride, op.starts.get_values()[axis])})


def _padded(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, graph.PadOp)
    axis = framed[0].axis
    return Rule(axis, {0: Taps(offset=-op.low.get_values()[axis])})


def _joined(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, graph.ConcatOp)
    axes = {frames.axis for frames in framed.values()}
    if len(framed) < len(op.operands) or len(axes) > 1 or op.axis.value.data in axes:
        return None
    return Rule(axes.pop(), dict.fromkeys(framed, Taps()))


def _reduced(op: Operation, framed: Framed) -> Rule | None:
    assert isinstance(op, ReduceOp)
    axes, axis = op.axes.get_values(), framed[0].axis
    if axis in axes:
        return None
    gone = 0 if op.keepdims is not None else sum(each < axis for each in axes)
    return Rule(axis - gone, {0: Taps()})


RULES: Mapping[type[Operation], Callable[[Operation, Framed], Rule | None]] = {
    graph.ConvOp: _window,
    graph.AvgPoolOp: _window,
    graph.MaxPoolOp: _window,
    graph.MatmulOp: _product,
    graph.TransposeOp: _transposed,
    graph.ReshapeOp: _reshaped,
    graph.SliceOp: _sliced,
    graph.PadOp: _padded,
    graph.ConcatOp: _joined,
    ReduceOp: _reduced,
    graph.SoftmaxOp: _along_another(_is_normalised),
    graph.LogSoftmaxOp: _along_another(_is_normalised),
    graph.LayerNormOp: _along_another(_is_within_layer),
    graph.LrnOp: _along_another(_is_channel),
    graph.BatchNormOp: _along_another(_is_channel),
    graph.RescaleOp: _along_another(_is_scaled),
    graph.TableOp: _along_another(_never),
}
