"""Express as constraints over the domain when a guarded access is in bounds."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr

from s2s.dialects.tensor import AccessAttr
from s2s.types.affine import Range, bounds


class Holds(Enum):
    """Whether a constraint holds on a box of the domain: everywhere, nowhere, or undecided."""

    ALWAYS = "always"
    NEVER = "never"
    MAYBE = "maybe"


class Constraint(NamedTuple):
    """`expr >= 0` over the dimensions of the domain, or `expr mod modulus == 0` if `modulus` is set."""

    expr: AffineExpr
    modulus: int = 0

    def holds(self, box: Sequence[Range]) -> Holds:
        """Return whether it holds on all, none or part of `box`."""
        low, high = bounds(self.expr, box)
        if self.modulus:
            return Holds.ALWAYS if low == high and low % self.modulus == 0 else Holds.MAYBE
        if low >= 0:
            return Holds.ALWAYS
        return Holds.NEVER if high < 0 else Holds.MAYBE


def guard_of(access: AccessAttr, shape: Sequence[int]) -> list[Constraint]:
    """Return the constraints under which `access` is in bounds of `shape`; none for an unguarded access."""
    return limits_of(access, shape) if access.is_guarded else []


def limits_of(access: AccessAttr, shape: Sequence[int]) -> list[Constraint]:
    """Return the constraints under which `access` is in bounds of `shape`."""
    constraints: list[Constraint] = []
    for expr, divisor, size in zip(access.map.data.results, access.division, shape, strict=True):
        constraints.append(Constraint(expr))
        constraints.append(Constraint(expr * -1 + (size - 1) * divisor))
        if divisor > 1:
            constraints.append(Constraint(expr, divisor))
    return constraints


def holds_all(constraints: Sequence[Constraint], box: Sequence[Range]) -> Holds:
    """Return whether all constraints hold on all, none or part of `box`."""
    states = {constraint.holds(box) for constraint in constraints}
    if Holds.NEVER in states:
        return Holds.NEVER
    return Holds.MAYBE if Holds.MAYBE in states else Holds.ALWAYS
