"""Pad tensors by counts of elements that follow from sizes.

4 - N mod 4 elements behind N        read at 0, 1, …, N + 3 - N mod 4, and filled where that is behind the end
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.any_node import AnyNode
from s2s.frontends.builder import Value, emit
from s2s.frontends.computed_places import read_nearest
from s2s.frontends.formulas import clamp, less, minimum, pad, reshape, select
from s2s.types.size import Size, all_plain, proves

_INDEX = np.dtype(np.int64)


def padded(
    node: AnyNode, x: Value, low: Sequence[int], high: Sequence[int], mode: str, fill: float | bool = 0
) -> Value:
    """`x` with `low` elements before and `high` after each dimension; counts that follow from sizes cut nothing."""
    if all_plain([*low, *high]):
        return pad(x, low, high, mode, fill)
    cuts = next((size for size in (*low, *high) if isinstance(size, Size) and proves(size, ">=", 0) is not True), None)
    if cuts is not None:
        raise node.unsupported(
            f"pads by {cuts.text} elements, less than 0 at some sizes", "narrow the bounds of these with --dim"
        )
    of_sizes = [not all_plain(pair) for pair in zip(low, high, strict=True)]
    plain_low, plain_high = (
        [0 if sized else count for count, sized in zip(counts, of_sizes, strict=True)] for counts in (low, high)
    )
    return pad_by_sizes(pad(x, plain_low, plain_high, mode, fill), low, high, mode, x.like(fill))


def pad_by_sizes(x: Value, low: Sequence[int], high: Sequence[int], mode: str, fill: Value) -> Value:
    """`x` with `low` elements before and `high` after each dimension, which may follow from sizes; none is negative."""
    inside: Value | None = None
    for axis, (before, size, after) in enumerate(zip(low, x.shape, high, strict=True)):
        if not all_plain((before, after)):
            x, column = padded_along(x, axis, x.builder.sizes(before, _INDEX), before + size + after, mode)
            inside = column if inside is None else emit(graph.LogicalAndOp, inside, column)
    return x if mode != "constant" or inside is None else select(inside, x, fill)


def padded_along(x: Value, axis: int, low: Value, count: int, mode: str) -> tuple[Value, Value]:
    """`count` elements of `x` along `axis`, `low` of them before its first one, and which of them are elements of `x`;
    both have that axis."""
    size, at = x.shape[axis], x.builder.counted(count, _INDEX) - low
    within = emit(graph.LogicalNotOp, emit(graph.LogicalOrOp, less(at, 0), less(at * -1, 1 - size)))
    column = reshape(within, [count if dim == axis else 1 for dim in range(x.rank)])
    if mode == "constant":
        return read_nearest(x, axis, at), column
    return emit(graph.GatherOp, x, _WRAPPED[mode](at, size), axis=axis), column


def _modulo(x: Value, size: int) -> Value:
    return emit(graph.ModOp, x, x.like(size))


def _reflected(at: Value, size: int) -> Value:
    """0 1 2 1 0 1 2 … for a size of 3."""
    turn = _modulo(at, max(1, 2 * (size - 1)))
    return minimum(turn, turn.like(2 * (size - 1)) - turn)


def _nearest(at: Value, size: int) -> Value:
    return clamp(at, 0, size - 1)


_WRAPPED: Mapping[str, Callable[[Value, int], Value]] = {
    "edge": _nearest,
    "reflect": _reflected,
    "wrap": _modulo,
}
"""The position that is read for one outside, by mode."""
