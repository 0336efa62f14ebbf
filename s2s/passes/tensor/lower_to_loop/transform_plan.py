"""Derive the loops and the scratch of a transform from its schedule."""

from typing import NamedTuple

from xdsl.dialects.builtin import Float32Type, IntegerType, MemRefType, i16, i32
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr

from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.types.affine import linear, ranges


class TransformPlan(NamedTuple):
    """The loops and the scratch buffer of a scheduled transform."""

    op: tensor.TransformOp
    schedule: tensor.ScheduleState

    @staticmethod
    def of(op: tensor.TransformOp) -> "TransformPlan":
        """Return the plan of `op`, which must have a schedule."""
        if op.schedule is None:
            raise CompilerBug(
                "tensor-lower-to-loop needs a schedule on every tensor.transform; run tensor-pick-schedule"
            )
        return TransformPlan(op, op.schedule.on(op))

    @property
    def along(self) -> int:
        """The dimension along a row of tiles."""
        return self.schedule.order[-1]

    @property
    def step(self) -> int:
        """Distance in columns of neighbouring tiles: less than the width of a tile, where tiles overlap."""
        here, window = AffineDimExpr(self.along), AffineDimExpr(self.op.rank + 1)
        for expr in self.op.read.map.data.results:
            terms = linear(expr, ranges(self.op.read_sizes)).terms
            if here in terms and window in terms:
                return terms[here] // terms[window]
        return self.op.window[1]

    @property
    def overlaps(self) -> bool:
        """Whether neighbouring tiles share columns."""
        return self.step < self.op.window[1]

    @property
    def in_registers(self) -> bool:
        """Whether a tile of scalars goes through both matrices without a strip: no tile shares columns, or may miss
        its operand."""
        return self.lanes == 1 and not self.overlaps and not self.op.read.is_guarded

    @property
    def columns(self) -> int:
        """Number of columns in a row of tiles."""
        return self.step * (self.op.sizes[self.along] - 1) + self.op.window[1]

    @property
    def lanes(self) -> int:
        """Number of lanes of the vectors, 1 for scalars."""
        return self.schedule.lanes

    @property
    def element(self) -> Float32Type | IntegerType:
        """The type that is computed in: 16 bits in words alone, scalars have 32."""
        return i32 if self.op.carrier == i16 and self.lanes == 1 else self.op.carrier

    @property
    def scratch(self) -> MemRefType[Attribute]:
        """The type of the strip: a row of tiles after multiplication by the left matrix."""
        return MemRefType(self.element, [self.op.outputs[0] * self.columns * self.lanes])
