"""Pooling."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, less, reshape, select, take, transpose, unsqueeze
from s2s.frontends.same_padding import lowest
from s2s.frontends.torch.dtypes import INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.window import pool_window
from s2s.types.size import alike, all_plain

MAX_SLICES = 16
"""The most cells of an axis that are reduced one by one."""


def _batched(function: Callable[[Node, Value, int], Value | list[Value | None]], rank: int) -> Importer:
    """`function` on `[N, C, …]`; torch leaves the batch out as well."""

    def importer(node: Node) -> Value | list[Value | None]:
        x = node.value("self" if "self" in node.arguments else "input")
        if x.rank == rank + 2:
            return function(node, x, rank)
        result = function(node, reshape(x, [1, *x.shape]), rank)
        parts = result if isinstance(result, list) else [result]
        found = [None if part is None else reshape(part, part.shape[1:]) for part in parts]
        first = found[0]
        return found if isinstance(result, list) or first is None else first

    return importer


def _max_pool(node: Node, x: Value, rank: int) -> list[Value | None]:
    window = pool_window(node, x.shape[2:])
    sizes = {
        "kernel": window.kernel,
        "strides": window.strides,
        "pads": window.pads,
        "dilations": window.dilations,
    }
    places = None
    if node.is_used(1):
        places = emit(graph.MaxPoolIndicesOp, x, **sizes)  # counted over the whole tensor; torch counts in a plane
        places = emit(graph.ModOp, places, node.builder.sizes(prod(x.shape[2:]), INT64))
    return [emit(graph.MaxPoolOp, x, **sizes), places]


def _only_max_pool(node: Node, x: Value, rank: int) -> Value | list[Value | None]:
    found = _max_pool(node, x, rank)[0]
    assert found is not None
    return found


def _avg_pool(node: Node, x: Value, rank: int) -> Value:
    window = pool_window(node, x.shape[2:])
    sizes = {"strides": window.strides, "pads": window.pads, "dilations": window.dilations}
    if node.has("divisor_override"):
        ones = node.constant(np.broadcast_to(np.ones((), x.dtype), (x.shape[1], 1, *window.kernel)))
        return emit(graph.ConvOp, x, ones, None, groups=x.shape[1], **sizes) / node.integer("divisor_override")
    counted = [*window.low, *window.low] if node.flag("count_include_pad") else [0] * 2 * rank
    return emit(graph.AvgPoolOp, x, kernel=window.kernel, counted_pads=counted, **sizes)


def _cells(size: int, count: int) -> list[tuple[int, int]]:
    """Where each of `count` cells of an axis begins and ends; they overlap where the sizes do not divide."""
    return [(at * size // count, -(-(at + 1) * size // count)) for at in range(count)]


def _adaptive_sizes(node: Node, x: Value, rank: int) -> list[int]:
    return node.integers("output_size") if node.has("output_size") else list(x.shape[2:])


def _dividing(x: Value, counts: list[int]) -> list[int] | None:
    """The kernel of a pool that gives `counts` elements, where cells do not overlap."""
    if any(count < 1 or size % count for size, count in zip(x.shape[2:], counts, strict=True)):
        return None
    return [size // count for size, count in zip(x.shape[2:], counts, strict=True)]


def _adaptive_avg_pool(node: Node, x: Value, rank: int) -> Value:
    counts = _adaptive_sizes(node, x, rank)
    if counts == [1] * rank:
        return emit(graph.ReduceMeanOp, x, axes=list(range(2, x.rank)), keepdims=True)
    if not all_plain(x.shape[2:]):
        return _late_averages(node, x, counts)
    kernel = _dividing(x, counts)
    if kernel is not None:
        none = [0] * 2 * rank
        return emit(
            graph.AvgPoolOp, x, kernel=kernel, strides=kernel, pads=none, dilations=[1] * rank, counted_pads=none
        )
    for axis, count in enumerate(counts, 2):
        x = _averaged(node, x, axis, count)
    return x


def _averaged(node: Node, x: Value, axis: int, count: int) -> Value:
    """The means of the cells of an axis: of slices, or where these are many, of all elements under a mask."""
    size = x.shape[axis]
    if count <= MAX_SLICES:
        return _of_slices(graph.ReduceMeanOp, x, axis, count)
    node.require_small(size * count, "the matrix of cells")
    inside = np.zeros((count, size), np.bool_)
    for number, (begin, end) in enumerate(_cells(size, count)):
        inside[number, begin:end] = True
    cells = _Cells(node.constant(inside), node.constant(inside.sum(axis=1), INT64))
    return _along_last(x, axis, lambda rows: _row_means(rows, cells))


def _adaptive_max_pool(node: Node, x: Value, rank: int) -> list[Value | None]:
    counts = _adaptive_sizes(node, x, rank)
    if not all_plain(x.shape[2:]):
        return _late_maxima(node, x, counts)
    kernel = _dividing(x, counts)
    if kernel is not None:
        sizes: dict[str, object] = {"kernel": kernel, "strides": kernel}
        sizes |= {"pads": [0] * 2 * rank, "dilations": [1] * rank}
        places = None
        if node.is_used(1):
            places = emit(graph.MaxPoolIndicesOp, x, **sizes)
            places = emit(graph.ModOp, places, places.like(prod(x.shape[2:])))
        return [emit(graph.MaxPoolOp, x, **sizes), places]
    if node.is_used(1):
        raise node.unsupported("gives places of cells that overlap", "use a size that divides the input's")
    for axis, count in enumerate(counts, 2):
        x = _of_slices(graph.ReduceMaxOp, x, axis, count)
    return [x, None]


def _of_slices(operation: Callable[..., Operation], x: Value, axis: int, count: int) -> Value:
    """A reduction of each cell of an axis."""
    cells = _cells(x.shape[axis], count)
    return concat([emit(operation, take(x, axis, a, b - a), axes=[axis], keepdims=True) for a, b in cells], axis)


class _Cells(NamedTuple):
    """The cells of an axis, as tensors; its size may vary from run to run."""

    inside: Value
    """Whether a cell, a row, holds an element of the axis, a column."""
    length: Value
    """How many elements a cell has."""


def _late_cells(node: Node, x: Value, axis: int, count: int) -> _Cells:
    """What `_cells` computes, of the size of the run."""
    size = x.shape[axis]
    node.require_small(size * count, "the matrix of cells")
    whole, at = node.builder.sizes(size, INT64), node.constant(np.arange(count)[:, None], INT64)
    begin, end = at * whole / count, ((at + 1) * whole + (count - 1)) / count
    places = node.counted_up(size, INT64)
    inside = emit(graph.LogicalAndOp, emit(graph.LessEqualOp, begin, places), less(places, end))
    return _Cells(inside, reshape(end - begin, [count]))


def _late_averages(node: Node, x: Value, counts: list[int]) -> Value:
    """The means of cells, axis by axis."""
    for axis in _pooled_axes(x, counts):
        count = counts[axis - 2]
        if count == 1:
            x = emit(graph.ReduceMeanOp, x, axes=[axis], keepdims=True)
            continue
        cells = _late_cells(node, x, axis, count)
        x = _along_last(x, axis, lambda rows, cells=cells: _row_means(rows, cells))
    return x


def _late_maxima(node: Node, x: Value, counts: list[int]) -> list[Value | None]:
    """The maxima of cells, axis by axis: of all elements, where elements outside of a cell are the lowest number."""
    if node.is_used(1):
        raise node.unsupported("gives places of cells whose size varies", "give this axis a constant size")
    for axis in _pooled_axes(x, counts):
        if counts[axis - 2] == 1:
            x = emit(graph.ReduceMaxOp, x, axes=[axis], keepdims=True)
            continue
        inside = _late_cells(node, x, axis, counts[axis - 2]).inside
        x = _along_last(x, axis, lambda rows, inside=inside: _row_maxima(rows, inside))
    return [x, None]


def _row_maxima(rows: Value, inside: Value) -> Value:
    """The maxima of the elements of each row that are `inside` each cell."""
    candidates = select(inside, unsqueeze(rows, [rows.rank - 1]), lowest(rows))
    return emit(graph.ReduceMaxOp, candidates, axes=[rows.rank])


def _row_means(rows: Value, cells: _Cells) -> Value:
    """The means of the elements of each row that are inside each cell. A product with weights of 0 outside of it would
    make infinities there NaN."""
    wide = cast(rows, np.dtype(np.float32)) if rows.dtype.itemsize < 4 else rows
    candidates = select(cells.inside, unsqueeze(wide, [rows.rank - 1]), wide.like(0))
    total = emit(graph.ReduceSumOp, candidates, axes=[rows.rank])
    return cast(total / cast(cells.length, wide.dtype), rows.dtype)


def _pooled_axes(x: Value, counts: Sequence[int]) -> list[int]:
    """The axes that are pooled: all but axes whose result has the size of the input, whatever it is."""
    pairs = zip(x.shape[2:], counts, strict=True)
    return [axis for axis, (size, count) in enumerate(pairs, 2) if not alike([size], [count])]


def _along_last(x: Value, axis: int, function: Callable[[Value], Value]) -> Value:
    """`function` along an axis, which stands last meanwhile."""
    perm = [*(dim for dim in range(x.rank) if dim != axis), axis]
    return transpose(function(transpose(x, perm)), [perm.index(dim) for dim in range(x.rank)])


def _max_unpool(node: Node, x: Value, rank: int) -> Value:
    """Elements put back to the places in their planes that a pool took them from."""
    indices, sizes = node.value("indices"), node.integers("output_size")
    planes, count, plane = prod(x.shape[:2]), prod(x.shape[2:]), prod(sizes)
    empty = node.builder.filled(0, (planes, plane), x.dtype)
    places, values = reshape(indices, [planes, count]), reshape(x, [planes, count])
    assert indices.dtype == INT64
    flat = emit(graph.ScatterElementsOp, empty, places, values, axis=1, nonnegative_indices=True)
    return reshape(flat, [*x.shape[:2], *sizes])


IMPORTERS: Mapping[str, Importer] = {
    "_adaptive_avg_pool2d": _batched(_adaptive_avg_pool, 2),
    "_adaptive_avg_pool3d": _batched(_adaptive_avg_pool, 3),
    "adaptive_avg_pool1d": _batched(_adaptive_avg_pool, 1),
    "adaptive_avg_pool2d": _batched(_adaptive_avg_pool, 2),
    "adaptive_avg_pool3d": _batched(_adaptive_avg_pool, 3),
    "adaptive_max_pool1d": _batched(_adaptive_max_pool, 1),
    "adaptive_max_pool2d": _batched(_adaptive_max_pool, 2),
    "adaptive_max_pool3d": _batched(_adaptive_max_pool, 3),
    "avg_pool1d": _batched(_avg_pool, 1),
    "avg_pool2d": _batched(_avg_pool, 2),
    "avg_pool3d": _batched(_avg_pool, 3),
    "max_pool1d": _batched(_only_max_pool, 1),
    "max_pool2d": _batched(_only_max_pool, 2),
    "max_pool2d_with_indices": _batched(_max_pool, 2),
    "max_pool3d": _batched(_only_max_pool, 3),
    "max_pool3d_with_indices": _batched(_max_pool, 3),
    "max_unpool2d": _batched(_max_unpool, 2),
}
