"""Reductions along dimensions, searches for extremes, running sums, order."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_sum
from s2s.frontends.formulas import cast, maximum, reshape, select, transpose, unsqueeze, widened
from s2s.frontends.order import largest
from s2s.frontends.torch.dtypes import BOOL, FLOAT32, INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import as_result
from s2s.types.size import Size

OperationClass = Callable[..., Operation]
_INT8 = np.dtype(np.int8)


def _axes(node: Node, x: Value) -> list[int]:
    """The dimensions to reduce: an empty list, as none, means all of them."""
    axes = node.axes("dim", x.rank) if node.has("dim") else []
    return axes or list(range(x.rank))


def _keepdims(node: Node) -> bool:
    return "keepdim" in node.arguments and node.flag("keepdim")


def reduced(operation: OperationClass, x: Value, axes: list[int], keepdims: bool) -> Value:
    """`x` reduced along `axes`; a scalar is reduced already."""
    return emit(operation, x, axes=axes, keepdims=keepdims) if x.rank else x


def _reduction(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x = as_result(node)
        return reduced(operation, x, _axes(node, x), _keepdims(node))

    return importer


def _of_truth_values(x: Value) -> Value:
    """Truth values as numbers, which graph reduces."""
    return cast(x, _INT8) if x.is_bool else x


def _extreme(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x = node.value("self")
        return cast(reduced(operation, _of_truth_values(x), _axes(node, x), _keepdims(node)), x.dtype)

    return importer


def _truth(operation: OperationClass) -> Importer:
    """`any` as a maximum, `all` as a minimum of truth values."""

    def importer(node: Node) -> Value:
        x = cast(cast(node.value("self"), BOOL), _INT8)
        return cast(reduced(operation, x, _axes(node, x), _keepdims(node)), node.result_dtype())

    return importer


def _extreme_along(values: OperationClass, places: OperationClass) -> Importer:
    """The extreme and its place along one dimension, or over all of them."""

    def importer(node: Node) -> Value | list[Value | None]:
        x = node.value("self")
        if node.overload == "default":
            return cast(reduced(values, _of_truth_values(x), list(range(x.rank)), False), x.dtype)
        if x.rank == 0:
            return [x, node.constant(0, INT64)]
        axis, keepdims, numbers = node.axis("dim", x.rank), _keepdims(node), _of_truth_values(x)
        found = cast(emit(values, numbers, axes=[axis], keepdims=keepdims), x.dtype) if node.is_used(0) else None
        place = emit(places, numbers, axis=axis, keepdims=keepdims) if node.is_used(1) else None
        return [found, place]

    return importer


def _place(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x = _of_truth_values(node.value("self"))
        if node.has("dim") and x.rank:
            return emit(operation, x, axis=node.axis("dim", x.rank), keepdims=_keepdims(node))
        place = emit(operation, reshape(x, [prod(x.shape)]), axis=0)
        return reshape(place, [1] * x.rank) if _keepdims(node) else place

    return importer


def _variance(node: Node) -> tuple[Value, Value, list[int]]:
    """Variance and mean with the reduced dimensions kept, where numbers have 16 bits in float32; and what these are."""
    x = widened(node.value("self"))
    axes = _axes(node, x)
    correction = 1.0
    if "correction" in node.arguments:
        correction = node.real("correction") if node.has("correction") else 1.0
    elif "unbiased" in node.arguments:
        correction = float(node.flag("unbiased"))
    mean = emit(graph.ReduceMeanOp, x, axes=axes, keepdims=True)
    spread = x - mean
    count = prod(x.shape[axis] for axis in axes)
    total = emit(graph.ReduceSumOp, spread * spread, axes=axes, keepdims=True)
    if isinstance(count, Size):
        divisor = maximum(node.builder.sizes(count, FLOAT32) - correction, 0)
        return total * cast(1 / divisor, x.dtype), mean, axes
    return total * (1 / max(count - correction, 0) if count > correction else np.inf), mean, axes


def _shaped(node: Node, x: Value, axes: list[int]) -> Value:
    return x if _keepdims(node) else reshape(x, [size for axis, size in enumerate(x.shape) if axis not in axes])


def _statistic(node: Node, x: Value, axes: list[int]) -> Value:
    """A variance or mean in the type of the operand."""
    return _shaped(node, cast(x, node.value("self").dtype), axes)


def _var(node: Node) -> Value:
    variance, _, axes = _variance(node)
    return _statistic(node, variance, axes)


def _std(node: Node) -> Value:
    variance, _, axes = _variance(node)
    return _statistic(node, emit(graph.SqrtOp, variance), axes)


def _var_mean(node: Node) -> list[Value]:
    variance, mean, axes = _variance(node)
    return [_statistic(node, variance, axes), _statistic(node, mean, axes)]


def _norm(node: Node) -> Value:
    """The norm of an order, along dimensions."""
    given = as_result(node)
    return cast(_norm_of(node, widened(given)), given.dtype)


def _norm_of(node: Node, x: Value) -> Value:
    axes, keepdims = _axes(node, x), _keepdims(node)
    name = "ord" if "ord" in node.arguments else "p"
    order = node.real(name) if node.has(name) else 2.0
    if order in (np.inf, -np.inf):
        return reduced(graph.ReduceMaxOp if order > 0 else graph.ReduceMinOp, abs(x), axes, keepdims)
    if order == 0:
        hit = emit(graph.LogicalNotOp, emit(graph.EqualOp, x, x.like(0)))
        return reduced(graph.ReduceSumOp, cast(hit, x.dtype), axes, keepdims)
    if order == 1:
        return reduced(graph.ReduceSumOp, abs(x), axes, keepdims)
    if order == 2:
        return emit(graph.SqrtOp, reduced(graph.ReduceSumOp, x * x, axes, keepdims))
    return reduced(graph.ReduceSumOp, abs(x) ** order, axes, keepdims) ** (1 / order)


def _logsumexp(node: Node) -> Value:
    """Relative to the maximum, so that nothing overflows."""
    x = as_result(node)
    axes = _axes(node, x)
    top = emit(graph.ReduceMaxOp, x, axes=axes, keepdims=True)
    top = select(emit(graph.IsInfOp, top), top.like(0), top)
    total = emit(graph.ReduceSumOp, emit(graph.ExpOp, x - top), axes=axes, keepdims=True)
    return _shaped(node, emit(graph.LogOp, total) + top, axes)


def _cumsum(node: Node) -> Value:
    x = as_result(node)
    return running_sum(x, node.axis("dim", x.rank)) if x.rank else x


def _ordered(node: Node, count: int | None, largest_first: bool) -> list[Value | None]:
    """The first this many elements along a dimension in order, and their places."""
    x = node.value("self")
    if x.rank == 0:
        return [x, node.constant(0, INT64)]
    axis = node.axis("dim", x.rank)
    count = x.shape[axis] if count is None else count
    if not 0 < count <= x.shape[axis]:
        raise node.unsupported(f"takes {count} of {x.shape[axis]} elements", "take at least one")
    perm = [*(dim for dim in range(x.rank) if dim != axis), axis]
    back = [perm.index(dim) for dim in range(x.rank)]
    numbers = transpose(_of_truth_values(x), perm)
    values, places = largest(numbers, count, last=not largest_first)
    return [cast(transpose(values, back), x.dtype), cast(transpose(places, back), INT64)]


def _topk(node: Node) -> list[Value | None]:
    return _ordered(node, node.integer("k"), node.flag("largest"))


def _sort(node: Node) -> list[Value | None]:
    return _ordered(node, None, node.flag("descending"))


def _argsort(node: Node) -> Value | None:
    return _ordered(node, None, node.flag("descending"))[1]


def _cdist(node: Node) -> Value:
    """The distance of each row of one matrix from each of another."""
    a, b, order = node.value("x1"), node.value("x2"), node.real("p")
    spread = abs(unsqueeze(a, [a.rank - 1]) - unsqueeze(b, [b.rank - 2]))
    return _distance(spread, order)


def _pdist(node: Node) -> Value:
    """The distance of each pair of rows."""
    x, order = node.value("self"), node.real("p")
    first, second = np.triu_indices(x.shape[0], 1)
    a, b = (emit(graph.GatherOp, x, node.constant(places, INT64), axis=0) for places in (first, second))
    return _distance(abs(a - b), order)


def _distance(spread: Value, order: float) -> Value:
    axes = [spread.rank - 1]
    if order == np.inf:
        return emit(graph.ReduceMaxOp, spread, axes=axes)
    if order == 0:
        zero = cast(emit(graph.EqualOp, spread, spread.like(0)), FLOAT32)
        return emit(graph.ReduceSumOp, 1 - zero, axes=axes)
    if order == 1:
        return emit(graph.ReduceSumOp, spread, axes=axes)
    if order == 2:
        return emit(graph.SqrtOp, emit(graph.ReduceSumOp, spread * spread, axes=axes))
    return emit(graph.ReduceSumOp, spread**order, axes=axes) ** (1 / order)


IMPORTERS: Mapping[str, Importer] = {
    "_cdist_forward": _cdist,
    "_pdist_forward": _pdist,
    "all": _truth(graph.ReduceMinOp),
    "amax": _extreme(graph.ReduceMaxOp),
    "amin": _extreme(graph.ReduceMinOp),
    "any": _truth(graph.ReduceMaxOp),
    "argmax": _place(graph.ArgmaxOp),
    "argmin": _place(graph.ArgminOp),
    "argsort": _argsort,
    "cumsum": _cumsum,
    "linalg_vector_norm": _norm,
    "logsumexp": _logsumexp,
    "max": _extreme_along(graph.ReduceMaxOp, graph.ArgmaxOp),
    "mean": _reduction(graph.ReduceMeanOp),
    "min": _extreme_along(graph.ReduceMinOp, graph.ArgminOp),
    "norm": _norm,
    "prod": _reduction(graph.ReduceProdOp),
    "sort": _sort,
    "std": _std,
    "sum": _reduction(graph.ReduceSumOp),
    "topk": _topk,
    "var": _var,
    "var_mean": _var_mean,
}
