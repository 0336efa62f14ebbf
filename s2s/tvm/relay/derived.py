"""Operators that other operators make, under TVM's names."""

from collections.abc import Sequence

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Number, Tuple, axis_of, call
from s2s.tvm.relay.op import Axes


def full_like(data: Expr, fill_value: Number) -> Expr:
    """A tensor of one value, of the type of `data`."""
    return op.full(fill_value, data.shape, data.dtype)


def reshape_like(lhs: Expr, rhs: Expr) -> Expr:
    """The elements of `lhs` in the shape of `rhs`."""
    return op.reshape(lhs, list(rhs.shape))


def gather(data: Expr, axis: int, indices: Expr) -> Expr:
    """The elements of `data` whose place along `axis` is given by `indices`, which has the shape of the result."""
    return call(graph.GatherElementsOp, data, indices, axis=axis_of(axis, len(data.shape)))


def reverse(data: Expr, axis: int) -> Expr:
    """The slices along `axis` in the opposite order."""
    place = axis_of(axis, len(data.shape))
    starts, strides = [0] * len(data.shape), [1] * len(data.shape)
    starts[place], strides[place] = data.shape[place] - 1, -1
    return call(graph.SliceOp, data, starts=starts, sizes=list(data.shape), strides=strides)


def repeat(data: Expr, repeats: int, axis: int) -> Expr:
    """Each slice along `axis` this many times, one behind the other."""
    place = axis_of(axis, len(data.shape))
    shape = list(data.shape)
    apart = op.reshape(data, [*shape[: place + 1], 1, *shape[place + 1 :]])
    shape[place] *= repeats
    return op.reshape(
        op.tile(apart, [repeats if number == place + 1 else 1 for number in range(len(shape) + 1)]), shape
    )


def variance(
    data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False
) -> Expr:
    """The mean square of the distance from the mean; `unbiased` divides by one less than the number of elements."""
    apart = data - op.mean(data, axis, keepdims=True, exclude=exclude)
    squares = op.mean(apart * apart, axis, keepdims=keepdims, exclude=exclude)
    count = int(np.prod(data.shape)) // int(np.prod(squares.shape))
    if unbiased and count < 2:
        raise InputError("relay.variance: unbiased of one element divides by zero; leave unbiased out")
    return squares * (count / (count - 1)) if unbiased else squares


def std(data: Expr, axis: Axes = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False) -> Expr:
    """The square root of the variance."""
    return op.sqrt(variance(data, axis, keepdims, exclude, unbiased))


def one_hot(indices: Expr, on_value: Expr, off_value: Expr, depth: int, axis: int, dtype: str) -> Expr:
    """`on_value` where the place along the new dimension `axis` is the index, else `off_value`."""
    rank = len(indices.shape) + 1
    place = axis_of(axis, rank)
    shape: Sequence[int] = [depth if number == place else 1 for number in range(rank)]
    numbers = op.reshape(op.arange(depth, dtype=indices.dtype), list(shape))
    return op.where(op.equal(op.expand_dims(indices, place), numbers), on_value.astype(dtype), off_value.astype(dtype))


def topk(
    data: Expr, k: int = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str = "int32"
) -> Expr:
    """The `k` largest elements along the last dimension in order, or the smallest, and their places."""
    if axis_of(axis, len(data.shape)) != len(data.shape) - 1:
        raise InputError(f"relay.topk: axis {axis} is not the last one; transpose the data before and after")
    if ret_type not in ("both", "values", "indices"):
        raise InputError(f"relay.topk: ret_type {ret_type!r} is not known; give 'both', 'values' or 'indices'")
    places = call(graph.TopKOp, data, count=k, smallest=is_ascend)
    found = {"values": gather(data, -1, places), "indices": places.astype(dtype)}
    return Tuple(list(found.values())) if ret_type == "both" else found[ret_type]
