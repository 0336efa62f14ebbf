"""Affine expressions as C.

They are written from their linear form, largest factor first, as a person writes the position in a tensor:
`i * 64 + j + 3`. Divisions whose operand is known not to be negative are C's `/` and `%`; others round down by hand.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)

from s2s.analysis.affine import Linear, Range, bounds, linear
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder

INDEX = IndexType()
_UNKNOWN: Range = (-(2**31), 2**31 - 1)


def ranges_of(b: Builder, operands: Sequence[SSAValue]) -> list[Range]:
    """The ranges of loop values, as far as they are known."""
    return [b.ranges.get(operand, _UNKNOWN) for operand in operands]


def index_expression(b: Builder, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
    """The value of `expr`, whose dimensions are the loop values `operands`."""
    return _Writer(b, operands).form(linear(expr, ranges_of(b, operands)))


def condition(b: Builder, affine_set: AffineSet, operands: Sequence[SSAValue]) -> SSAValue:
    """Whether all constraints of `affine_set` hold."""
    known = ranges_of(b, operands)
    writer = _Writer(b, operands)
    tests = [
        writer.test(linear(constraint.lhs - constraint.rhs, known), constraint.kind)
        for constraint in affine_set.constraints
    ]
    result = tests[0]
    for test in tests[1:]:
        result = b.binary("&&", result, test)
    return result


class _Writer:
    """Writes linear forms over the loop values `operands`."""

    def __init__(self, b: Builder, operands: Sequence[SSAValue]) -> None:
        self.b, self.operands = b, operands
        self.known = ranges_of(b, operands)

    def form(self, form: Linear) -> SSAValue:
        """`constant + sum of coefficient * atom`, written as a sum of positive terms less the others."""
        added, taken = _sides(form)
        if not added:
            return self._less(self.b.literal(form.constant, INDEX), taken)
        total, rest = self._sum(added, form.constant)
        return self._plus(self._less(total, taken), rest)

    def test(self, form: Linear, kind: AffineConstraintKind) -> SSAValue:
        """`form >= 0` or `form == 0`, with the negative terms brought to the other side."""
        added, taken = _sides(form)
        if kind is AffineConstraintKind.eq:
            return self.b.binary("==", self.form(form), self.b.literal(0, INDEX))
        if kind is not AffineConstraintKind.ge:
            raise CompilerBug(f"a constraint is {kind}, not an equality or at least zero")
        if not added:
            return self.b.binary("<", self._plain_sum(taken), self.b.literal(form.constant + 1, INDEX))
        if not taken:
            return self.b.binary(">=", self._plain_sum(added), self.b.literal(-form.constant, INDEX))
        left, right = self._plain_sum(added), self._plain_sum(taken)
        if form.constant == -1:
            return self.b.binary(">", left, right)
        return self.b.binary(">=", self._plus(left, form.constant), right)

    def _plain_sum(self, terms: "Terms") -> SSAValue:
        return self._sum(terms, 0)[0] if terms else self.b.literal(0, INDEX)

    def _sum(self, terms: "Terms", constant: int) -> tuple[SSAValue, int]:
        """The sum of `terms` with as much of `constant` as they take up, and what is left of it.

        Terms of one factor stand together: `(oh + kh - 1) * 8 + kw - 1` is row and column of a padded image.
        """
        total: SSAValue | None = None
        factors = [factor for factor in terms if factor > 1]
        lowest = [sum(f * self._least(atoms) for f, atoms in terms.items() if f < factor) for factor in factors]
        shares, rest = _shares(factors, lowest, constant)
        for factor, atoms in terms.items():
            value = self._atom(atoms[0])
            for atom in atoms[1:]:
                value = self.b.binary("+", value, self._atom(atom))
            if factor > 1:
                value = self.b.binary("*", self._plus(value, shares[factor]), self.b.literal(factor, INDEX))
            total = value if total is None else self.b.binary("+", total, value)
        assert total is not None
        return total, rest

    def _least(self, atoms: Sequence[AffineExpr]) -> int:
        """The least that `atoms` add up to, 0 where that is not known."""
        least = sum(bounds(atom, self.known)[0] for atom in atoms)
        return least if least > _UNKNOWN[0] else 0

    def _less(self, total: SSAValue, taken: "Terms") -> SSAValue:
        for factor, atoms in taken.items():
            for atom in atoms:
                value = self._atom(atom)
                if factor > 1:
                    value = self.b.binary("*", value, self.b.literal(factor, INDEX))
                total = self.b.binary("-", total, value)
        return total

    def _plus(self, value: SSAValue, constant: int) -> SSAValue:
        if constant == 0:
            return value
        return self.b.binary("+" if constant > 0 else "-", value, self.b.literal(abs(constant), INDEX))

    def _atom(self, atom: AffineExpr) -> SSAValue:
        """A dimension, or a division that the ranges could not resolve."""
        if isinstance(atom, AffineDimExpr):
            return self.b.value(self.operands[atom.position])
        if not isinstance(atom, AffineBinaryOpExpr):
            raise CompilerBug(f"{atom} is not an index expression")
        inner, divisor = linear(atom.lhs, self.known), linear(atom.rhs, self.known)
        if divisor.terms:
            raise CompilerBug(f"{atom} divides by what is not a constant")
        positive = bounds(atom.lhs, self.known)[0] >= 0
        return self._division(atom.kind, self.form(inner), divisor.constant, positive)

    def _division(self, kind: AffineBinaryOpKind, value: SSAValue, divisor: int, positive: bool) -> SSAValue:
        b, by = self.b, self.b.literal(divisor, INDEX)
        if kind is AffineBinaryOpKind.Mod:
            return b.binary("%", value, by) if positive else b.call("s2s_i32_mod", [value, by], INDEX)
        if kind is AffineBinaryOpKind.CeilDiv:
            value = self._plus(value, divisor - 1)
        elif kind is not AffineBinaryOpKind.FloorDiv:
            raise CompilerBug(f"{kind} is no division")
        if positive:
            return b.binary("/", value, by)
        return b.binary("/", b.binary("-", value, b.call("s2s_i32_mod", [value, by], INDEX)), by)


Terms = Mapping[int, Sequence[AffineExpr]]
"""Atoms by their factor, largest factor first."""


def _sides(form: Linear) -> tuple[Terms, Terms]:
    """The terms added and those taken away, factors positive."""
    sides: tuple[dict[int, list[AffineExpr]], dict[int, list[AffineExpr]]] = ({}, {})
    for atom, factor in sorted(form.terms.items(), key=lambda term: -abs(term[1])):
        sides[factor < 0].setdefault(abs(factor), []).append(atom)
    return sides


def _shares(factors: Sequence[int], lowest: Sequence[int], constant: int) -> tuple[dict[int, int], int]:
    """How many of each of `factors`, largest first, `constant` holds, and the rest: -33 is a row of 32 and one back.

    `lowest` is the least that the terms of all smaller factors come to; with the rest added it stays at least 0, so
    that a column is one of its row.
    """
    shares = dict.fromkeys(factors, 0)
    if any(larger % smaller for larger, smaller in pairwise(factors)):
        return shares, constant
    rests = [(constant + low) % factor - low for factor, low in zip(factors, lowest, strict=True)]
    for factor, above, below in zip(factors, [constant, *rests], rests, strict=False):
        shares[factor] = (above - below) // factor
    return shares, rests[-1] if rests else constant
