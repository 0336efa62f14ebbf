"""Medians, running extremes, searches in sorted sequences and counts by bins."""

from collections.abc import Mapping
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import (
    cast,
    equal,
    greater,
    less,
    maximum,
    minimum,
    reshape,
    select,
    take,
    transpose,
    unsqueeze,
)
from s2s.frontends.networks import Values, scan
from s2s.frontends.order import largest
from s2s.frontends.torch.dtypes import INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import together

_INT8, _INT32 = np.dtype(np.int8), np.dtype(np.int32)


def _not(x: Value) -> Value:
    return emit(graph.LogicalNotOp, x)


def _is_nan(x: Value) -> Value:
    return _not(equal(x, x))


def _last(x: Value, axis: int) -> Value:
    """`x` with one dimension behind the others."""
    return transpose(x, [*(dim for dim in range(x.rank) if dim != axis), axis])


def _median(node: Node) -> Value | list[Value | None]:
    """The lower median of a dimension, or of all elements, and its place; the first NaN if there is one."""
    x = node.value("self")
    if node.overload == "default":
        flat = reshape(x, [1, prod(x.shape)])
        return reshape(_lower_median(flat)[0], [])
    if x.rank == 0:
        return [x, node.constant(0, INT64)]
    axis, keepdim = node.axis("dim", x.rank), node.flag("keepdim")
    found = _lower_median(_last(x, axis))
    shape = [1 if dim == axis else size for dim, size in enumerate(x.shape) if keepdim or dim != axis]
    return [reshape(each, shape) for each in found]


def _lower_median(x: Value) -> tuple[Value, Value]:
    """The value in the middle of each row in order, and its place; dimensions of size one are left."""
    size, last = x.shape[-1], x.rank - 1
    values, places = largest(x, (size - 1) // 2 + 1, last=True)
    middle = (size - 1) // 2
    value, place = take(values, last, middle, 1), cast(take(places, last, middle, 1), INT64)
    if not x.is_float:
        return value, place
    nans = cast(_is_nan(x), _INT8)
    has_nan = greater(emit(graph.ReduceMaxOp, nans, axes=[last], keepdims=True), 0)
    first = emit(graph.ArgmaxOp, nans, axis=last, keepdims=True)
    return select(has_nan, value.like(np.nan), value), select(has_nan, first, place)


def _running_extreme(most: bool) -> Importer:
    """The extreme of the elements so far, and the last place where it was met; NaN goes before numbers."""

    def importer(node: Node) -> list[Value]:
        x = node.value("self")
        if x.rank == 0:
            return [x, node.constant(0, INT64)]
        axis = node.axis("dim", x.rank)
        rows = transpose(x, [axis, *(dim for dim in range(x.rank) if dim != axis)])

        def step(inner: Builder, carried: Values, slices: Values, _: Values) -> tuple[Values, Values]:
            best, place, number = carried
            [given] = slices
            passes = _not(less(given, best) if most else greater(given, best))
            if given.is_float:
                keeps_nan = emit(graph.LogicalAndOp, _is_nan(best), _not(_is_nan(given)))
                passes = emit(graph.LogicalAndOp, passes, _not(keeps_nan))
            best, place = select(passes, given, best), select(passes, number, place)
            return [best, place, number + 1], [best, place]

        first = reshape(take(rows, 0, 0, 1), rows.shape[1:])
        zeros = node.builder.filled(0, rows.shape[1:], INT64)
        carried = [first, zeros, zeros]
        _, parts = scan(node.builder, "running_extreme", step, carried=carried, scanned=[rows], steps=x.shape[axis])
        back = [*range(1, axis + 1), 0, *range(axis + 1, x.rank)]
        return [transpose(each, back) for each in parts]

    return importer


def _logcumsumexp(node: Node) -> Value:
    """`log(exp(x[0]) + … + exp(x[i]))`, each sum relative to its larger term."""
    x = node.value("self")
    if x.rank == 0:
        return x
    axis = node.axis("dim", x.rank)
    rows = transpose(x, [axis, *(dim for dim in range(x.rank) if dim != axis)])

    def step(_: Builder, carried: Values, slices: Values, __: Values) -> tuple[Values, Values]:
        high, low = maximum(carried[0], slices[0]), minimum(carried[0], slices[0])
        rest = emit(graph.LogOp, emit(graph.ExpOp, low - high) + 1)
        total = select(emit(graph.IsInfOp, high), high, high + rest)
        return [total], [total]

    start = node.builder.filled(-np.inf, rows.shape[1:], x.dtype)
    _, (sums,) = scan(node.builder, "log_sum", step, carried=[start], scanned=[rows], steps=x.shape[axis])
    return transpose(sums, [*range(1, axis + 1), 0, *range(axis + 1, x.rank)])


def _before(table: Value, values: Value, *, right: bool) -> Value:
    """How many elements of the rows of `table`, its last axis, stand before each of `values`; NaN stands behind all
    numbers."""
    sought = unsqueeze(values, [values.rank])
    stops = greater(table, sought) if right else _not(less(table, sought))
    if values.is_float:
        unordered = _is_nan(sought)
        stops = emit(graph.LogicalAndOp, stops, _not(unordered))
    counted = cast(_not(stops), _INT32)
    return emit(graph.ReduceSumOp, counted, axes=[counted.rank - 1])


def _searchsorted(node: Node) -> Value:
    if node.has("sorter"):
        raise node.unsupported("is given an order of its sequence", "sort the sequence before")
    sequence, values = together(node, ("sorted_sequence", "self"))
    right = node.flag("right") or (node.has("side") and node.text("side") == "right")
    table = _for_each(sequence, values) if sequence.rank == 1 else unsqueeze(sequence, [sequence.rank - 1])
    return cast(_before(table, values, right=right), node.result_dtype())


def _bucketize(node: Node) -> Value:
    values, boundaries = together(node, ("self", "boundaries"))
    return cast(_before(_for_each(boundaries, values), values, right=node.flag("right")), node.result_dtype())


def _for_each(sequence: Value, values: Value) -> Value:
    """One sequence for all values: [n] as [1, 1, n] for values [2, 3], as [n] for a scalar."""
    return reshape(sequence, [*[1] * values.rank, sequence.shape[0]])


def _histc(node: Node) -> Value:
    """How many elements lie in each of as many equal bins; elements outside of the range are not counted."""
    x, bins = node.value("self"), node.integer("bins")
    flat = reshape(x, [prod(x.shape)])
    low, high = x.like(node.real("min")), x.like(node.real("max"))
    if node.real("min") == node.real("max"):
        low, high = (emit(kind, flat, axes=[0]) for kind in (graph.ReduceMinOp, graph.ReduceMaxOp))
        alone = equal(low, high)
        low, high = select(alone, low - 1, low), select(alone, high + 1, high)
    place = emit(graph.FloorOp, (flat - low) * float(bins) / (high - low))
    place = minimum(place, float(bins - 1))
    inside = emit(graph.LogicalAndOp, _not(less(flat, low)), _not(greater(flat, high)))
    numbers = node.constant(np.arange(bins)[:, None], x.dtype)
    hit = emit(graph.LogicalAndOp, equal(numbers, unsqueeze(place, [0])), unsqueeze(inside, [0]))
    return cast(emit(graph.ReduceSumOp, cast(hit, _INT32), axes=[1]), x.dtype)


def _repeat_interleave(node: Node) -> Value:
    """The number of the element that each place of the result holds; how many there are must be told."""
    if not node.has("output_size"):
        raise node.unsupported("the size of its result depends on the data", "give output_size")
    repeats = node.value("repeats")
    ends = running_sum(cast(repeats, INT64), 0)
    places = node.counted_up(node.integer("output_size"), INT64)
    return cast(_before(ends, places, right=True), node.result_dtype())


IMPORTERS: Mapping[str, Importer] = {
    "bucketize": _bucketize,
    "cummax": _running_extreme(True),
    "cummin": _running_extreme(False),
    "histc": _histc,
    "logcumsumexp": _logcumsumexp,
    "median": _median,
    "repeat_interleave": _repeat_interleave,
    "searchsorted": _searchsorted,
}
