"""Operators whose result has a size that depends on the data: the places of what is not zero, and distinct elements."""

from collections.abc import Mapping
from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, equal, less, maximum, reshape, select, transpose, unsqueeze
from s2s.frontends.selection import Distinct, coordinates, counted_places, distinct
from s2s.frontends.torch.dtypes import INT64
from s2s.frontends.torch.indexing import masked
from s2s.frontends.torch.node import Importer, Node
from s2s.types.size import is_empty
from s2s.types.sizes import SizeRange


def _nonzero(node: Node) -> Value:
    """The places of the elements that are not zero, one row each."""
    return transpose(coordinates(node.value("self")), [1, 0])


def _masked_select(node: Node) -> Value:
    x, mask = node.value("self"), node.value("mask")
    shape = [max(pair) for pair in zip(_aligned(x, mask), _aligned(mask, x), strict=True)]
    return masked(broadcast_to(x, shape), broadcast_to(mask, shape), 0)


def _aligned(x: Value, other: Value) -> tuple[int, ...]:
    """The shape of `x` with leading ones up to the rank of `other`."""
    return (*[1] * max(0, other.rank - x.rank), *x.shape)


def _unique(node: Node) -> list[Value | None]:
    """Distinct elements in order, for each element the number of its own, and how often each stands there."""
    x = node.value("self")
    found = distinct(reshape(x, [prod(x.shape), 1]), in_order=True)
    return _results(node, reshape(x, [prod(x.shape)]), 0, found, x.shape)


def _unique_slices(node: Node) -> list[Value | None]:
    x = node.value("self")
    axis = node.axis("dim", x.rank)
    count = x.shape[axis]
    columns = prod(x.shape) // count
    rows = reshape(transpose(x, [axis, *(dim for dim in range(x.rank) if dim != axis)]), [count, columns])
    return _results(node, x, axis, distinct(rows, in_order=True), (count,))


def _bincount(node: Node) -> Value:
    """How often each number stands among the elements, or the sum of its weights; as long as the greatest element and
    `minlength` ask for, within the bound of the user or of the element type."""
    x, dtype = node.value("self"), node.result_dtype()
    least = node.integer("minlength") if node.has("minlength") else 0
    if is_empty(x.shape):
        return node.builder.filled(0, [least], dtype)
    asked, name = node.builder.asked_size(), node.builder.size_name
    if asked is None and x.dtype.itemsize > 1:
        bound = f"bound it, as in --dim {name}={least}..{max(least, 64)}, which a run may not exceed"
        raise node.unsupported("its length is the greatest element and one more", bound)
    size = SizeRange(least, 1 << max(8, (least - 1).bit_length())) if asked is None else asked
    bounds = size if isinstance(size, SizeRange) else SizeRange(size, size)
    numbers = cast(x, INT64)
    length = maximum(emit(graph.ReduceMaxOp, numbers, axes=[0]) + 1, least)
    is_negative = less(emit(graph.ReduceMinOp, numbers, axes=[0]), 0)
    length = select(is_negative, length.like(bounds.most + 1), length)  # such a run fails, as in torch
    places = unsqueeze(cast(counted_places(length, bounds.most, least), INT64), [1])
    hit = equal(places, unsqueeze(numbers, [0]))
    weights = node.optional("weights")
    parts = cast(hit, dtype) if weights is None else select(hit, unsqueeze(cast(weights, dtype), [0]), weights.like(0))
    return emit(graph.ReduceSumOp, parts, axes=[1])


def _results(node: Node, x: Value, axis: int, found: Distinct, shape: tuple[int, ...]) -> list[Value | None]:
    inverse = reshape(cast(found.inverse, INT64), shape) if node.is_used(1) else None
    counts = cast(found.counts, INT64) if node.is_used(2) else None
    return [emit(graph.GatherOp, x, found.places, axis=axis), inverse, counts]


IMPORTERS: Mapping[str, Importer] = {
    "_unique2": _unique,
    "bincount": _bincount,
    "masked_select": _masked_select,
    "nonzero": _nonzero,
    "unique_dim": _unique_slices,
}
