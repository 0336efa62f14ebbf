"""The copy of an operand in scratch, as the nest inside of `cache_read` reads it."""

from collections.abc import Sequence
from dataclasses import field

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.affine.guards import Constraint
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.dialects import tensor
from s2s.support.mutable import mutable


@mutable
class CopiedOperand:
    """An operand in scratch, as seen from the position where it was copied."""

    plan: CopyPlan
    buffer: SSAValue
    base: list[AffineExpr]
    """The position of the copy; dimensions inside it are 0, or where the current block of a reduction starts."""
    access: tensor.AccessAttr = field(init=False)
    shape: tuple[int, ...] = ()
    element: Attribute = field(init=False)

    def __post_init__(self) -> None:
        self.access = self.plan.access
        self.element = self.plan.element

    @property
    def guard(self) -> list[Constraint]:
        """No constraints: every position of the copy holds a value."""
        return []

    def row(self, dims: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index in scratch of the first step of the reduction, for the point at `dims`."""
        return self.plan.row(dims, self.base)

    def position(self, dims: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index in scratch of the element read at the point `dims`."""
        return self.plan.position(dims, self.base)
