"""The interface of the ways to reduce a register tile."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint
from s2s.types.affine import Linear
from s2s.types.dtypes import vector_of
from s2s.types.hints import isa


class TileReduction(ABC):
    """One way to emit the reduction of a register tile, made once for a computation.

    A subclass is a file of this folder and an entry of the list in `__init__.py`.
    """

    takes_varying_sizes: ClassVar[bool] = False
    """Whether the size of a reduction may be known at run time only."""

    def __init__(self, nest: NestState) -> None:
        self.nest = nest
        self.op, self.schedule, self.emitter, self.reads = nest.op, nest.schedule, nest.emitter, nest.reads

    @classmethod
    @abstractmethod
    def applies(cls, nest: NestState) -> bool:
        """Return whether the schedule of `nest` asks for this way."""

    @abstractmethod
    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        """Emit the reduction of the tile at the current position; return the accumulators of all its points."""

    @property
    def dims(self) -> list[AffineExpr]:
        """The current position along each dimension; reductions are at 0 where `sums` is called."""
        return self.nest.dims

    @property
    def copied(self) -> CopiedOperand | None:
        """The copy of an operand that the schedule makes."""
        return self.nest.copied

    def load_group(self, buffer: SSAValue, place: Linear, count: int) -> SSAValue:
        """Load neighbouring elements of a buffer as a vector."""
        assert isa(buffer.type, MemRefType)
        affine_map, indices = self.emitter.space.emit(place.to_expr())
        vector = vector_of(buffer.type.element_type, count)
        return self.emitter.add(loop.LoadOp(buffer, affine_map, indices, vector), buffer.name_hint).result
