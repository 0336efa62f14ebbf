"""Reductions along axes, searches for extremes, running sums."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.cumulative import running_product, running_sum
from s2s.frontends.formulas import cast, equal, less, minimum, reshape, select, transpose, widened
from s2s.frontends.onnx.declared_shapes import reduced_axes
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.order import largest
from s2s.types.size import alike, integer_of, is_size

_COUNT = np.dtype(np.int32)
OperationClass = Callable[..., Operation]


def reduce_to(operation: OperationClass, x: Value, axes: list[int], keepdims: bool) -> Value:
    """`x` reduced along `axes`; `x` itself when there are none."""
    return emit(operation, x, axes=axes, keepdims=keepdims) if axes else x


def root(x: Value, order: int) -> Value:
    """The `order`-th root."""
    if order == 1:
        return x
    return emit(graph.SqrtOp, x) if order == 2 else x ** (1 / order)


def _axes(node: Node, x: Value) -> list[int]:
    """The axes to reduce: an attribute at first, later an operand; all of them when not given, or none on request."""
    given: list[int] | None = None
    if "axes" in node.attributes:
        given = node.integers("axes")
    elif node.optional(1) is not None:
        given = node.known_ints(1, "axes")
    if not given:
        return [] if node.flag("noop_with_empty_axes", False) else list(range(x.rank))
    return node.axes(given, x.rank)


def _reduction(
    operation: OperationClass,
    before: Callable[[Value], Value] | None = None,
    after: Callable[[Value], Value] | None = None,
    *,
    wide: bool = False,
) -> Importer:
    """Apply `before` to the elements, reduce, and apply `after`; with `wide`, floats of 16 bits in float32."""

    def importer(node: Node) -> Value:
        given, keepdims = node.input(0), node.flag("keepdims")
        x = widened(given) if wide else given
        changed = before(x) if before else x
        summed = _over_axes(node, x, lambda axes: reduce_to(operation, changed, axes, keepdims))
        return cast(after(summed) if after else summed, given.dtype)

    return importer


def _over_axes(node: Node, x: Value, reduced: Callable[[list[int]], Value]) -> Value:
    """`reduced` over the axes of `node`. Of axes computed at run time, those are tried that give the declared shape."""
    given = node.optional(1)
    if given is None or given.array is not None:
        return reduced(_axes(node, x))
    shape = node.declared_shape("axes")
    choices = reduced_axes(x.shape, shape, node.flag("keepdims"))
    if not choices:
        raise node.invalid(f"no axes of {list(x.shape)} leave the declared shape {list(shape)}", "fix the shape")
    result = reduced(choices[0])
    wrapped = select(less(given, 0), given + x.rank, given)
    for axes in choices[1:]:
        hits = [emit(graph.ReduceMaxOp, cast(equal(wrapped, axis), _COUNT), axes=[0], keepdims=False) for axis in axes]
        found = hits[0]
        for hit in hits[1:]:
            found = minimum(found, hit)
        result = select(equal(found, 1), reduced(axes), result)
    return result


def _square(x: Value) -> Value:
    return x * x


def _log(x: Value) -> Value:
    return emit(graph.LogOp, x)


def _integer_sqrt(x: Value) -> Value:
    """The root of a sum of squares, of integers through float64."""
    return emit(graph.SqrtOp, x) if x.is_float else cast(emit(graph.SqrtOp, cast(x, np.dtype(np.float64))), x.dtype)


def _log_sum_exp(node: Node) -> Value:
    """Relative to the maximum, so that nothing overflows."""
    x = node.input(0)
    if not x.is_float:
        raise node.unsupported(f"element type {x.element}", "insert a Cast to float")
    keepdims = node.flag("keepdims")

    def reduced(axes: list[int]) -> Value:
        largest = reduce_to(graph.ReduceMaxOp, x, axes, keepdims=True)
        finite = emit(graph.IsInfOp, largest)
        largest = select(finite, largest.like(0), largest)
        summed = _log(reduce_to(graph.ReduceSumOp, emit(graph.ExpOp, x - largest), axes, keepdims=True)) + largest
        if keepdims or not axes:
            return summed
        return reshape(summed, [size for axis, size in enumerate(x.shape) if axis not in axes])

    return _over_axes(node, x, reduced)


def _extreme(operation: OperationClass) -> Importer:
    def importer(node: Node) -> Value:
        x = node.input(0)
        return emit(
            operation,
            x,
            axis=node.axis(node.integer("axis"), x.rank),
            keepdims=node.flag("keepdims"),
            select_last=node.flag("select_last_index", False),
        )

    return importer


def _along(node: Node, scan: Callable[[Value, int], Value]) -> Value:
    """`scan` along the axis that an operand names; one computed at run time selects among the results of all axes."""
    x, axis = node.input(0), node.input(1)
    if x.rank == 0:
        raise node.invalid("the input is a scalar", "give at least one dimension")
    if axis.array is not None:
        if axis.array.size != 1:
            raise node.invalid(f"axis has shape {list(axis.shape)}", "give one number")
        return scan(x, node.axis(int(axis.array.reshape(()).item()), x.rank))
    chosen = reshape(axis, [])
    chosen = select(less(chosen, 0), chosen + x.rank, chosen)
    result = scan(x, 0)
    for candidate in range(1, x.rank):
        result = select(equal(chosen, candidate), scan(x, candidate), result)
    return result


def _cumsum(node: Node) -> Value:
    flags = {"exclusive": node.flag("exclusive"), "reverse": node.flag("reverse")}
    return _along(node, lambda x, axis: running_sum(x, axis, **flags))


def _cumprod(node: Node) -> Value:
    return _along(
        node, lambda x, axis: running_product(x, axis, exclusive=node.flag("exclusive"), reverse=node.flag("reverse"))
    )


def _top_k(node: Node) -> list[Value]:
    x = node.input(0)
    axis = node.axis(node.integer("axis"), x.rank)
    size = x.shape[axis]
    count = node.known_number(1, "K") if node.since >= 10 else node.integer("k")
    if count is None or not 0 < count <= size:
        raise node.invalid(f"K is {count} for {size} elements", "give 1 up to that many")
    perm = [*(dim for dim in range(x.rank) if dim != axis), axis]
    if is_size(count) and not alike([integer_of(count)], [size]):
        raise node.unsupported("K follows from a size", "choose a constant number, or all elements")
    values, places = largest(transpose(x, perm), integer_of(count), last=not node.flag("largest", True))
    back = [perm.index(dim) for dim in range(x.rank)]
    return [transpose(values, back), transpose(cast(places, np.dtype(np.int64)), back)]


IMPORTERS: Mapping[str, Importer] = {
    "ArgMax": _extreme(graph.ArgmaxOp),
    "ArgMin": _extreme(graph.ArgminOp),
    "CumProd": _cumprod,
    "CumSum": _cumsum,
    "ReduceL1": _reduction(graph.ReduceSumOp, before=abs),
    "ReduceL2": _reduction(graph.ReduceSumOp, before=_square, after=_integer_sqrt, wide=True),
    "ReduceLogSum": _reduction(graph.ReduceSumOp, after=_log, wide=True),
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _reduction(graph.ReduceMaxOp),
    "ReduceMean": _reduction(graph.ReduceMeanOp),
    "ReduceMin": _reduction(graph.ReduceMinOp),
    "ReduceProd": _reduction(graph.ReduceProdOp),
    "ReduceSum": _reduction(graph.ReduceSumOp),
    "ReduceSumSquare": _reduction(graph.ReduceSumOp, before=_square, wide=True),
    "TopK": _top_k,
}
