"""Operators whose result has a size that depends on the data: the places of what is not zero, and distinct elements."""

from collections.abc import Mapping
from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, reshape, transpose
from s2s.frontends.selection import Distinct, coordinates, distinct
from s2s.frontends.torch.dtypes import INT64
from s2s.frontends.torch.indexing import masked
from s2s.frontends.torch.node import Importer, Node


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


def _results(node: Node, x: Value, axis: int, found: Distinct, shape: tuple[int, ...]) -> list[Value | None]:
    inverse = reshape(cast(found.inverse, INT64), shape) if node.is_used(1) else None
    counts = cast(found.counts, INT64) if node.is_used(2) else None
    return [emit(graph.GatherOp, x, found.places, axis=axis), inverse, counts]


IMPORTERS: Mapping[str, Importer] = {
    "_unique2": _unique,
    "masked_select": _masked_select,
    "nonzero": _nonzero,
    "unique_dim": _unique_slices,
}
