"""Operators that other operators make, under TVM's names."""

from collections.abc import Sequence

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Number, Tuple, axis_of
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import operator


@operator("full_like")
def full_like(data: Expr, fill_value: Number) -> Expr:
    """A tensor of one value, of the type of `data`."""
    return op.full(fill_value, data.shape, data.dtype)


@operator("reshape_like")
def reshape_like(
    data: Expr,
    shape_like: Expr,
    lhs_begin: int = 0,
    lhs_end: int | None = None,
    rhs_begin: int = 0,
    rhs_end: int | None = None,
) -> Expr:
    """The elements of `data` in the shape of `shape_like`, or with some dimensions replaced by some of that."""
    first, last = slice(lhs_begin, lhs_end).indices(len(data.shape))[:2]
    middle = shape_like.shape[slice(rhs_begin, rhs_end)]
    return op.reshape(data, [*data.shape[:first], *middle, *data.shape[last:]])


@operator("gather")
def gather(data: Expr, axis: int, indices: Expr) -> Expr:
    """The elements of `data` whose place along `axis` is given by `indices`, which has the shape of the result."""
    return call(graph.GatherElementsOp, data, indices, axis=axis_of(axis, len(data.shape)))


@operator("reverse")
def reverse(data: Expr, axis: int) -> Expr:
    """The slices along `axis` in the opposite order."""
    place = axis_of(axis, len(data.shape))
    starts, strides = [0] * len(data.shape), [1] * len(data.shape)
    starts[place], strides[place] = data.shape[place] - 1, -1
    return call(graph.SliceOp, data, starts=starts, sizes=list(data.shape), strides=strides)


@operator("repeat")
def repeat(data: Expr, repeats: int, axis: int) -> Expr:
    """Each slice along `axis` this many times, one behind the other."""
    place = axis_of(axis, len(data.shape))
    shape = list(data.shape)
    apart = op.reshape(data, [*shape[: place + 1], 1, *shape[place + 1 :]])
    shape[place] *= repeats
    return op.reshape(
        op.tile(apart, [repeats if number == place + 1 else 1 for number in range(len(shape) + 1)]), shape
    )


@operator("one_hot")
def one_hot(indices: Expr, on_value: Expr, off_value: Expr, depth: int, axis: int, dtype: str) -> Expr:
    """`on_value` where the place along the new dimension `axis` is the index, else `off_value`."""
    rank = len(indices.shape) + 1
    place = axis_of(axis, rank)
    shape: Sequence[int] = [depth if number == place else 1 for number in range(rank)]
    numbers = op.reshape(op.arange(depth, dtype="int64"), list(shape))
    places = op.expand_dims(indices.astype("int64"), place)
    return op.where(op.equal(places, numbers), on_value.astype(dtype), off_value.astype(dtype))


@operator("topk")
def topk(
    data: Expr, k: int = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str = "int32"
) -> Expr:
    """The `k` largest elements along `axis` in order, or the smallest, and their places; all of them if `k` < 1."""
    if ret_type not in ("both", "values", "indices"):
        raise InputError(f"relay.topk: ret_type {ret_type!r} is not known; give 'both', 'values' or 'indices'")
    place, last = axis_of(axis, len(data.shape)), len(data.shape) - 1
    count = k if k >= 1 else data.shape[place]
    if place != last:
        swapped = list(range(last + 1))
        swapped[place], swapped[last] = last, place
        inner = topk(op.transpose(data, swapped), count, -1, ret_type, is_ascend, dtype)
        fields = [op.transpose(each, swapped) for each in (inner.fields if isinstance(inner, Tuple) else [inner])]
        return Tuple(fields) if ret_type == "both" else fields[0]
    places = call(graph.TopKOp, data, count=count, smallest=is_ascend)
    results = {"values": gather(data, -1, places), "indices": places.astype(dtype)}
    return Tuple(list(results.values())) if ret_type == "both" else results[ret_type]


@operator("sort")
def sort(data: Expr, axis: int = -1, is_ascend: bool = True) -> Expr:
    """The elements along `axis` in order."""
    return topk(data, 0, axis, "values", is_ascend)


@operator("argsort")
def argsort(data: Expr, axis: int = -1, is_ascend: bool = True, dtype: str = "int32") -> Expr:
    """The places of the elements along `axis` in order."""
    return topk(data, 0, axis, "indices", is_ascend, dtype)
