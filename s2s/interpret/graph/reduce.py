"""Numpy meanings of reductions and scans."""

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.reduce import ArgReduceOp, ReduceOp
from s2s.interpret.graph.binary import divide
from s2s.interpret.graph.precision import Meaning, widen
from s2s.types.dtypes import Array, to_numpy


def _reduction(function: Callable[..., Array]) -> Meaning:
    """Return the meaning of a reduction by a numpy function with `axis` and `keepdims`."""

    def meaning(op: ReduceOp, x: Array) -> Array:
        return function(widen(x), axis=op.axes.get_values(), keepdims=op.keepdims is not None).astype(x.dtype)

    return meaning


def _sum(x: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _product(x: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _mean(x: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
    count = np.prod([x.shape[i] for i in axis], dtype=np.int64)
    return divide(_sum(x, axis, keepdims), np.asarray(count).astype(x.dtype))


def _extreme(function: Callable[..., Array], *, largest: bool) -> Callable[..., Array]:
    """Return a maximum or minimum that gives its neutral element for empty input."""

    def reduction(x: Array, axis: tuple[int, ...], keepdims: bool) -> Array:
        if x.size:
            return function(x, axis=axis, keepdims=keepdims)
        if x.dtype == np.bool_:
            identity: float = not largest
        elif x.dtype.kind in "iu":
            identity = np.iinfo(x.dtype).min if largest else np.iinfo(x.dtype).max
        else:
            identity = -np.inf if largest else np.inf
        return function(x, axis=axis, keepdims=keepdims, initial=identity)

    return reduction


def _arg_reduction(function: Callable[..., Array]) -> Meaning:
    """Return the meaning of an arg-reduction by a numpy function that finds the first of equal elements."""

    def meaning(op: ArgReduceOp, x: Array) -> Array:
        axis, wide = op.axis.value.data, widen(x)
        found = function(np.flip(wide, axis) if op.select_last else wide, axis=axis, keepdims=op.keepdims is not None)
        place = np.asarray(x.shape[axis] - 1 - found if op.select_last else found)
        return place.astype(to_numpy(op.y.type.element_type), copy=False)

    return meaning


def _cumsum(op: graph.CumsumOp, x: Array) -> Array:
    axis, wide = op.axis.value.data, widen(x)
    ordered = np.flip(wide, axis) if op.reverse else wide
    total = np.cumsum(ordered, axis=axis, dtype=wide.dtype)
    if op.exclusive:
        total = np.roll(total, 1, axis)
        total[(*[slice(None)] * axis, slice(0, 1))] = 0
    return (np.flip(total, axis) if op.reverse else total).astype(x.dtype, copy=False)


def _top_k(op: graph.TopKOp, x: Array) -> Array:
    from s2s.interpret.routines import first_places

    return first_places(widen(x), op.count.value.data, largest=op.smallest is None).astype(np.int32)


def _row_order(op: graph.RowOrderOp, x: Array) -> Array:
    from s2s.interpret.routines import row_order

    return row_order(widen(x))


MEANINGS: dict[type[Operation], Meaning] = {
    graph.ReduceSumOp: _reduction(_sum),
    graph.ReduceProdOp: _reduction(_product),
    graph.ReduceMeanOp: _reduction(_mean),
    graph.ReduceMaxOp: _reduction(_extreme(np.max, largest=True)),
    graph.ReduceMinOp: _reduction(_extreme(np.min, largest=False)),
    graph.ArgmaxOp: _arg_reduction(np.argmax),
    graph.ArgminOp: _arg_reduction(np.argmin),
    graph.CumsumOp: _cumsum,
    graph.RowOrderOp: _row_order,
    graph.TopKOp: _top_k,
}
