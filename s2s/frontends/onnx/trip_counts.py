"""Bounds of trip counts that a run computes: `Min(n, 5)` is at most 5, whatever `n` is."""

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.types.dtypes import from_dense, to_numpy
from s2s.types.hints import isa

MAX_DEPTH = 32
"""Operations behind one another that are looked at."""


def greatest(value: SSAValue) -> int | None:
    """A number that no element of an integer tensor exceeds, if the operations that compute it tell one."""
    return _Bounds().of(value, MAX_DEPTH)


class _Bounds:
    """The bounds found so far: operations that share operands, each twice, are looked at once."""

    def __init__(self) -> None:
        self._found: dict[SSAValue, int | None] = {}

    def of(self, value: SSAValue, depth: int) -> int | None:
        """The bound of a value that at most `depth` operations behind one another tell."""
        if depth == 0:
            return None
        if value not in self._found:
            self._found[value] = self._told(value, depth - 1)
        return self._found[value]

    def _told(self, value: SSAValue, depth: int) -> int | None:
        match value.owner:
            case graph.ConstantOp() as op:
                return int(from_dense(op.value).max())
            case graph.ReshapeOp() as op:
                return self.of(op.x, depth)
            case graph.CastOp() as op if np.can_cast(
                to_numpy(type_of(op.x).element_type), to_numpy(type_of(value).element_type)
            ):
                return self.of(op.x, depth)
            case graph.ClampOp() as op if isa(op.max, IntegerAttr):
                return op.max.value.data
            case graph.MinimumOp() as op:
                return min(self._both(op, depth), default=None)
            case graph.MaximumOp() as op:
                bounds = self._both(op, depth)
                return max(bounds) if len(bounds) == 2 else None
            case _:
                return None

    def _both(self, op: graph.MinimumOp | graph.MaximumOp, depth: int) -> list[int]:
        """The known bounds of the operands."""
        found = (self.of(operand, depth) for operand in op.operands)
        return [each for each in found if each is not None]
