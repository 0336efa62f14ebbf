"""Bounds of trip counts that a run computes: `Min(n, 5)` is at most 5, whatever `n` is."""

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.types.dtypes import from_dense, to_numpy
from s2s.types.hints import isa


def greatest(value: SSAValue) -> int | None:
    """A number that no element of an integer tensor exceeds, if the operations that compute it tell one."""
    match value.owner:
        case graph.ConstantOp() as op:
            return int(from_dense(op.value).max())
        case graph.ReshapeOp() as op:
            return greatest(op.x)
        case graph.CastOp() as op if np.can_cast(
            to_numpy(type_of(op.x).element_type), to_numpy(type_of(value).element_type)
        ):
            return greatest(op.x)
        case graph.ClampOp() as op if isa(op.max, IntegerAttr):
            return op.max.value.data
        case graph.MinimumOp() as op:
            return min(_both(op), default=None)
        case graph.MaximumOp() as op:
            bounds = _both(op)
            return max(bounds) if len(bounds) == 2 else None
        case _:
            return None


def _both(op: graph.MinimumOp | graph.MaximumOp) -> list[int]:
    """The known bounds of the operands."""
    found = (greatest(operand) for operand in op.operands)
    return [each for each in found if each is not None]
