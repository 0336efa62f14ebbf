"""Formulas for results whose size depends on the data: positions of what is true, in a mask.

Such a result has room for all positions that could be true. Its size in a run is their number, which the network
computes: a size like those that `--dim` bounds (`s2s/types/sizes.py`), known from the kernel on that counts.
"""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, greater, reshape, select, take
from s2s.frontends.order import largest
from s2s.types.dtypes import tensor_type

MIN_ROOM = 4
"""The least room for a size that the network computes: it is compared with itself at a smaller size
(`s2s/verify/check_sizes.py`), which is read at one more, and dimensions of one element look different."""
_I32 = np.dtype(np.int32)


def true_places(mask: Value) -> Value:
    """The positions of the true elements in a row of truth values, as i32; none in a branch that is imported in place
    and that a run does not take."""
    builder = mask.builder
    if mask.array is not None:
        return builder.constant(np.flatnonzero(mask.array).astype(np.int32))
    if builder.taken is not None:
        mask = emit(graph.LogicalAndOp, mask, builder.taken)
    missing = MIN_ROOM - mask.shape[0]
    if missing > 0:
        mask = concat([mask, mask.builder.constant(np.zeros(missing, np.bool_))], 0)
    if builder.probed_room is not None:
        return builder.stand_in(tensor_type(i32, (mask.shape[0] * builder.probed_room,)))
    size, bound = builder.new_size(mask.shape[0])
    count = emit(graph.ReduceSumOp, cast(mask, _I32), axes=[0])
    return emit(graph.NonzeroOp, mask, count, size=size, bound=bound)


def coordinates(x: Value) -> Value:
    """The positions of the elements of `x` that are not zero, one column each: `y[axis, n]`, as i64."""
    shape = x.shape or (1,)
    places = true_places(reshape(cast(x, np.dtype(np.bool_)), [int(np.prod(shape))]))
    rows = reshape(places, [1, *places.shape])
    if len(shape) > 1:
        strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
        sizes = [np.iinfo(np.int32).max, *shape[1:]]  # nothing wraps around the first axis, whose size may vary
        numbers = [x.builder.sizes(each, np.dtype(np.int32)) for each in (strides, sizes)]
        columns = [reshape(each, [len(shape), 1]) for each in numbers]
        rows = emit(graph.ModOp, rows / columns[0], columns[1])
    return cast(rows, np.dtype(np.int64))


class Distinct(NamedTuple):
    """The distinct slices of a tensor along an axis, and where they stand."""

    places: Value
    """The position of the first of each."""
    inverse: Value
    """For each slice the number of the distinct one that it equals."""
    counts: Value
    """How often each stands there."""


def distinct(keys: Value, *, in_order: bool) -> Distinct:
    """Find the distinct rows of the matrix `keys`; in ascending order, else in that of their first occurrence.

    Once they are sorted, equal rows stand together, and the first of them keeps its place before the others:

        keys       3 1 3 2 1        order   1 4 3 0 2      (positions of 1 1 2 3 3)
        new        t f t t f        group   0 0 1 2 2
    """
    count = keys.shape[0]
    if 0 in keys.shape:
        return _equal_rows(keys)
    numbers = cast(keys, _I32) if keys.is_bool else keys
    if keys.shape[1] == 1:
        order = largest(reshape(numbers, [count]), count, last=True)[1]
    else:
        order = emit(graph.RowOrderOp, numbers)
    new, group = _groups(keys, order)
    zeros = order.builder.constant(np.zeros(count, np.int32))
    inverse = _placed(zeros, order, group)
    if in_order:
        places = true_places(new)
        first, number = emit(graph.GatherOp, order, places, axis=0), group
    else:
        started = _placed(zeros, order, cast(new, _I32))
        first = places = true_places(cast(started, np.dtype(np.bool_)))
        number = emit(graph.CumsumOp, started, axis=0) - 1
        firsts = _summed(zeros, group, select(new, order, 0))
        inverse = emit(graph.GatherOp, emit(graph.GatherOp, number, firsts, axis=0), inverse, axis=0)
    ones = order.builder.constant(np.ones(count, np.int32))
    all_counts = _summed(zeros, inverse, ones)
    counts = emit(graph.GatherOp, all_counts, emit(graph.GatherOp, number, places, axis=0), axis=0)
    return Distinct(first, inverse, counts)


def _equal_rows(keys: Value) -> Distinct:
    """What is distinct where no row has an element: the first row, if there is one."""
    count = keys.shape[0]
    once = min(count, 1)
    places, inverse, counts = np.zeros(once, np.int32), np.zeros(count, np.int32), np.full(once, count, np.int32)
    constant = keys.builder.constant
    return Distinct(constant(places), constant(inverse), constant(counts))


def _groups(keys: Value, order: Value) -> tuple[Value, Value]:
    """Whether each row in `order` differs from the one before, and how many did before it, itself included, less 1."""
    count, true = keys.shape[0], keys.builder.constant(np.ones(1, np.bool_))
    if count == 1:
        return true, keys.builder.constant(np.zeros(1, np.int32))
    rows = emit(graph.GatherOp, keys, order, axis=0)
    equals = emit(graph.EqualOp, take(rows, 0, 1, count - 1), take(rows, 0, 0, count - 1))
    differs = greater(emit(graph.ReduceMaxOp, cast(emit(graph.LogicalNotOp, equals), _I32), axes=[1]), 0)
    new = concat([true, differs], 0)
    return new, emit(graph.CumsumOp, cast(new, _I32), axis=0) - 1


def _placed(zeros: Value, places: Value, values: Value) -> Value:
    """`y[places[i]] = values[i]`, no place being negative."""
    return emit(graph.ScatterElementsOp, zeros, places, values, axis=0, nonnegative_indices=True)


def _summed(zeros: Value, places: Value, values: Value) -> Value:
    """`y[places[i]] += values[i]`, no place being negative."""
    return emit(graph.ScatterElementsOp, zeros, places, values, axis=0, reduction="add", nonnegative_indices=True)
