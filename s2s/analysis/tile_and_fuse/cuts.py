"""Split the parallel dimensions of a computation into pieces, as its loops over register tiles are written.

18 positions in tiles of 8, vectors of 4   ->   positions 0 to 15 in tiles of 8, 16 and 17 in one partial vector
"""

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from s2s.analysis.affine.guards import Constraint, Holds, guard_of
from s2s.analysis.affine.pieces import Piece, cut, cut_fixed
from s2s.analysis.affine.strides import fixable
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.dialects import tensor
from s2s.support.frozen import frozen
from s2s.types.affine import Range, ranges, simplify


@frozen
class Cuts:
    """The guards of a computation, and the pieces that they cut its dimensions into."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    plan: CopyPlan | None
    """The copy of an operand at run time; None if there is none."""

    @cached_property
    def read_guards(self) -> list[Constraint]:
        """The guards of reads, but of the one that is copied."""
        copied = None if self.plan is None else self.plan.read
        return [each for number in range(len(self.op.reads)) if number != copied for each in self._guard(number)]

    @cached_property
    def copied_guards(self) -> list[Constraint]:
        """The guards of the read that is copied."""
        return [] if self.plan is None else self._guard(self.plan.read)

    @cached_property
    def epilogue_guards(self) -> list[Constraint]:
        """The guards of the epilogue's operands."""
        pairs = zip(self.op.epilogue, self.op.epilogue_accesses, strict=True)
        return [each for value, access in pairs for each in self._open(access, value)]

    def _guard(self, read: int) -> list[Constraint]:
        return self._open(self.op.read_accesses[read], self.op.reads[read])

    def _open(self, access: tensor.AccessAttr, value: SSAValue) -> list[Constraint]:
        """Return the guards of an access that do not hold everywhere in the domain."""
        if not access.is_guarded:
            return []
        box = ranges(self.op.sizes)
        guards = (Constraint(simplify(each.expr, box), each.modulus) for each in guard_of(access, shape_of(value)))
        return [each for each in guards if each.holds(box) is not Holds.ALWAYS]

    def lanes(self, dim: int) -> int:
        """Return the lanes of vectors along `dim`; 1 for scalars."""
        return self.schedule.lanes if self.schedule.vector_dim == dim and self.op.sizes[dim] > 1 else 1

    def guards(self, dim: int) -> list[Constraint]:
        """Return the guards at which tiles along `dim` are cut."""
        reads, bytes_in_lanes = self.op.reads, False
        if self.schedule.vector_dim is not None and reads:
            bytes_in_lanes = tensor.element_type(reads[0]) == i8
        tile = min(self.schedule.tiles[dim], self.op.sizes[dim])
        guards = [*self.epilogue_guards, *(self.read_guards if tile > 1 or bytes_in_lanes else [])]
        guards += self.copied_guards if bytes_in_lanes and self.plan is not None and self.plan.is_rows else []
        return [guard for guard in guards if dim in guard.expr.used_dims()]

    def along(self, dim: int, box: Sequence[Range], *, overlap: bool = False) -> list[Piece]:
        """Return the pieces of `dim` inside `box`; with `overlap` the last vector may repeat earlier positions."""
        tile, lanes, relevant = min(self.schedule.tiles[dim], self.op.sizes[dim]), self.lanes(dim), self.guards(dim)
        blocked = {each for each, _ in self.schedule.blocks if each >= self.op.rank}
        in_blocks = any(blocked & guard.expr.used_dims() for guard in relevant)
        if tile > 1 and lanes == 1 and relevant and not in_blocks and fixable(self.op, dim):
            fixed = cut_fixed(dim, box, tile, relevant)
            if fixed is not None:
                return fixed
        return cut(dim, box, tile, lanes, relevant, overlap=overlap and lanes > 1)


__all__ = ["Cuts"]
