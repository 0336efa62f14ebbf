"""Formulas that pick elements by places which the importer knows."""

import numpy as np

from s2s.dialects import graph
from s2s.frontends.any_node import AnyNode
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, concat, less, reshape, select
from s2s.types.size import Size, greatest, proves


def iota(node: AnyNode, size: int, rank: int, axis: int, dtype: np.dtype[np.generic]) -> Value:
    """Return `0, 1, …` along `axis` of a constant with `rank` dimensions, the others of size one."""
    node.require_small(size, "a list of indices")
    shape = [size if dim == axis else 1 for dim in range(rank)]
    return node.table(np.arange(*greatest([size])).reshape(greatest(shape)).astype(dtype), shape)


def reverse_sequences(node: AnyNode, x: Value, lengths: Value, batch: int, time: int) -> Value:
    """Return `x` with the first `lengths[b]` elements along `time` in reverse order, for each `b` along `batch`."""
    if batch == time or lengths.shape != (x.shape[batch],):
        raise node.invalid(f"has lengths {list(lengths.shape)} for {list(x.shape)}", "give one for each of the batch")
    by_rows = x.rank > 2 and {batch, time} == {0, 1} and not any(isinstance(size, Size) for size in x.shape)
    rank = 2 if by_rows else x.rank
    length = reshape(lengths, [x.shape[batch] if axis == batch else 1 for axis in range(rank)])
    step = iota(node, x.shape[time], rank, time, lengths.dtype)
    index = select(less(step, length), length - 1 - step, step)
    if not by_rows:
        return emit(graph.GatherElementsOp, x, broadcast_to(index, x.shape), axis=time)
    places = reshape(index, [*x.shape[:2], 1])
    if batch == 0:
        return emit(graph.GatherNdOp, x, places, batch_dims=1)
    beside = broadcast_to(iota(node, x.shape[batch], 3, batch, lengths.dtype), places.shape)
    return emit(graph.GatherNdOp, x, concat([places, beside], 2), batch_dims=0)


def part_of(size: int, start: int, end: int, step: int) -> tuple[int, int]:
    """Return where `[start:end:step]` of `size` elements begins, and how many elements it has, as Python means it."""
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (_within(place + size if place < 0 else place, low, high) for place in (start, end))
    if step < 0 and end < -size:
        last = -1
    count = (last - first + step - 1) // step if step > 0 else (first - last - step - 1) // -step
    return first, count if proves(count, ">=", 0) or count > 0 else 0


def _within(place: int, low: int, high: int) -> int:
    return low if place < low else high if place > high else place
