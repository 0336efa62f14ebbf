"""Slices and pads whose positions are computed at run time, while the model declares the shape of the result.

Along each axis the positions that are read are computed, and elements are gathered from there:

    Slice of 20 elements, result of 5      read at start + 0, 1, …, 4 times step
    Pad of 3 elements, result of 6         read at 0, 1, …, 5 minus the count of elements in front, between the ends
"""

from collections.abc import Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, equal, less, reshape, select, take
from s2s.frontends.onnx.node import Node
from s2s.frontends.selection import true_places
from s2s.frontends.sized_padding import padded_along

_INDEX = np.dtype(np.int64)


class _Entries:
    """Operands with an entry for each of some axes, which may be computed at run time themselves."""

    def __init__(self, node: Node, x: Value, axes: Value | None, count: int) -> None:
        self.rank, self.count = x.rank, count
        chosen = node.counted(count, _INDEX) if axes is None else cast(axes, _INDEX)
        self.axes = select(less(chosen, 0), chosen + x.rank, chosen)
        self.known = None if axes is not None and axes.array is None else self._known(node, axes)

    def _known(self, node: Node, axes: Value | None) -> list[int]:
        given = range(self.count) if axes is None or axes.array is None else axes.array.reshape(-1).tolist()
        return [node.axis(int(axis), self.rank) for axis in given]

    def of(self, values: Value, axis: int, default: int) -> Value | None:
        """The entry of `axis` as a scalar; None for an axis that is known to have none."""
        numbers = cast(values, _INDEX)
        if self.known is not None:
            return reshape(take(numbers, 0, self.known.index(axis), 1), []) if axis in self.known else None
        chosen = select(equal(self.axes, axis), numbers - default, 0 * numbers)
        return emit(graph.ReduceSumOp, chosen, axes=[0], keepdims=False) + default


def late_slice(node: Node, x: Value, shape: Sequence[int]) -> Value:
    """A part of `x` of this shape, whose starts, axes or steps are computed at run time."""
    starts, axes, steps = node.input(1), node.optional(3), node.optional(4)
    _check_rank(node, x, shape)
    entries = _Entries(node, x, axes, starts.shape[0])
    for axis, (size, count) in enumerate(zip(x.shape, shape, strict=True)):
        start = entries.of(starts, axis, 0)
        step = None if steps is None else entries.of(steps, axis, 1)
        if start is None or not count:
            if start is None and size != count:
                raise node.invalid(f"axis {axis} of {size} elements has {count} in its result", "fix the shape")
            x = take(x, axis, 0, count)
            continue
        first = clamp(select(less(start, 0), start + size, start), 0, size - 1)
        moved = node.counted(count, _INDEX)
        x = emit(graph.GatherOp, x, clamp(first + (moved if step is None else moved * step), 0, size - 1), axis=axis)
    return x


def slice_of_run(node: Node, x: Value) -> Value | None:
    """A part of `x` between places that are computed at run time, which has as many elements as these say; None where
    it has constant ones along an axis, or goes by other steps than 1."""
    axes, steps = node.optional(3), node.optional(4)
    if any(each is not None and each.array is None for each in (axes, steps)):
        return None
    if steps is not None and steps.array is not None and any(step != 1 for step in steps.array):
        return None
    starts, ends = node.input(1), node.input(2)
    entries = _Entries(node, x, axes, starts.shape[0])
    for axis in entries.known or ():
        start, end = (_within_axis(entries.of(each, axis, 0), x.shape[axis]) for each in (starts, ends))
        at = node.counted(x.shape[axis], _INDEX)
        mask = emit(graph.LogicalAndOp, emit(graph.LessEqualOp, start, at), less(at, end))
        x = emit(graph.GatherOp, x, true_places(mask), axis=axis)
    return x


def _within_axis(place: Value | None, size: int) -> Value:
    """A place of an axis: places below 0 are counted from its end."""
    assert place is not None
    return clamp(select(less(place, 0), place + size, place), 0, size)


def late_pad(node: Node, x: Value, mode: str, shape: Sequence[int]) -> Value:
    """`x` with elements before and after it, whose numbers are computed at run time; the result has this shape."""
    pads, fill, axes = node.input(1), node.optional(2), node.optional(3)
    _check_rank(node, x, shape)
    entries = _Entries(node, x, axes, pads.shape[0] // 2)
    before, inside = take(pads, 0, 0, entries.count), None
    for axis, (size, count) in enumerate(zip(x.shape, shape, strict=True)):
        low = entries.of(before, axis, 0)
        if low is None:
            continue
        if not size or not count:
            raise node.unsupported("pads a tensor without elements at run time", "make pads a constant (initializer)")
        x, column = padded_along(x, axis, low, count, mode)
        inside = column if inside is None else emit(graph.LogicalAndOp, inside, column)
    if mode != "constant" or inside is None:
        return x
    return select(inside, x, x.like(0) if fill is None else reshape(fill, []))


def _check_rank(node: Node, x: Value, shape: Sequence[int]) -> None:
    if len(shape) != x.rank:
        raise node.invalid(f"its result has the declared shape {list(shape)} for {list(x.shape)}", "fix the shape")
