"""Lower poolings. Padding is a guarded access that misses its operand: the reduction skips these points.

    %y = graph.max_pool %x {kernel = [2], strides = [2], pads = [0, 1], dilations = [1]} : …
->
    %y = tensor.compute [N, C, P | K]
           reads(%x at #tensor.access<affine_map<(n, c, p, k) -> (n, c, p * 2 + k)>, guarded>)
           inits [-inf : f32] reduce { arith.maximumf } apply { … }

The divisor of a mean is a constant if all windows have the same number of counted elements.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IndexType, i32, i64
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.dialects.graph.pool import PoolOp
from s2s.passes.graph.lower_to_tensor.compute import Operand, Outcome, compute, dims
from s2s.passes.graph.lower_to_tensor.conv import image_at, may_reach_behind, window_names
from s2s.passes.graph.lower_to_tensor.conversion import limits, widened
from s2s.passes.graph.lower_to_tensor.reduce import MAXIMUM, divided
from s2s.passes.graph.lower_to_tensor.run_sizes import low_at
from s2s.passes.graph.lower_to_tensor.scalars import ADD, SUB, Scalar, Scalars
from s2s.types.dtypes import is_float, size_in_bytes
from s2s.types.shapes.window import CHANNELS_FIRST, channel_axis, spatial_axes
from s2s.types.sizes import REDUCES, Extents, extents_of


def _read(op: PoolOp) -> Operand:
    """The input element at each position of the window."""
    window = op.window()
    rank = 2 + window.rank
    d = dims(rank + window.rank)
    places = [d[axis] for axis in spatial_axes(op.data_layout, rank)]
    spatial = [
        place * stride + tap * dilation - low
        for place, tap, stride, dilation, low in zip(
            places, d[rank:], window.strides, window.dilations, window.low, strict=True
        )
    ]
    image = image_at(op.x, d[0], d[channel_axis(op.data_layout, rank)], spatial, op.data_layout)
    return image._replace(guarded=may_reach_behind(op))


def _names(op: PoolOp) -> list[str]:
    window = op.window()
    places, taps = window_names("o", window), window_names("k", window)
    return ["n", "c", *places, *taps] if op.data_layout == CHANNELS_FIRST else ["n", *places, "c", *taps]


def _spatial(op: PoolOp, axis: int) -> int:
    """The dimension of input, result and domain for spatial dimension number `axis`."""
    return spatial_axes(op.data_layout, 2 + op.window().rank)[axis]


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
    """A mean; if padding does not count, the divisor is computed for each window."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AvgPoolOp, rewriter: PatternRewriter) -> None:
        stored = op.y.type.element_type
        element = widened(stored) if is_float(stored) else _sum_type(op)
        counting = (
            not any(_sizes(op))
            and not any(op.counted_pads.get_values())
            and any(len(set(_counts(op, axis))) > 1 for axis in range(op.window().rank))
        )
        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            reads=[_read(op)],
            names=_names(op),
            inits=[(0, element), *([(0, element if is_float(element) else i32)] if counting else [])],
            reduce=(lambda s, x, total, count: (_plus(s, total, x), count + 1)) if counting else _plus_element,
            apply=(lambda s, total, count: _mean(s, total, count, stored))
            if counting
            else (lambda s, total: _mean(s, total, _count(s, op), stored)),
        )
        rewriter.replace(op, [], [y])


def _sum_type(op: PoolOp) -> Attribute:
    """An accumulator type that holds the sum of any window of integers."""
    largest = prod(op.window().kernel) * (1 << 8 * size_in_bytes(op.y.type.element_type))
    return i32 if largest < 2**31 else i64


def _plus(s: Scalars, total: Scalar, x: Scalar) -> Scalar:
    return total + x if is_float(x.element) else s.bounded(ADD, total, s.cast(x, total.element))


def _plus_element(s: Scalars, x: Scalar, total: Scalar) -> Scalar:
    return _plus(s, total, x)


def _mean(s: Scalars, total: Scalar, count: Scalar | int, stored: Attribute) -> Scalar:
    """The quotient; for integers rounded to nearest, halves away from zero."""
    if is_float(stored):
        return divided(s, total, count)
    divisor = s.constant(count, total.element) if isinstance(count, int) else s.cast(count, total.element)
    if isinstance(count, int):
        half, minus_half = (s.constant(value, total.element) for value in (count // 2, -(count // 2)))
    else:
        half = divisor / 2
        minus_half = s.bounded(SUB, s.constant(0, total.element), half)
    towards = s.select(s.greater(total, 0), half, minus_half)
    return s.cast(s.bounded(ADD, total, towards) / divisor, stored)


def _count(s: Scalars, op: graph.AvgPoolOp) -> Scalar | int:
    """The number of counted positions of the window: a constant if it is the same for all windows, else computed."""
    factors: list[Scalar | int] = []
    for axis in range(op.window().rank):
        counts = set[int]() if _sizes(op)[axis] and _pads_elements(op, axis) else set(_counts(op, axis))
        factors.append(counts.pop() if len(counts) == 1 else _count_along(s, op, axis))
    return _product(s, factors)


def _sizes(op: PoolOp) -> Extents:
    """The names of the sizes of the input along the spatial dimensions, empty for constant ones."""
    rank = 2 + op.window().rank
    names = extents_of(op.attributes.get(REDUCES), rank)
    return tuple(names[axis] for axis in spatial_axes(op.data_layout, rank))


def _pads_elements(op: graph.AvgPoolOp, axis: int) -> bool:
    """Whether windows along `axis` hold padding that does not count, at some size."""
    window, counted = op.window(), op.counted_pads.get_values()
    low, high = window.low[axis], window.high[axis]
    return low > counted[axis] or high > counted[axis + window.rank]


def _counted(op: graph.AvgPoolOp, axis: int) -> tuple[int, int]:
    """The range of positions along `axis` that count, relative to the first padded one."""
    window, counted = op.window(), op.counted_pads.get_values()
    size = shape_of(op.x)[_spatial(op, axis)]
    return window.low[axis] - counted[axis], window.low[axis] + size + counted[window.rank + axis]


def _counts(op: graph.AvgPoolOp, axis: int) -> list[int]:
    """The number of counted window positions for every output position along `axis`."""
    window = op.window()
    first, end = _counted(op, axis)
    step, dilation, kernel = window.strides[axis], window.dilations[axis], window.kernel[axis]
    starts = range(0, op.y.type.get_shape()[_spatial(op, axis)] * step, step)
    return [min(kernel, -((start - end) // dilation)) - max(0, -((start - first) // dilation)) for start in starts]


def _count_along(s: Scalars, op: graph.AvgPoolOp, axis: int) -> Scalar | int:
    """`min(kernel, ceil((end - start) / dilation)) - max(0, ceil((first - start) / dilation))`, as i32.

    Every window holds an element of the input, so `end - start` is positive.
    """
    window = op.window()
    first, limit = _counted(op, axis)
    end: Scalar | int = limit
    name = _sizes(op)[axis]
    if name:
        end = s.size(name) + (limit - shape_of(op.x)[_spatial(op, axis)])
    dilation, stride, kernel = window.dilations[axis], window.strides[axis], window.kernel[axis]
    start = s.position(_spatial(op, axis)) * stride
    last_start = (op.y.type.get_shape()[_spatial(op, axis)] - 1) * stride

    def divided_up(x: Scalar) -> Scalar:
        return (x + (dilation - 1)) / dilation

    clipped = bool(name) or last_start + window.extent[axis] > limit
    before_end = s.minimum(divided_up(end - start), kernel) if clipped else kernel
    return before_end if first <= 0 else before_end - divided_up(s.maximum(first - start, 0))


class LowerSameAvgPool(RewritePattern):
    """A mean of the elements of `x` that windows hold, wherever these begin in a run."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SameAvgPoolOp, rewriter: PatternRewriter) -> None:
        stored = op.y.type.element_type
        element = widened(stored) if is_float(stored) else _sum_type(op)

        def step(s: Scalars, total: Scalar, count: Scalar, x: Scalar) -> Outcome:
            value, inside = _tap(s, op, x)
            added = _plus(s, total, s.cast(value, element))
            return s.select(inside, added, total), s.select(inside, count + 1, count)

        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            names=_names(op),
            tables=[op.x],
            inits=[(0, element), (0, element if is_float(element) else i32)],
            reduce=step,
            apply=lambda s, total, count, x: _mean(s, total, count, stored),
        )
        rewriter.replace(op, [], [y])


def _tap(s: Scalars, op: graph.SameAvgPoolOp | graph.MaxPoolIndicesOp, x: Scalar) -> tuple[Scalar, Scalar]:
    """The element of `x` at a position of a window over axes whose size may vary, and whether there is one."""
    window, rank = op.window(), 2 + op.window().rank
    places = [s.index(axis) for axis in range(rank)]
    inside: Scalar | None = None
    for axis, name in enumerate(_sizes(op)):
        spatial = _spatial(op, axis)
        size = s.size(name) if name else s.constant(shape_of(op.x)[spatial], i32)
        low = _low(s, op, axis, size)
        tap = s.position(rank + axis) * window.dilations[axis]
        place = s.position(spatial) * window.strides[axis] + tap - low
        clamped = s.maximum(s.minimum(place, size - 1), 0)
        places[spatial] = s.cast(clamped, IndexType())
        here = s.equal(place, clamped)
        inside = here if inside is None else inside & here
    assert inside is not None
    return s.extract(x, places), inside


def _low(s: Scalars, op: graph.SameAvgPoolOp | graph.MaxPoolIndicesOp, axis: int, size: Scalar) -> Scalar | int:
    """The padding in front of the windows along `axis`, of which a run has `size` elements."""
    window = op.window()
    if op.side is None:
        return window.low[axis]
    return low_at(s, size, window.extent[axis], window.strides[axis], op.side.data)


class LowerMaxPoolIndices(RewritePattern):
    """A maximum and its index; the second accumulator is the index relative to the window's first element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MaxPoolIndicesOp, rewriter: PatternRewriter) -> None:
        element = widened(type_of(op.x).element_type)
        varies = any(_sizes(op))

        def step(s: Scalars, best: Scalar, place: Scalar, table: Scalar) -> Outcome:
            x, inside = _tap(s, op, table)
            taken, where = _better(s, op, s.cast(x, element), best, place)
            return s.select(inside, taken, best), s.select(inside, where, place)

        def index(s: Scalars, *values: Scalar) -> Scalar:
            return s.cast(values[1] + _first_place(s, op), i64)

        y = compute(
            rewriter,
            op,
            op.y.type.get_shape(),
            op.window().kernel,
            reads=[] if varies else [_read(op)],
            tables=[op.x] if varies else [],
            names=_names(op),
            inits=[(limits(element)[0], element), (-1, i32)],
            reduce=step if varies else lambda s, x, best, place: _better(s, op, x, best, place),
            apply=index,
        )
        rewriter.replace(op, [], [y])


def _lengths(s: Scalars, op: graph.MaxPoolIndicesOp) -> list[Scalar | int]:
    """The size of each axis of the input in a run."""
    shape = shape_of(op.x)
    names = extents_of(op.attributes.get(REDUCES), len(shape))
    return [s.size(name) if name else size for name, size in zip(names, shape, strict=True)]


def _plane_strides(s: Scalars, op: graph.MaxPoolIndicesOp) -> list[Scalar | int]:
    """The distance in the flattened plane of neighbours along each spatial dimension."""
    spatial = _lengths(s, op)[2:]
    if op.storage_order.value.data:
        return [_product(s, spatial[:axis]) for axis in range(len(spatial))]
    return [_product(s, spatial[axis + 1 :]) for axis in range(len(spatial))]


def _product(s: Scalars, factors: Sequence[Scalar | int]) -> Scalar | int:
    found: Scalar | int = prod(factor for factor in factors if isinstance(factor, int))
    for factor in factors:
        found = factor * found if isinstance(factor, Scalar) else found
    return found


def _better(s: Scalars, op: graph.MaxPoolIndicesOp, x: Scalar, best: Scalar, place: Scalar) -> tuple[Scalar, Scalar]:
    """Take over `x` and its index if it is the first element, larger, or the first NaN."""
    window = op.window()
    better = s.greater(x, best) | s.less(place, 0)
    if is_float(x.element):
        better = better | (s.not_equal(x, x) & s.equal(best, best))
    here = s.constant(0, i32)
    for axis, (dilation, stride) in enumerate(zip(window.dilations, _plane_strides(s, op), strict=True)):
        step = stride * dilation
        here = here + s.position(2 + window.rank + axis) * step
    return s.select(better, x, best), s.select(better, here, place)


def _first_place(s: Scalars, op: graph.MaxPoolIndicesOp) -> Scalar:
    """The index of the element at the first position of the window, padding included."""
    window, (_, channels, *spatial) = op.window(), _lengths(s, op)
    plane = _product(s, spatial)
    place = s.position(0) * _product(s, [channels, plane]) + s.position(1) * plane
    for axis, stride in enumerate(_plane_strides(s, op)):
        size = spatial[axis]
        low = _low(s, op, axis, size if isinstance(size, Scalar) else s.constant(size, i32))
        place = place + (s.position(2 + axis) * window.strides[axis] - low) * stride
    return place


PATTERNS: tuple[RewritePattern, ...] = (LowerMaxPool(), LowerAvgPool(), LowerMaxPoolIndices(), LowerSameAvgPool())
