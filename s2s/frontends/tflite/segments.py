"""Import sums and extremes of the rows of each segment, and sums of looked-up rows.

Sums are compared with a tolerance of 1e-6 of the largest magnitude: the order of additions is a kernel's own.
"""

from collections.abc import Mapping
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node

_SUM, _MEAN, _SQRTN = 0, 1, 2
"""Members of CombinerType."""


def _rows(node: Node, kinds: tuple[str, ...]) -> tuple[Value, Value]:
    """The data, and the number of the segment of each of its rows as a column."""
    x, ids = node.input(0), node.input(1).value
    require_kinds(node, (x,), *kinds)
    if x.shape[: ids.rank] != ids.shape or ids.rank == 0:
        raise node.invalid(f"segments {list(ids.shape)} do not fit {list(x.shape)}", "fix the shapes")
    count = prod(ids.shape)
    return reshape(x.value, [count, *x.shape[ids.rank :]]), reshape(ids, [count, 1])


def _combined(node: Node, x: Value, ids: Value, count: int, start: float, reduction: str) -> Value:
    base = node.builder.filled(start, node.shape([count, *x.shape[1:]]), x.dtype)
    return emit(graph.ScatterNdOp, base, ids, x, reduction=reduction)


def _segment_sum(node: Node) -> Value:
    """The number of segments follows from the last of the ordered ids."""
    x, ids = _rows(node, ("float32", "int32"))
    known = node.known(1, "the list of segments")
    if np.any(np.diff(known) < 0) or np.any(known < 0):
        raise node.invalid("its segments are not in order", "sort the rows by their segments")
    return _combined(node, x, ids, int(known[-1]) + 1 if known.size else 0, 0, "add")


def _unsorted(reduction: str) -> Importer:
    """Segments without rows hold what the reduction begins with."""

    def importer(node: Node) -> Value:
        x, ids = _rows(node, ("float32", "int32"))
        counts = node.known_ints(2, "the number of segments")
        if len(counts) != 1 or counts[0] < 0:
            raise node.invalid(f"has the numbers {counts} of segments", "give one")
        limits = np.finfo(np.float32) if x.is_float else np.iinfo(np.int32)
        start = {"add": 0.0, "mul": 1.0, "max": float(limits.min), "min": float(limits.max)}[reduction]
        return _combined(node, x, ids, counts[0], start, reduction)

    return importer


def _embedding_lookup_sparse(node: Node) -> Value:
    """Weighted sums of the rows of a table that each place of a sparse tensor lists."""
    ids, places = node.input(0).value, node.input(1).value
    shape = node.shape(node.known_ints(2, "its dense shape"))
    weights, table = node.input(3), node.input(4)
    require_kinds(node, (weights, table), "float32")
    if ids.rank != 1 or places.shape != (ids.shape[0], len(shape)) or weights.shape != ids.shape or table.rank < 2:
        raise node.invalid(f"looks {list(ids.shape)} up at {list(places.shape)} in {list(shape)}", "fix the shapes")
    outer, columns = shape[:-1], table.shape[1:]
    flat = emit(graph.ReduceSumOp, places * node.constant(_strides(outer), places.dtype), axes=[1])
    column = reshape(flat, [ids.shape[0], 1])
    factors = reshape(weights.value, [ids.shape[0], *[1] * len(columns)])
    rows = emit(graph.GatherOp, table.value, ids, axis=0)
    total = _combined(node, rows * factors, column, prod(outer), 0, "add")
    combiner = int(node.options.Combiner())
    if combiner != _SUM:
        squares = weights.value * weights.value if combiner == _SQRTN else weights.value
        size = _combined(node, squares, column, prod(outer), 0, "add")
        size = emit(graph.SqrtOp, size) if combiner == _SQRTN else size
        empty = cast(emit(graph.EqualOp, size, size.like(0)), size.dtype)
        total = total / reshape(size + empty, [prod(outer), *[1] * len(columns)])
    return reshape(total, [*outer, *columns])


def _strides(outer: tuple[int, ...]) -> list[int]:
    """How far apart neighbours along each dimension but the last are, which itself does not count."""
    return [*(prod(outer[place + 1 :]) for place in range(len(outer))), 0]


IMPORTERS: Mapping[str, Importer] = {
    "EMBEDDING_LOOKUP_SPARSE": _embedding_lookup_sparse,
    "SEGMENT_SUM": _segment_sum,
    "UNSORTED_SEGMENT_MAX": _unsorted("max"),
    "UNSORTED_SEGMENT_MIN": _unsorted("min"),
    "UNSORTED_SEGMENT_PROD": _unsorted("mul"),
    "UNSORTED_SEGMENT_SUM": _unsorted("add"),
}
