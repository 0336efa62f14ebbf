"""Lowers poolings. Padding is an access that misses its operand: the reduction skips it.

    %y = graph.max_pool %x {kernel = [2], strides = [2], pads = [0, 1], dilations = [1]} : …
->
    %y = tensor.compute [N, C, P | K]
           reads(%x at #tensor.access<affine_map<(n, c, p, k) -> (n, c, p * 2 + k)>, guarded>)
           inits [-inf : f32] reduce { arith.maximumf } apply { … }

The divisor of a mean is a constant where all windows count alike.
"""

from math import prod

from xdsl.dialects.builtin import i32, i64
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.compute import shape_of
from s2s.analysis.dtypes import is_float
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.passes.graph.lower_to_tensor.compute import Operand, at, compute, dims
from s2s.passes.graph.lower_to_tensor.conv import window_names
from s2s.passes.graph.lower_to_tensor.conversion import limits, widened
from s2s.passes.graph.lower_to_tensor.reduce import MAXIMUM, SUM, divided
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars


def _read(op: PoolOp) -> Operand:
    """The element under each position of the kernel."""
    window = op.window()
    n, c, *rest = dims(2 + 2 * window.rank)
    spatial = [
        place * stride + tap * dilation - low
        for place, tap, stride, dilation, low in zip(
            rest[: window.rank], rest[window.rank :], window.strides, window.dilations, window.low, strict=True
        )
    ]
    return at(op.x, n, c, *spatial)


def _names(op: PoolOp) -> list[str]:
    window = op.window()
    return ["n", "c", *window_names("o", window), *window_names("k", window)]


class LowerMaxPool(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MaxPoolOp, rewriter: PatternRewriter) -> None:
        element = widened(op.y.type.element_type)
        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            reads=[_read(op)],
            names=_names(op),
            inits=[(MAXIMUM.start(element), element)],
            reduce=MAXIMUM.step,
            apply=lambda s, acc: acc,
        )
        rewriter.replace(op, [], [y])


class LowerAvgPool(RewritePattern):
    """Where no padding counts, what the reduction does not skip is counted beside the sum."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AvgPoolOp, rewriter: PatternRewriter) -> None:
        element = widened(op.y.type.element_type)
        counting = not any(op.counted_pads.get_values()) and any(
            len(set(_counts(op, axis))) > 1 for axis in range(op.window().rank)
        )
        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            reads=[_read(op)],
            names=_names(op),
            inits=[(0, element), *([(0, element if is_float(element) else i32)] if counting else [])],
            reduce=(lambda s, x, total, count: (total + x, count + 1)) if counting else SUM.step,
            apply=(lambda s, total, count: divided(s, total, count))
            if counting
            else (lambda s, total: divided(s, total, _count(s, op))),
        )
        rewriter.replace(op, [], [y])


def _count(s: Scalars, op: graph.AvgPoolOp) -> Scalar | int:
    """How many positions of the window count: a number if that is so everywhere, else calculated."""
    factors: list[Scalar | int] = []
    for axis in range(op.window().rank):
        counts = set(_counts(op, axis))
        factors.append(counts.pop() if len(counts) == 1 else _count_along(s, op, axis))
    count: Scalar | int = prod(factor for factor in factors if isinstance(factor, int))
    for factor in factors:
        count = factor * count if isinstance(factor, Scalar) else count
    return count


def _counted(op: graph.AvgPoolOp, axis: int) -> tuple[int, int]:
    """The positions along `axis` that count, from the first to behind the last, seen from the first padded one."""
    window, counted = op.window(), op.counted_pads.get_values()
    size = shape_of(op.x)[2 + axis]
    return window.low[axis] - counted[axis], window.low[axis] + size + counted[window.rank + axis]


def _counts(op: graph.AvgPoolOp, axis: int) -> list[int]:
    """The number of counted window positions for every output position along `axis`."""
    window = op.window()
    first, end = _counted(op, axis)
    step, dilation, kernel = window.strides[axis], window.dilations[axis], window.kernel[axis]
    starts = range(0, op.y.type.get_shape()[2 + axis] * step, step)
    return [min(kernel, -((start - end) // dilation)) - max(0, -((start - first) // dilation)) for start in starts]


def _count_along(s: Scalars, op: graph.AvgPoolOp, axis: int) -> Scalar | int:
    """`min(kernel, ceil((end - start) / dilation)) - max(0, ceil((first - start) / dilation))`, as i32.

    Every window holds an element of the input, so `end - start` is positive.
    """
    window = op.window()
    first, end = _counted(op, axis)
    dilation, stride, kernel = window.dilations[axis], window.strides[axis], window.kernel[axis]
    start = s.position(2 + axis) * stride
    last_start = (op.y.type.get_shape()[2 + axis] - 1) * stride

    def divided_up(x: Scalar) -> Scalar:
        return (x + (dilation - 1)) / dilation

    clipped = last_start + window.extent[axis] > end
    before_end = s.minimum(divided_up(end - start), kernel) if clipped else kernel
    return before_end if first <= 0 else before_end - divided_up(s.maximum(first - start, 0))


class LowerMaxPoolIndices(RewritePattern):
    """The second accumulator is where in the plane the best element lies, seen from the first one of the window."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MaxPoolIndicesOp, rewriter: PatternRewriter) -> None:
        element = widened(type_of(op.x).element_type)
        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            reads=[_read(op)],
            names=_names(op),
            inits=[(limits(element)[0], element), (-1, i32)],
            reduce=lambda s, x, best, place: _better(s, op, x, best, place),
            apply=lambda s, best, place: s.cast(place + _first_place(s, op), i64),
        )
        rewriter.replace(op, [], [y])


def _plane_strides(op: graph.MaxPoolIndicesOp) -> list[int]:
    """How far apart in the numbering of the plane two neighbours along each spatial dimension are."""
    spatial = shape_of(op.x)[2:]
    if op.storage_order.value.data:
        return [prod(spatial[:axis]) for axis in range(len(spatial))]
    return [prod(spatial[axis + 1 :]) for axis in range(len(spatial))]


def _better(s: Scalars, op: graph.MaxPoolIndicesOp, x: Scalar, best: Scalar, place: Scalar) -> tuple[Scalar, Scalar]:
    """The first element, a larger one, or the first NaN takes over."""
    window = op.window()
    better = s.greater(x, best) | s.less(place, 0)
    if is_float(x.element):
        better = better | (s.not_equal(x, x) & s.equal(best, best))
    here = s.constant(0, i32)
    for axis, (dilation, stride) in enumerate(zip(window.dilations, _plane_strides(op), strict=True)):
        here = here + s.position(2 + window.rank + axis) * (dilation * stride)
    return s.select(better, x, best), s.select(better, here, place)


def _first_place(s: Scalars, op: graph.MaxPoolIndicesOp) -> Scalar:
    """The number of the element at the first position of the window, padding included."""
    window, shape = op.window(), shape_of(op.x)
    plane = prod(shape[2:])
    place = s.position(0) * (shape[1] * plane) + s.position(1) * plane
    for axis, stride in enumerate(_plane_strides(op)):
        place = place + (s.position(2 + axis) * window.strides[axis] - window.low[axis]) * stride
    return place


PATTERNS: tuple[RewritePattern, ...] = (LowerMaxPool(), LowerAvgPool(), LowerMaxPoolIndices())
