"""Find the tensors of a network over a sliding window whose elements only move from one run to the next.

The window `x` of 98 frames moves on by one frame a run: element `i` is what element `i + 1` was the run before. So is
element `i` of `y = conv(x)` with three taps and no padding, which has 96 elements: a run computes element 95 anew, from
frames 95 to 97. With a padding of one element on each side, elements 0 and 97 of `y` read padding; what was element 1
is not what element 0 is now, so only elements 1 to 96 move.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor, prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.dialects.graph.reduce import ReduceOp
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_integer, size_in_bytes
from s2s.types.shapes.window import spatial_axes


@frozen
class Slide:
    """How the elements of a tensor move along an axis: element `i` of a run is element `i + step` of the run before."""

    axis: int
    step: Fraction
    low: int
    high: int
    """Elements from `low` on and before `high` move so; those outside read padding."""


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
    """The axis of a result along which its elements move, and what they read of each operand that moves, by number."""

    axis: int
    taps: Mapping[int, Taps]


Slides = Mapping[SSAValue, Slide]


def slides_of(main: FuncOp, argument: SSAValue, axis: int, step: int = 1) -> dict[SSAValue, Slide]:
    """Return how the tensors of `main` move whose elements do, if `argument` moves by `step` elements along `axis`."""
    slides = {argument: Slide(axis, Fraction(step), 0, type_of(argument).get_shape()[axis])}
    for op in main.body.block.ops:
        rule = rule_of(op, slides)
        if rule is None:
            continue
        steps = {slides[op.operands[number]].step / taps.stride for number, taps in rule.taps.items()}
        size = type_of(op.results[0]).get_shape()[rule.axis]
        low, high = 0, size
        for number, taps in rule.taps.items():
            operand = slides[op.operands[number]]
            low = max(low, ceil(Fraction(operand.low - taps.offset, taps.stride)))
            high = min(high, floor(Fraction(operand.high - taps.offset - taps.extent, taps.stride)) + 1)
        if len(steps) == 1 and low < high:
            slides[op.results[0]] = Slide(rule.axis, steps.pop(), low, high)
    return slides


def rule_of(op: Operation, slides: Slides) -> Rule | None:
    """Return what the elements of the result of `op` read, if they move with those of its operands."""
    moving = {number: slides[operand] for number, operand in enumerate(op.operands) if operand in slides}
    if not moving:
        return None
    for kind, rule in RULES.items():
        if isinstance(op, kind):
            return rule(op, moving)
    if fusion_kind(op) in (FusionKind.ELEMENTWISE, FusionKind.BROADCAST):
        return _broadcast(op, moving)
    return None


def is_dequantised(value: SSAValue, slides: Slides) -> bool:
    """Return whether `value` is `(cast x - zero_point) * scale` of narrower integers, or a part of that formula."""
    op = value.owner
    moving = [operand for operand in op.operands if operand in slides] if isinstance(op, Operation) else []
    if len(moving) != 1:
        return False
    if isinstance(op, graph.CastOp):
        before, after = (type_of(each).element_type for each in (op.x, op.y))
        return is_integer(before) and size_in_bytes(before) < size_in_bytes(after)
    return isinstance(op, graph.SubOp | graph.MulOp) and is_dequantised(moving[0], slides)


Moving = Mapping[int, Slide]


def _broadcast(op: Operation, moving: Moving) -> Rule | None:
    """Elements of one place; other operands are the same along the axis."""
    rank = type_of(op.results[0]).get_num_dims()
    axes = {slide.axis + rank - type_of(op.operands[number]).get_num_dims() for number, slide in moving.items()}
    if len(axes) != 1:
        return None
    [axis] = axes
    size = type_of(op.results[0]).get_shape()[axis]
    for number, operand in enumerate(op.operands):
        shape = type_of(operand).get_shape()
        place = axis - (rank - len(shape))
        here = shape[place] if place >= 0 else 1
        if here != (size if number in moving else 1):
            return None
    return Rule(axis, dict.fromkeys(moving, Taps()))


def _first(op: Operation, moving: Moving) -> Slide | None:
    """Return the slide of the first operand if no other one moves."""
    return moving[0] if list(moving) == [0] else None


def _along_another(axis_of: Callable[[Operation, Slide], bool]) -> "Callable[[Operation, Moving], Rule | None]":
    """Make the rule of operators that compute along other axes than those for which `axis_of` is true."""

    def rule(op: Operation, moving: Moving) -> Rule | None:
        slide = _first(op, moving)
        return None if slide is None or axis_of(op, slide) else Rule(slide.axis, {0: Taps()})

    return rule


def _is_channel(_: Operation, slide: Slide) -> bool:
    return slide.axis == 1


def _is_scaled(op: Operation, slide: Slide) -> bool:
    assert isinstance(op, graph.RescaleOp)
    return slide.axis == op.channel_axis


def _is_normalised(op: Operation, slide: Slide) -> bool:
    assert isinstance(op, graph.SoftmaxOp | graph.LogSoftmaxOp)
    return slide.axis == op.axis.value.data


def _is_within_layer(op: Operation, slide: Slide) -> bool:
    assert isinstance(op, graph.LayerNormOp)
    return slide.axis >= op.axis.value.data


def _never(_: Operation, __: Slide) -> bool:
    return False


def _window(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, graph.ConvOp | PoolOp)
    slide = _first(op, moving)
    axes = list(spatial_axes(op.data_layout, type_of(op.x).get_num_dims()))
    if slide is None or slide.axis not in axes:
        return None
    window, place = op.window(), axes.index(slide.axis)
    return Rule(slide.axis, {0: Taps(window.strides[place], -window.low[place], window.extent[place])})


def _product(op: Operation, moving: Moving) -> Rule | None:
    """Rows move, if the second factor is one matrix."""
    assert isinstance(op, graph.MatmulOp)
    slide = _first(op, moving)
    rank = type_of(op.a).get_num_dims()
    if slide is None or type_of(op.b).get_num_dims() != len(("k", "n")) or slide.axis >= rank - 1:
        return None
    return None if op.transpose_a is not None else Rule(slide.axis, {0: Taps()})


def _transposed(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, graph.TransposeOp)
    return Rule(list(op.perm.get_values()).index(moving[0].axis), {0: Taps()})


def _reshaped(op: Operation, moving: Moving) -> Rule | None:
    """The axis stays, behind as many elements."""
    assert isinstance(op, graph.ReshapeOp)
    before, after, axis = type_of(op.x).get_shape(), type_of(op.y).get_shape(), moving[0].axis
    for place, size in enumerate(after):
        if size == before[axis] and prod(after[:place]) == prod(before[:axis]):
            return Rule(place, {0: Taps()})
    return None


def _sliced(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, graph.SliceOp)
    axis = moving[0].axis
    stride = op.strides.get_values()[axis]
    return None if stride < 1 else Rule(axis, {0: Taps(stride, op.starts.get_values()[axis])})


def _padded(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, graph.PadOp)
    axis = moving[0].axis
    return Rule(axis, {0: Taps(offset=-op.low.get_values()[axis])})


def _joined(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, graph.ConcatOp)
    axes = {slide.axis for slide in moving.values()}
    if len(moving) < len(op.operands) or len(axes) > 1 or op.axis.value.data in axes:
        return None
    return Rule(axes.pop(), dict.fromkeys(moving, Taps()))


def _reduced(op: Operation, moving: Moving) -> Rule | None:
    assert isinstance(op, ReduceOp)
    axes, axis = op.axes.get_values(), moving[0].axis
    if axis in axes:
        return None
    gone = 0 if op.keepdims is not None else sum(each < axis for each in axes)
    return Rule(axis - gone, {0: Taps()})


RULES: Mapping[type[Operation], Callable[[Operation, Moving], Rule | None]] = {
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
