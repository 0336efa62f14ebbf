"""Operators that pick or place elements by indices held in a tensor."""

from collections.abc import Mapping
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, equal, less, reshape, select, take, transpose, unsqueeze
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.places import iota, reverse_sequences
from s2s.frontends.selection import distinct, true_places
from s2s.types.size import integer_of

_INDEX = np.dtype(np.int64)


def check_indices(node: Node, indices: Value, size: int) -> None:
    """Refuse constant indices outside `[-size, size)`."""
    array = indices.array
    if array is not None and array.size and not (-size <= array.min() and array.max() < size):
        raise node.invalid(f"a constant index is outside [-{size}, {size})", "fix the indices")


def _gather(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(node.integer("axis"), x.rank)
    check_indices(node, indices, x.shape[axis])
    array = indices.array
    if array is not None and array.size == 1:
        place = integer_of(array.reshape(()).item())
        picked = take(x, axis, place + x.shape[axis] if place < 0 else place, 1)
        return reshape(picked, [*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]])
    return emit(graph.GatherOp, x, indices, axis=axis)


def _gather_elements(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    axis = node.axis(node.integer("axis"), x.rank)
    check_indices(node, indices, x.shape[axis])
    return emit(graph.GatherElementsOp, x, indices, axis=axis)


def _gather_nd(node: Node) -> Value:
    x, indices, batch_dims = node.input(0), node.input(1), node.integer("batch_dims", 0)
    _check_positions(node, x, indices, batch_dims)
    return emit(graph.GatherNdOp, x, indices, batch_dims=batch_dims)


def _check_positions(node: Node, x: Value, indices: Value, batch_dims: int) -> None:
    """Refuse constant index tuples outside `x`."""
    if indices.array is None or indices.rank == 0 or not 0 <= batch_dims <= x.rank - indices.shape[-1]:
        return
    for position in range(indices.shape[-1]):
        column = node.builder.constant(indices.array[..., position])
        check_indices(node, column, x.shape[batch_dims + position])


def _scatter_elements(node: Node) -> Value:
    x, indices, updates = node.input(0), node.input(1), node.input(2)
    axis = node.axis(node.integer("axis"), x.rank)
    check_indices(node, indices, x.shape[axis])
    reduction = node.text("reduction", "none")
    return emit(graph.ScatterElementsOp, x, indices, updates, axis=axis, reduction=reduction)


def _scatter_nd(node: Node) -> Value:
    x, indices, updates = node.input(0), node.input(1), node.input(2)
    _check_positions(node, x, indices, 0)
    return emit(graph.ScatterNdOp, x, indices, updates, reduction=node.text("reduction", "none"))


def _array_feature_extractor(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    if x.rank == 0:
        raise node.invalid("input has no dimension", "give at least one")
    check_indices(node, indices, x.shape[-1])
    picked = emit(graph.GatherOp, x, reshape(indices, [prod(indices.shape)]), axis=x.rank - 1)
    return picked if x.rank > 1 else reshape(picked, [1, *picked.shape])


def _compress(node: Node) -> Value:
    x, chosen = node.input(0), node.input(1)
    if node.has("axis"):
        axis = node.axis(node.integer("axis"), x.rank)
    else:
        x, axis = reshape(x, [prod(x.shape)]), 0
    return emit(graph.GatherOp, x, true_places(take(chosen, 0, 0, min(chosen.shape[0], x.shape[axis]))), axis=axis)


def _unique(node: Node) -> list[Value]:
    x = node.input(0)
    axis = node.axis(node.integer("axis"), x.rank) if node.has("axis") else None
    flat = reshape(x, [prod(x.shape)]) if axis is None else x
    at = 0 if axis is None else axis
    others = [dim for dim in range(flat.rank) if dim != at]
    keys = reshape(transpose(flat, [at, *others]), [flat.shape[at], prod(flat.shape[dim] for dim in others)])
    found = distinct(keys, in_order=bool(node.integer("sorted", 1)))
    values = emit(graph.GatherOp, flat, found.places, axis=at)
    return [values, *(cast(each, _INDEX) for each in found)]


def _one_hot(node: Node) -> Value:
    indices, values = cast(node.input(0), _INDEX), node.input(2)
    depth = node.known_number(1, "depth")
    if depth is None or depth < 1 or values.shape != (2,):
        raise node.invalid(
            f"depth is {depth} and values have shape {list(values.shape)}", "give a depth and two values"
        )
    rank = indices.rank + 1
    axis = node.axis(node.integer("axis"), rank)
    wrapped = select(less(indices, 0), indices + int(depth), indices)
    hit = equal(unsqueeze(wrapped, [axis]), iota(node, int(depth), rank, axis, _INDEX))
    off, on = (reshape(take(values, 0, position, 1), []) for position in (0, 1))
    return select(hit, on, off)


def _trilu(node: Node) -> Value:
    x = node.input(0)
    if x.rank < 2:
        raise node.invalid(f"input has {x.rank} dimensions", "give at least two")
    rows, columns = x.shape[-2:]
    shift = node.optional(1)
    distance = iota(node, columns, 2, 1, _INDEX) - iota(node, rows, 2, 0, _INDEX)
    bound = node.constant(0, _INDEX) if shift is None else reshape(shift, [])
    kept = emit(graph.GreaterEqualOp if node.flag("upper") else graph.LessEqualOp, distance, bound)
    return select(kept, x, 0)


def _reverse_sequence(node: Node) -> Value:
    x, lengths = node.input(0), node.input(1)
    batch, time = node.axis(node.integer("batch_axis"), x.rank), node.axis(node.integer("time_axis"), x.rank)
    if lengths.array is not None and lengths.array.size and lengths.array.max() > x.shape[time]:
        raise node.invalid(f"a sequence has {int(lengths.array.max())} of {x.shape[time]} steps", "fix sequence_lens")
    return reverse_sequences(node, x, lengths, batch, time)


def _tensor_scatter(node: Node) -> Value:
    cache, update = node.input(0), node.input(1)
    axis = node.axis(node.integer("axis"), cache.rank)
    index = iota(node, update.shape[axis] if update.rank == cache.rank else 1, cache.rank, axis, _INDEX)
    if node.optional(2) is not None:
        index = index + reshape(cast(node.input(2), _INDEX), [cache.shape[0], *[1] * (cache.rank - 1)])
    if node.choice("mode", "linear", "circular") == "circular":
        index = emit(graph.ModOp, index, index.like(cache.shape[axis]))
    check_indices(node, index, cache.shape[axis])
    return emit(graph.ScatterElementsOp, cache, broadcast_to(index, update.shape), update, axis=axis, reduction="none")


IMPORTERS: Mapping[str, Importer] = {
    "Compress": _compress,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
    "Trilu": _trilu,
    "Unique": _unique,
}
ML_IMPORTERS: Mapping[str, Importer] = {
    "ArrayFeatureExtractor": _array_feature_extractor,
}
