"""Operators that pick or place elements by indices held in a tensor."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.computed_places import within
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import (
    broadcast_to,
    cast,
    concat,
    equal,
    less,
    maximum,
    reshape,
    select,
    take,
    transpose,
    unsqueeze,
)
from s2s.frontends.selection import coordinates, true_places
from s2s.frontends.torch.dtypes import BOOL, INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import typed
from s2s.support.frozen import frozen
from s2s.types.shapes import broadcast
from s2s.types.size import is_empty


def check_indices(node: Node, indices: Value, size: int) -> None:
    """Refuse constant indices outside `[-size, size)`."""
    array = indices.array
    if array is not None and array.size and not (-size <= array.min() and array.max() < size):
        raise node.invalid(f"a constant index is outside [-{size}, {size})", "fix the indices")


def _integers(indices: Value) -> Value:
    """Indices in a type that graph indexes with."""
    return cast(indices, np.dtype(np.int32)) if indices.dtype.name not in ("int32", "int64") else indices


def _embedding(node: Node) -> Value:
    weight, indices = node.value("weight"), _integers(node.value("indices"))
    check_indices(node, indices, weight.shape[0])
    return emit(graph.GatherOp, weight, indices, axis=0, nonnegative_indices=True)


def _index_select(node: Node) -> Value:
    x, indices = node.value("self"), _integers(node.value("index"))
    if x.rank == 0:
        return x
    axis = node.axis("dim", x.rank)
    check_indices(node, indices, x.shape[axis])
    rows = reshape(indices, [prod(indices.shape)])
    return emit(graph.GatherOp, x, rows, axis=axis, nonnegative_indices=True)


def _gather(node: Node) -> Value:
    x, indices = node.value("self"), _integers(node.value("index"))
    if x.rank == 0:
        return reshape(x, indices.shape)
    axis = node.axis("dim", x.rank)
    check_indices(node, indices, x.shape[axis])
    return emit(graph.GatherElementsOp, x, indices, axis=axis, nonnegative_indices=True)


@frozen
class _Indices:
    """Indices of some dimensions: which ones, the shape they broadcast to, and the indices stacked last."""

    dims: list[int]
    shape: tuple[int, ...]
    stacked: Value

    def first(self, rank: int) -> list[int]:
        """A permutation that puts the indexed dimensions first."""
        return [*self.dims, *(dim for dim in range(rank) if dim not in self.dims)]

    def position(self) -> int:
        """The dimension of the result at which the dimensions of the indices stand: before everything if others lie
        between."""
        adjacent = self.dims == list(range(self.dims[0], self.dims[-1] + 1))
        return self.dims[0] if adjacent else 0


def _is_mask(index: Value) -> bool:
    """Whether an index tells which elements are picked, not where they stand."""
    return index.is_bool or index.dtype == np.uint8


def _expanded_masks(node: Node, given: Sequence[Value | None]) -> list[Value | None]:
    """The indices with each known mask replaced by the places where it holds."""
    found: list[Value | None] = []
    for index in given:
        if index is None or not _is_mask(index):
            found.append(index)
        elif index.array is None:
            places = coordinates(index)
            found += [reshape(take(places, 0, axis, 1), [places.shape[1]]) for axis in range(index.rank)]
        else:
            found += [node.constant(places, INT64) for places in np.nonzero(index.array)]
    return found


def masked(x: Value, mask: Value, at: int) -> Value:
    """The elements of `x` where a mask holds, whose first axis is `at`; the axes of the mask become one."""
    end = at + mask.rank
    flat = reshape(x, [*x.shape[:at], prod(mask.shape), *x.shape[end:]])
    places = true_places(reshape(cast(mask, BOOL), [prod(mask.shape)]))
    return emit(graph.GatherOp, flat, places, axis=at)


def _read_indices(node: Node, x: Value) -> _Indices:
    given = _expanded_masks(node, node.optional_values("indices"))
    dims = [dim for dim, index in enumerate(given) if index is not None]
    indices = [_integers(index) for index in given if index is not None]
    if len({index.dtype for index in indices}) > 1:
        indices = [cast(index, INT64) for index in indices]
    shape = broadcast(*(index.shape for index in indices))
    for dim, index in zip(dims, indices, strict=True):
        check_indices(node, index, x.shape[dim])
    columns = [unsqueeze(broadcast_to(index, shape), [len(shape)]) for index in indices]
    return _Indices(dims, shape, concat(columns, len(shape)))


def _index(node: Node) -> Value:
    """`x[i, :, j, …]`: indexed dimensions come first, are picked, and go back where numpy has them."""
    x = node.value("self")
    asked = node.optional_values("indices")
    masks = [(at, index) for at, index in enumerate(asked) if index is not None and _is_mask(index)]
    if len(masks) == 1 and masks[0][1].array is None and sum(index is not None for index in asked) == 1:
        return masked(x, masks[0][1], masks[0][0])
    given = _expanded_masks(node, asked)
    single = [(dim, index) for dim, index in enumerate(given) if index is not None]
    if len(single) == 1:
        (axis, index) = single[0]
        check_indices(node, index, x.shape[axis])
        return emit(graph.GatherOp, x, _integers(index), axis=axis)
    indices = _read_indices(node, x)
    picked = emit(graph.GatherNdOp, transpose(x, indices.first(x.rank)), indices.stacked, batch_dims=0)
    count, position = len(indices.shape), indices.position()
    back = [*range(count, count + position), *range(count), *range(count + position, picked.rank)]
    return transpose(picked, back)


def _index_put(node: Node) -> Value:
    x = node.value("self")
    given, values = node.optional_values("indices"), cast(node.value("values"), x.dtype)
    accumulate = node.flag("accumulate")
    mask = next((index for index in given if index is not None and index.is_bool), None)
    if mask is not None and mask.array is None and len([index for index in given if index is not None]) == 1:
        return _filled(node, x, mask, values, given.index(mask), accumulate)
    indices = _read_indices(node, x)
    if len(indices.dims) == len(indices.shape) == 1:
        return _put_rows(x, indices, values, accumulate=accumulate)
    order = indices.first(x.rank)
    moved = transpose(x, order)
    rest = moved.shape[len(indices.dims) :]
    position, count = indices.position(), len(indices.shape)
    shape = [*rest[:position], *indices.shape, *rest[position:]]
    updates = broadcast_to(values, shape)
    updates = transpose(
        updates, [*range(position, position + count), *range(position), *range(position + count, len(shape))]
    )
    written = emit(graph.ScatterNdOp, moved, indices.stacked, updates, reduction="add" if accumulate else "none")
    return transpose(written, [order.index(dim) for dim in range(x.rank)])


def _put_rows(x: Value, indices: _Indices, values: Value, *, accumulate: bool) -> Value:
    """`x[:, i] = values`, as caches are written."""
    (axis,), (count,) = indices.dims, indices.shape
    shape = [count if dim == axis else size for dim, size in enumerate(x.shape)]
    places = reshape(indices.stacked, [count if dim == axis else 1 for dim in range(x.rank)])
    operands = x, broadcast_to(places, shape), broadcast_to(values, shape)
    return emit(graph.ScatterElementsOp, *operands, axis=axis, reduction="add" if accumulate else "none")


def _filled(node: Node, x: Value, mask: Value, values: Value, at: int, accumulate: bool) -> Value:
    """One number where a mask that is computed holds."""
    if prod(values.shape) != 1:
        if accumulate or at or mask.rank != x.rank:
            raise node.unsupported("writes many values by a mask that is computed at run time", "use torch.where")
        return _placed_by_mask(node, x, mask, values)
    whole = reshape(mask, [*[1] * at, *mask.shape, *[1] * (x.rank - at - mask.rank)])
    number = reshape(values, [])
    return select(whole, x + number if accumulate else broadcast_to(number, x.shape), x)


def _scattered(node: Node, x: Value, source: Value, reduction: str = "none") -> Value:
    """`x` with the elements of `source` placed along a dimension; what of `source` has no index is left out."""
    indices = _integers(node.value("index"))
    if is_empty(indices.shape):
        return x
    axis = node.axis("dim", x.rank)
    if x.rank == 0:
        x, indices, source = (reshape(value, [1]) for value in (x, indices, source))
        return reshape(_put_elements(x, indices, source, 0, reduction), [])
    check_indices(node, indices, x.shape[axis])
    for dim, size in enumerate(indices.shape):
        source = take(source, dim, 0, size)
    return _put_elements(x, indices, source, axis, reduction)


def _put_elements(x: Value, indices: Value, source: Value, axis: int, reduction: str = "none") -> Value:
    """`x` with elements placed along an axis by indices that do not count from the end."""
    return emit(graph.ScatterElementsOp, x, indices, source, axis=axis, reduction=reduction, nonnegative_indices=True)


def _index_copy(node: Node) -> Value:
    """`x` with slices of `source` placed along a dimension, as static caches are written."""
    return _put_slices(node, node.value("source"))


def _index_add(node: Node) -> Value:
    """`x` with slices of `source` added along a dimension."""
    source = node.value("source")
    return _put_slices(node, source * typed(node, node.operand("alpha"), source.dtype), "add")


def _put_slices(node: Node, source: Value, reduction: str = "none") -> Value:
    x, indices, source = node.value("self"), _integers(node.value("index")), cast(source, node.value("self").dtype)
    axis, count = node.axis("dim", max(x.rank, 1)), prod(indices.shape)
    whole = [count if dim == axis else size for dim, size in enumerate(x.shape or (1,))]
    check_indices(node, indices, (x.shape or (1,))[axis])
    places = broadcast_to(reshape(indices, [count if dim == axis else 1 for dim in range(len(whole))]), whole)
    return reshape(_put_elements(reshape(x, x.shape or [1]), places, reshape(source, whole), axis, reduction), x.shape)


def _scatter(node: Node) -> Value:
    x = node.value("self")
    if node.has("reduce"):
        return _scattered(node, x, _source(node, x), {"add": "add", "multiply": "mul"}[node.text("reduce")])
    return _scattered(node, x, _source(node, x))


def _source(node: Node, x: Value) -> Value:
    if "src" in node.arguments:
        return cast(node.value("src"), x.dtype)
    return broadcast_to(typed(node, node.operand("value"), x.dtype), node.value("index").shape)


def _scatter_add(node: Node) -> Value:
    x = node.value("self")
    return _scattered(node, x, cast(node.value("src"), x.dtype), "add")


_REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "mean": "add"}


def _scatter_reduce(node: Node) -> Value:
    """Elements combined where they meet; `x` itself may be left out of it where something is placed."""
    x, kind = node.value("self"), node.text("reduce")
    source = cast(node.value("src"), x.dtype)
    start = x
    if not node.flag("include_self"):
        neutral = {"sum": 0, "mean": 0, "prod": 1, "amax": _lowest(x.dtype), "amin": _highest(x.dtype)}[kind]
        start = _scattered(node, x, broadcast_to(x.like(neutral), node.value("index").shape))
    y = _scattered(node, start, source, _REDUCTIONS[kind])
    if kind != "mean":
        return y
    ones = broadcast_to(x.like(1), node.value("index").shape)
    first = broadcast_to(x.like(1), x.shape)
    if not node.flag("include_self"):
        first = _scattered(node, first, broadcast_to(x.like(0), node.value("index").shape))
    count = _scattered(node, first, ones, "add")
    return y / count


def _lowest(dtype: np.dtype[np.generic]) -> float:
    return -np.inf if dtype.kind == "f" else int(np.iinfo(dtype.str).min)


def _highest(dtype: np.dtype[np.generic]) -> float:
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype.str).max)


def _masked_scatter(node: Node) -> Value:
    """The elements of `source` in turn where a mask holds."""
    x = node.value("self")
    mask, source = broadcast_to(node.value("mask"), x.shape), cast(node.value("source"), x.dtype)
    return _placed_by_mask(node, x, mask, source)


def _placed_by_mask(node: Node, x: Value, mask: Value, source: Value) -> Value:
    """`x` with the elements of `source` in turn where a mask of its shape holds: how many came before tells which.

    Where the run computes how many `source` has (`x.masked_scatter(mask, y[mask])`), a number in front of them stands
    for elements that are not taken, so that there is one even where `source` has none.
    """
    count, given = prod(x.shape), prod(source.shape)
    flat = reshape(mask, [count])
    place, table = running_sum(cast(flat, INT64), 0), reshape(source, [given])
    if _size_is_found(source):
        table = concat([node.builder.filled(0, [1], x.dtype), table], 0)
    else:
        place = place - 1
        last = node.builder.sizes(given - 1, INT64)
        place = within(place, last) if node.builder.varies else emit(graph.ClampOp, place, min=0, max=given - 1)
    picked = emit(graph.GatherOp, table, place, axis=0)
    return reshape(select(flat, picked, reshape(x, [count])), x.shape)


def _size_is_found(x: Value) -> bool:
    """Whether the run may compute the size of `x`: whether an operation before it finds places in data."""
    behind, seen = [x.ssa] if x.builder.computes_sizes else [], set[Operation]()
    while behind:
        value = behind.pop()
        op = None if value is None else value.owner
        if isinstance(op, graph.NonzeroOp):
            return True
        if isinstance(op, Operation) and op not in seen:
            seen.add(op)
            behind += op.operands
    return False


def _one_hot(node: Node) -> Value:
    x, count = node.value("self"), node.integer("num_classes")
    if count < 0:
        raise node.unsupported("finds the number of classes in the data", "give num_classes")
    hit = equal(unsqueeze(x, [x.rank]), node.constant(np.arange(count), INT64))
    return cast(hit, INT64)


def _embedding_bag(node: Node) -> list[Value | None]:
    """Rows of a table, summed or averaged over bags that all have one size; the row of padding counts for nothing."""
    weight, indices = node.value("weight"), _integers(node.value("indices"))
    offsets, mode, padding = node.value("offsets"), node.integer("mode"), node.integer("padding_idx")
    check_indices(node, indices, weight.shape[0])
    if offsets.array is None or indices.rank != 1 or node.flag("include_last_offset"):
        raise node.unsupported("has bags of sizes that are computed at run time", "give indices as a matrix of bags")
    bounds = [*offsets.array.reshape(-1).tolist(), indices.shape[0]]
    sizes = {b - a for a, b in pairwise(bounds)}
    if len(sizes) != 1 or 0 in sizes or mode == 2:
        raise node.unsupported("has bags of different sizes, or takes the maximum", "use bags of one size")
    bags = reshape(indices, [len(bounds) - 1, *sizes])
    rows = emit(graph.GatherOp, weight, bags, axis=0, nonnegative_indices=True)
    if node.has("per_sample_weights"):
        rows = rows * reshape(node.value("per_sample_weights"), [*bags.shape, 1])
    if padding < 0:
        return [emit(graph.ReduceMeanOp if mode == 1 else graph.ReduceSumOp, rows, axes=[1]), None, None, None]
    kept = unsqueeze(equal(cast(equal(bags, padding), np.dtype(np.int32)), 0), [2])
    y = emit(graph.ReduceSumOp, select(kept, rows, 0.0), axes=[1])
    counts = maximum(emit(graph.ReduceSumOp, cast(kept, rows.dtype), axes=[1]), 1.0)
    return [y / counts if mode == 1 else y, None, None, None]


def _bucketize(node: Node) -> Value:
    """How many boundaries lie below."""
    x, bounds = node.operand("self"), node.value("boundaries")
    column = unsqueeze(typed(node, x, bounds.dtype), [x.rank if isinstance(x, Value) else 0])
    behind = less(bounds, column)
    if node.flag("right"):
        behind = emit(graph.LessEqualOp, bounds, column)
    counts = emit(graph.ReduceSumOp, cast(behind, np.dtype(np.int32)), axes=[column.rank - 1])
    return cast(counts, node.result_dtype())


IMPORTERS: Mapping[str, Importer] = {
    "_embedding_bag": _embedding_bag,
    "_embedding_bag_forward_only": _embedding_bag,
    "_unsafe_index": _index,
    "_unsafe_index_put": _index_put,
    "bucketize": _bucketize,
    "embedding": _embedding,
    "gather": _gather,
    "index": _index,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_put": _index_put,
    "index_select": _index_select,
    "masked_scatter": _masked_scatter,
    "one_hot": _one_hot,
    "scatter": _scatter,
    "scatter_add": _scatter_add,
    "scatter_reduce": _scatter_reduce,
}
