"""Formulas for results whose size depends on the data: positions of what is true, in a mask.

Such a result has room for all positions that could be true. Its size in a run is their number, which the network
computes: a size like those that `--dim` bounds (`s2s/types/sizes.py`), known from the kernel on that counts.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.rewriter import Rewriter

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, concat, equal, greater, less, pad, reshape, select, take
from s2s.frontends.order import largest
from s2s.frontends.same_values import are_same
from s2s.types.dtypes import tensor_type
from s2s.types.size import greatest, is_empty

MIN_ROOM = 4
"""The least room for a size that the network computes: where there is room for one only, it would be broadcast."""
_I32 = np.dtype(np.int32)
_MAX_COUNT = np.iinfo(np.int32).max


def counted_places(count: Value, most: int, least: int = 0) -> Value:
    """The numbers below `count`, an integer of at least `least` that a run computes, as i32; a run in which it is above
    `most` fails."""
    builder = count.builder
    room = max(most, MIN_ROOM)
    mask = less(builder.counted(room, _I32), cast(clamp(count, 0, room), _I32))
    return true_places(mask, most, cast(clamp(count, 0, _MAX_COUNT), _I32), least)


def true_places(mask: Value, most: int | None = None, count: Value | None = None, least: int = 0) -> Value:
    """The positions of the true elements in a row of truth values, as i32; none in a branch that is imported in place
    and that a run does not take. There is room for `most`, and `count` tells how many are true if it is known."""
    builder = mask.builder
    if mask.array is not None:
        return builder.constant(np.flatnonzero(mask.array).astype(np.int32))
    if mask.stored is not None and mask.stored.all():
        return builder.counted(mask.shape[0], _I32)
    if builder.taken is not None:
        mask, count = emit(graph.LogicalAndOp, mask, builder.taken), None
    missing = MIN_ROOM - greatest(mask.shape)[0]
    if missing > 0:
        mask = concat([mask, mask.builder.constant(np.zeros(missing, np.bool_))], 0)
    if builder.probed_room is not None:
        return builder.stand_in(tensor_type(i32, (mask.shape[0] * builder.probed_room,)))
    most = greatest(mask.shape)[0] if most is None else most
    earlier = _selected_before(mask, most)
    if earlier is not None:
        return earlier
    name, size = builder.new_size(most, least)
    (bound,) = greatest([size])
    if count is None:
        count = emit(graph.ReduceSumOp, cast(mask, _I32), axes=[0])
    with builder.ledger.answering():  # there is room for all of the greatest mask
        op = graph.NonzeroOp(builder.materialize(mask), builder.materialize(count), size=name, bound=bound)
    Rewriter.replace_value_with_new_type(op.y, tensor_type(i32, (size,)))
    places = builder.append(op)[0]
    builder.selections.append((builder.materialize(mask), most, places))
    return places


def _selected_before(mask: Value, most: int) -> Value | None:
    """Return the places that a mask which is computed alike selects, so that their number is the same size; None for a
    size that the user bounds by its own name."""
    builder = mask.builder
    if builder.asked_size() is not None:
        return None
    masks = ((places, earlier) for earlier, room, places in builder.selections if room == most)
    return next((places for places, other in masks if are_same(other, builder.materialize(mask), builder.ledger)), None)


def coordinates(x: Value) -> Value:
    """The positions of the elements of `x` that are not zero, one column each: `y[axis, n]`, as i64."""
    shape = x.shape or (1,)
    places = true_places(reshape(cast(x, np.dtype(np.bool_)), [prod(shape)]))
    rows = reshape(places, [1, *places.shape])
    if len(shape) > 1:
        strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
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
    """Find the distinct rows of the matrix `keys`; in ascending order, else in the order of their first occurrence.

    Once they are sorted, equal rows stand together, and the first of them keeps its place before the others:

        keys       3 1 3 2 1        order   1 4 3 0 2      (positions of 1 1 2 3 3)
        new        t f t t f        group   0 0 1 2 2
    """
    count = keys.shape[0]
    if is_empty(keys.shape):
        return _equal_rows(keys)
    numbers = cast(keys, _I32) if keys.is_bool else keys
    if keys.shape[1] == 1:
        order = largest(reshape(numbers, [count]), count, last=True)[1]
    else:
        order = emit(graph.RowOrderOp, numbers)
    new, group = _groups(numbers, order)
    zeros = order.builder.filled(0, [count], _I32)
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
    ones = order.builder.filled(1, [count], _I32)
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
    """Whether each row in `order` differs from the one before, and how many did up to it, less 1.

    The first row differs from the none before it; a row of zeros stands there, so that there may be no rows at all.
    """
    count = keys.shape[0]
    rows = emit(graph.GatherOp, keys, order, axis=0)
    before = take(pad(rows, [1, 0], [0, 0]), 0, 0, count)
    differs = cast(emit(graph.LogicalNotOp, emit(graph.EqualOp, rows, before)), _I32)
    is_first = equal(keys.builder.counted(count, _I32), 0)
    new = emit(graph.LogicalOrOp, is_first, greater(emit(graph.ReduceMaxOp, differs, axes=[1], keepdims=False), 0))
    return new, emit(graph.CumsumOp, cast(new, _I32), axis=0) - 1


def _placed(zeros: Value, places: Value, values: Value) -> Value:
    """`y[places[i]] = values[i]`, no place being negative."""
    return emit(graph.ScatterElementsOp, zeros, places, values, axis=0, nonnegative_indices=True)


def _summed(zeros: Value, places: Value, values: Value) -> Value:
    """`y[places[i]] += values[i]`, no place being negative."""
    return emit(graph.ScatterElementsOp, zeros, places, values, axis=0, reduction="add", nonnegative_indices=True)
