"""Derive the length of slices whose start is counted by a loop.

In step `i` of a loop of 5 steps, `Slice(x, i, i + 2)` of 6 elements reads 2 of them: both ends are `i` plus a constant,
and the second one is at most 4 + 2, so that no step reaches behind the end.

    start = reshape(i)        end = reshape(i + 2)        i in [0, 5)        ->  the result has 2 elements
"""

from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.frontends.builder import Value
from s2s.frontends.onnx.node import Node
from s2s.types.dtypes import from_dense


class _Place(NamedTuple):
    """One number that is computed at run time: `base + offset`."""

    base: SSAValue
    offset: int


def counted_shape(node: Node, x: Value) -> tuple[int, ...] | None:
    """Return the shape of a slice of `x` along one axis, from a start that a loop counts; None for any other slice."""
    start, end = _place(node.input(1)), _place(node.input(2))
    axes, steps = node.optional(3), node.optional(4)
    axis = 0 if axes is None else _known_number(axes)
    step = 1 if steps is None else _known_number(steps)
    if start is None or end is None or start.base != end.base or axis is None or step != 1:
        return None
    counts, axis = node.builder.counts.get(start.base), node.axis(axis, x.rank)
    if counts is None or counts[0] + start.offset < 0 or counts[-1] + end.offset > x.shape[axis]:
        return None
    length = max(0, end.offset - start.offset)
    return tuple(length if dim == axis else size for dim, size in enumerate(x.shape))


def _known_number(value: Value) -> int | None:
    """The one number of a constant."""
    return int(value.array.item()) if value.array is not None and value.array.size == 1 else None


def _place(value: Value) -> _Place | None:
    """Follow sums with constants back to the number that they begin with."""
    if value.ssa is None or value.array is not None or prod(value.shape) != 1:
        return None
    at, offset = value.ssa, 0
    while True:
        match at.owner:
            case graph.ReshapeOp(x=operand):
                at = operand
            case graph.AddOp(a=operand, b=other) if _is_constant(other):
                at, offset = operand, offset + _constant(other)
            case graph.AddOp(a=other, b=operand) if _is_constant(other):
                at, offset = operand, offset + _constant(other)
            case graph.SubOp(a=operand, b=other) if _is_constant(other):
                at, offset = operand, offset - _constant(other)
            case _:
                return _Place(at, offset)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, graph.ConstantOp)


def _constant(value: SSAValue) -> int:
    """The number of a constant of one element."""
    assert isinstance(value.owner, graph.ConstantOp)
    return int(from_dense(value.owner.value).item())
