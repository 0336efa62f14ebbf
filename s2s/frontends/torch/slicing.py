"""Operators that cut tensors apart, write into parts of them, and pad them."""

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, crop, reshape, select, take, transpose, unsqueeze
from s2s.frontends.places import part_of
from s2s.frontends.sized_padding import padded
from s2s.frontends.torch.node import Importer, Node
from s2s.types.size import Size, greatest, is_empty, is_size


class _Part(NamedTuple):
    """Positions along an axis."""

    start: int
    length: int
    step: int


def _chosen(node: Node, size: int) -> _Part:
    """The positions that `start`, `end` and `step` choose."""
    start = node.integer("start") if node.has("start") else 0
    end = node.integer("end") if node.has("end") else size
    step = node.integer("step")
    first, count = part_of(size, start, end, step)
    varies = is_size(count)
    return _Part(first if varies or count else 0, count, step if varies or count > 1 else 1)


def _slice(node: Node) -> Value:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    chosen = _chosen(node, x.shape[axis])
    starts, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    starts[axis], sizes[axis], strides[axis] = chosen
    return crop(x, starts, sizes, strides)


def _narrow(node: Node) -> Value:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    return take(x, axis, node.integer("start") % max(x.shape[axis], 1), node.integer("length"))


def _picked(node: Node, size: int) -> int:
    index = node.integer("index")
    if not -size <= index < size:
        raise node.invalid(f"index {index} is outside [-{size}, {size})", "fix the index")
    return index % size


def _select(node: Node) -> Value:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    part = take(x, axis, _picked(node, x.shape[axis]), 1)
    return reshape(part, [*x.shape[:axis], *x.shape[axis + 1 :]])


def _split(node: Node) -> list[Value | None]:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    if "split_sizes" in node.arguments:
        sizes = node.integers("split_sizes")
    else:
        given = node.integers("split_size")
        size = given[0]
        sizes = given if len(given) > 1 else [min(size, x.shape[axis] - at) for at in range(0, x.shape[axis], size)]
    starts = np.cumsum([0, *sizes]).tolist()
    return [
        take(x, axis, start, size) if node.is_used(number) else None
        for number, (start, size) in enumerate(zip(starts, sizes, strict=False))
    ]


def _chunk(node: Node) -> list[Value | None]:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    size = -(-x.shape[axis] // node.integer("chunks"))
    return [take(x, axis, at, min(size, x.shape[axis] - at)) for at in range(0, x.shape[axis], size)]


def _unbind(node: Node) -> list[Value | None]:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    shape = [*x.shape[:axis], *x.shape[axis + 1 :]]
    return [reshape(take(x, axis, at, 1), shape) if node.is_used(at) else None for at in range(x.shape[axis])]


def _select_scatter(node: Node) -> Value:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    at = _picked(node, x.shape[axis])
    return _written(node, x, unsqueeze(cast(node.value("src"), x.dtype), [axis]), axis, _Part(at, 1, 1))


def _slice_scatter(node: Node) -> Value:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    return _written(node, x, cast(node.value("src"), x.dtype), axis, _chosen(node, x.shape[axis]))


def _written(node: Node, x: Value, part: Value, axis: int, chosen: _Part) -> Value:
    """`x` with `part` in the `chosen` places of an axis: side by side, or, with a step, picked place by place."""
    size = x.shape[axis]
    if not chosen.length:
        return x
    if chosen.length == size:
        return part
    if chosen.step == 1:
        end = chosen.start + chosen.length
        return concat([take(x, axis, 0, chosen.start), part, take(x, axis, end, size - end)], axis)
    node.require_small(size, "a list of indices")
    index, inside = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    places = chosen.start + chosen.step * np.arange(chosen.length)
    index[places], inside[places] = np.arange(chosen.length), True
    spread = emit(graph.GatherOp, part, node.constant(index), axis=axis)
    return select(node.constant(inside.reshape([-1 if dim == axis else 1 for dim in range(x.rank)])), spread, x)


def _flip(node: Node) -> Value:
    x = node.value("self")
    axes = node.axes("dims", x.rank)
    starts = [size - 1 if axis in axes else 0 for axis, size in enumerate(x.shape)]
    strides = [-1 if axis in axes and size > 1 else 1 for axis, size in enumerate(x.shape)]
    return crop(x, starts, list(x.shape), strides)


def _roll(node: Node) -> Value:
    x, shifts, dims = node.value("self"), node.integers("shifts"), node.integers("dims")
    if not dims:
        return reshape(_rolled(reshape(x, [-1 if not x.rank else prod(x.shape)]), shifts[0], 0), x.shape)
    for shift, axis in zip(shifts, dims, strict=True):
        x = _rolled(x, shift, node.counted(axis, x.rank))
    return x


def _rolled(x: Value, shift: int, axis: int) -> Value:
    size = x.shape[axis]
    if isinstance(size, Size):  # the places follow from the size of the run, which may be smaller than the shift
        places = x.builder.counted(size, np.dtype(np.int64)) - shift
        return emit(graph.GatherOp, x, emit(graph.ModOp, places, x.builder.sizes(size, places.dtype)), axis=axis)
    moved = shift % max(size, 1)
    return concat([take(x, axis, size - moved, moved), take(x, axis, 0, size - moved)], axis) if moved else x


def _pads(node: Node, rank: int, name: str) -> tuple[list[int], list[int]]:
    """Padding before and after each dimension; torch lists the last dimension first."""
    pairs = node.integers(name)
    low, high = [0] * rank, [0] * rank
    for number in range(len(pairs) // 2):
        low[rank - 1 - number], high[rank - 1 - number] = pairs[2 * number], pairs[2 * number + 1]
    return low, high


def _constant_pad(node: Node) -> Value:
    x = node.value("self")
    if x.is_bool:
        numbers = padded(node, cast(x, np.dtype(np.int8)), *_pads(node, x.rank, "pad"), "constant", node.flag("value"))
        return cast(numbers, x.dtype)
    return padded(node, x, *_pads(node, x.rank, "pad"), "constant", node.number("value"))


def _padding(mode: str) -> Importer:
    return lambda node: padded(node, node.value("self"), *_pads(node, node.value("self").rank, "padding"), mode)


def _diagonal(node: Node) -> Value:
    """The diagonal of two dimensions, as the last dimension: elements of the flattened matrix at one distance, or of
    rows and columns where their number may vary from run to run."""
    x, offset = node.value("self"), node.integer("offset")
    a, b = node.axis("dim1", x.rank), node.axis("dim2", x.rank)
    rows, columns = x.shape[a], x.shape[b]
    first = -offset if offset < 0 else 0
    count = max(0, min(rows - first, columns - max(offset, 0)))
    at = np.arange(*greatest([count]))
    outer = [axis for axis in range(x.rank) if axis not in (a, b)]
    if node.builder.varies:
        pairs = node.table(np.stack([at + first, at + max(offset, 0)], axis=1).astype(np.int64), [count, 2])
        y = emit(graph.GatherNdOp, transpose(x, [a, b, *outer]), pairs, batch_dims=0)
        return transpose(y, [*range(1, y.rank), 0])
    places = (at + first) * columns + at + max(offset, 0)
    flat = reshape(
        emit(graph.TransposeOp, x, perm=[*outer, a, b]), [*(x.shape[axis] for axis in outer), rows * columns]
    )
    return emit(graph.GatherOp, flat, node.constant(places, np.int64), axis=len(outer))


def _as_strided(node: Node) -> Value:
    """Elements of the flattened tensor by strides; the tensor is taken for a dense one."""
    x, sizes, strides = node.value("self"), node.integers("size"), node.integers("stride")
    node.require_small(prod(sizes), "the list of places")
    first = last = node.integer("storage_offset") if node.has("storage_offset") else 0
    places = node.constant(first, np.int64)
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        column = [-1 if dim == axis else 1 for dim in range(len(sizes))]
        steps = reshape(node.builder.counted(size, np.dtype(np.int64)), [size if dim < 0 else dim for dim in column])
        places = places + steps * stride
        last = last + (size - 1) * stride
    count = prod(x.shape)
    if not is_empty(sizes) and (first < 0 or last >= count):
        raise node.unsupported("reads elements outside of its operand", "clone the tensor before as_strided")
    return emit(graph.GatherOp, reshape(x, [count]), places, axis=0)


def _unfold(node: Node) -> Value:
    """Windows along a dimension, their elements as the last one."""
    x, size, step = node.value("self"), node.integer("size"), node.integer("step")
    axis = node.axis("dimension", x.rank)
    count = (x.shape[axis] - size) // step + 1
    places = np.arange(*greatest([count]))[:, None] * step + np.arange(size)
    parts = emit(graph.GatherOp, x, node.table(places, [count, size]), axis=axis)
    return emit(graph.TransposeOp, parts, perm=[*range(axis + 1), *range(axis + 2, parts.rank), axis + 1])


IMPORTERS: Mapping[str, Importer] = {
    "as_strided": _as_strided,
    "chunk": _chunk,
    "constant_pad_nd": _constant_pad,
    "diagonal": _diagonal,
    "flip": _flip,
    "narrow": _narrow,
    "reflection_pad1d": _padding("reflect"),
    "reflection_pad2d": _padding("reflect"),
    "reflection_pad3d": _padding("reflect"),
    "replication_pad1d": _padding("edge"),
    "replication_pad2d": _padding("edge"),
    "replication_pad3d": _padding("edge"),
    "roll": _roll,
    "select": _select,
    "select_scatter": _select_scatter,
    "slice": _slice,
    "slice_scatter": _slice_scatter,
    "split": _split,
    "split_with_sizes": _split,
    "unbind": _unbind,
    "unfold": _unfold,
}
