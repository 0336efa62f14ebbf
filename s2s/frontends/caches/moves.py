"""Operations that move elements of a cache and compute nothing: what they do to rows along an axis.

    %y = graph.transpose %x {perm = [0, 2, 1]} : tensor<2x128x8xf32> -> …         rows along axis 2  ->  axis 1

A row has one scale, so the scales of a tensor are a tensor with the size 1 along that axis, and move the same way.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.numbers.known_values import known_value
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.types.weights import WeightStore

Place = Callable[[Operation], SSAValue]
"""Inserts an operation and returns its result."""
DATA: Mapping[type[Operation], Sequence[str]] = {
    graph.ReshapeOp: ("x",),
    graph.TransposeOp: ("x",),
    graph.BroadcastToOp: ("x",),
    graph.SliceOp: ("x",),
    graph.GatherOp: ("x",),
    graph.GatherElementsOp: ("x",),
    graph.ScatterElementsOp: ("x", "updates"),
    graph.ScatterNdOp: ("x", "updates"),
    graph.InsertSliceOp: ("x", "u"),
    graph.SelectOp: ("a", "b"),
    graph.ConcatOp: ("inputs",),
}
"""The operands whose elements an operation moves."""


def moved_operands(op: Operation) -> list[SSAValue]:
    """Return the operands whose elements `op` moves; none if it computes."""
    if isinstance(op, graph.ScatterFamilyOp) and op.reduction.data != "none":
        return []
    if isinstance(op, graph.ConcatOp):
        return list(op.inputs)
    return [getattr(op, name) for name in DATA.get(type(op), ())]


def axis_behind(op: Operation, axis: int, weights: WeightStore) -> int | None:
    """Return the axis of the rows of the result of `op`, whose operands have rows along `axis`; None if it takes rows
    apart."""
    match op:
        case graph.ReshapeOp():
            return _axis_of_reshape(shape_of(op.x), shape_of(op.y), axis)
        case graph.TransposeOp():
            return list(op.perm.get_values()).index(axis)
        case graph.BroadcastToOp():
            own = axis + len(shape_of(op.y)) - len(shape_of(op.x))
            return own if shape_of(op.y)[own] == shape_of(op.x)[axis] else None
        case graph.SliceOp():
            whole = op.sizes.get_values()[axis] == shape_of(op.x)[axis] and op.strides.get_values()[axis] == 1
            return axis if whole else None
        case graph.ConcatOp():
            return axis if op.axis.value.data != axis else None
        case graph.GatherOp():
            taken = op.axis.value.data
            return None if taken == axis else axis + (len(shape_of(op.indices)) - 1 if taken < axis else 0)
        case _:
            return axis if _keeps_rows(op, axis, weights) else None


def _keeps_rows(op: Operation, axis: int, weights: WeightStore) -> bool:
    """Return whether `op`, which moves rows along `axis` within the shape that they have, moves whole ones."""
    match op:
        case graph.GatherElementsOp() | graph.ScatterElementsOp():
            return op.axis.value.data != axis and _are_equal(op.indices, axis, weights)
        case graph.ScatterNdOp():
            return axis >= shape_of(op.indices)[-1]
        case graph.InsertSliceOp():
            return shape_of(op.u)[axis] == shape_of(op.x)[axis]
        case graph.SelectOp():
            cond = shape_of(op.cond)
            own = axis - len(shape_of(op.y)) + len(cond)
            return own < 0 or cond[own] == 1
        case _:
            return False


def axis_of_operand(op: Operation, number: int, axis: int) -> int:
    """Return the axis of the rows of moved operand `number` of `op`, if the first operand's is `axis`."""
    if isinstance(op, graph.ScatterNdOp) and number == 1:
        *outer, depth = shape_of(op.indices)
        return axis - depth + len(outer)
    return axis


def moved_scales(
    op: Operation, scales: Sequence[SSAValue], axis: int, result_axis: int, weights: WeightStore, place: Place
) -> SSAValue:
    """Return what `op` makes of `scales`, the scales of its operands, whose rows lie along `axis`."""
    made: Any
    match op:
        case graph.ReshapeOp() | graph.BroadcastToOp():
            shape = [1 if dim == result_axis else size for dim, size in enumerate(shape_of(op.y))]
            made = type(op)(scales[0], shape)
        case graph.SliceOp():
            starts, sizes, strides = (list(each.get_values()) for each in (op.starts, op.sizes, op.strides))
            starts[axis], sizes[axis] = 0, 1
            made = graph.SliceOp(scales[0], starts=starts, sizes=sizes, strides=strides)
        case graph.GatherElementsOp() | graph.ScatterElementsOp():
            first = _one_of(op.indices, axis, weights, place)
            assert first is not None
            made = (
                graph.GatherElementsOp(scales[0], first, axis=op.axis.value.data, nonnegative_indices=op.is_nonnegative)
                if isinstance(op, graph.GatherElementsOp)
                else _scatter_elements(op, scales[0], first, scales[1])
            )
        case _:
            made = with_data(op, scales)
    return place(made)


def _scatter_elements(
    op: graph.ScatterElementsOp, x: SSAValue, indices: SSAValue, updates: SSAValue
) -> graph.ScatterElementsOp:
    """Return a scatter of other operands with indices of the same meaning as in `op`."""
    axis, nonnegative = op.axis.value.data, op.is_nonnegative
    return graph.ScatterElementsOp(x, indices, updates, axis=axis, nonnegative_indices=nonnegative)


def with_data(op: Operation, data: Sequence[SSAValue]) -> Operation:
    """Return a copy of `op` that moves the elements of `data` instead."""
    made: Any
    match op:
        case graph.ReshapeOp() | graph.BroadcastToOp():
            made = type(op)(data[0], shape_of(op.y))
        case graph.TransposeOp():
            made = graph.TransposeOp(data[0], perm=list(op.perm.get_values()))
        case graph.SliceOp():
            starts, sizes, strides = (list(each.get_values()) for each in (op.starts, op.sizes, op.strides))
            made = graph.SliceOp(data[0], starts=starts, sizes=sizes, strides=strides)
        case graph.ConcatOp():
            made = graph.ConcatOp(data, axis=op.axis.value.data)
        case graph.GatherOp() | graph.GatherElementsOp():
            made = type(op)(data[0], op.indices, axis=op.axis.value.data, nonnegative_indices=op.is_nonnegative)
        case graph.ScatterElementsOp():
            made = _scatter_elements(op, data[0], op.indices, data[1])
        case graph.ScatterNdOp():
            made = graph.ScatterNdOp(data[0], op.indices, data[1], nonnegative_indices=op.is_nonnegative)
        case graph.InsertSliceOp():
            made = graph.InsertSliceOp(data[0], data[1], starts=list(op.starts.get_values()))
        case _:
            assert isinstance(op, graph.SelectOp)
            made = graph.SelectOp(op.cond, data[0], data[1])
    return made


def _axis_of_reshape(old: Sequence[int], new: Sequence[int], axis: int) -> int | None:
    """Return the axis of `new` that is `axis` of `old`: as many elements lie before it, in it and behind it."""
    wanted = prod(old[:axis]), old[axis], prod(old[axis + 1 :])
    found = [at for at in range(len(new)) if (prod(new[:at]), new[at], prod(new[at + 1 :])) == wanted]
    return found[0] if found else None


def _one_of(indices: SSAValue, axis: int, weights: WeightStore, place: Place) -> SSAValue | None:
    """Insert `indices` with the size 1 along `axis`; None if they differ along it."""
    if not _are_equal(indices, axis, weights):
        return None
    shape = [1 if dim == axis else size for dim, size in enumerate(shape_of(indices))]
    none = [0] * len(shape)
    return place(graph.SliceOp(indices, starts=none, sizes=shape, strides=[1] * len(shape)))


def _are_equal(indices: SSAValue, axis: int, weights: WeightStore) -> bool:
    """Return whether `indices` are known to be equal along `axis`."""
    known = known_value(indices, weights)
    if known is not None:
        return bool(np.array_equal(known, np.broadcast_to(np.take(known, [0], axis), known.shape)))
    if isinstance(indices.owner, graph.BroadcastToOp):
        x = shape_of(indices.owner.x)
        own = axis - len(shape_of(indices)) + len(x)
        return own < 0 or x[own] == 1
    return shape_of(indices)[axis] == 1
