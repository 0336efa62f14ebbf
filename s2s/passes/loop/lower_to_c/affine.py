"""Write affine expressions as C, in the form of a tensor index.

They are written from their linear form, axis by axis, as a person writes the position in a tensor: `i * 64 + j + 3`
(`axes.py`). Divisions whose operand is known not to be negative are C's `/` and `%`; others round down by hand.
"""

from collections.abc import Sequence

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

from s2s.c_syntax import headers
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.axes import axes_of
from s2s.passes.loop.lower_to_c.builder import Builder, literal_value
from s2s.types.affine import Linear, Range, bounds, linear

INDEX = IndexType()
_UNKNOWN: Range = (-(2**31), 2**31 - 1)


def ranges_of(b: Builder, operands: Sequence[SSAValue]) -> list[Range]:
    """Return the known ranges of loop values."""
    return [b.ranges.get(operand, _UNKNOWN) for operand in operands]


def index_expression(b: Builder, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
    """Write `expr` over the loop values `operands` as C."""
    return _Writer(b, operands).form(linear(expr, ranges_of(b, operands)))


def plus_constant(b: Builder, value: SSAValue, constant: int) -> SSAValue:
    """Write `value + constant`, as a difference if the constant is negative."""
    if constant == 0:
        return value
    return b.binary("+" if constant > 0 else "-", value, b.literal(abs(constant), INDEX))


def tightest(b: Builder, name: str, exprs: Sequence[AffineExpr], dims: Sequence[SSAValue]) -> SSAValue:
    """Combine bounds of a loop: the greatest lower one (`max`) or the least upper one (`min`)."""
    values = [index_expression(b, expr, dims) for expr in exprs]
    result = values[0]
    for value in values[1:]:
        result = b.call(f"s2s_i32_{name}", [result, value], INDEX, headers.MATH)
    return result


def condition(b: Builder, affine_set: AffineSet, operands: Sequence[SSAValue]) -> SSAValue:
    """Write the conjunction of all constraints of `affine_set`."""
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


def bounds_of(b: Builder, op: loop.ForOp) -> tuple[SSAValue, SSAValue]:
    """Write where a loop begins and ends, and record the range of its index."""
    lower, upper = tightest(b, "max", op.lower.data.results, op.dims), _end(b, op)
    b.ranges[op.index] = _range(b, op)
    return lower, upper


def _end(b: Builder, op: loop.ForOp) -> SSAValue:
    """Write the end of a loop in the innermost block whose counter it depends on, once for all loops that it ends."""
    key = op.upper, tuple(op.dims)
    if key not in b.ends:
        with b.inside(b.home(op.dims)):
            end = b.ends[key] = tightest(b, "min", op.upper.data.results, op.dims)
        if literal_value(end) is not None or end in b.sizes.values():
            return b.ends.pop(key)
        end.name_hint = f"{op.index.name_hint or 'i'}_end"
    return b.ends[key]


def _range(b: Builder, op: loop.ForOp) -> Range:
    """Return the range of the counter."""
    known = ranges_of(b, op.dims)
    low = max(bounds(expr, known)[0] for expr in op.lower.data.results)
    high = min(bounds(expr, known)[1] for expr in op.upper.data.results) - 1
    return low, max(low, high)


class _Writer:
    """Writes linear forms over the loop values `operands`."""

    def __init__(self, b: Builder, operands: Sequence[SSAValue]) -> None:
        self.b, self.operands = b, operands
        self.known = ranges_of(b, operands)

    def form(self, form: Linear) -> SSAValue:
        """Write `constant + sum of coefficient * atom` as the positive terms minus the others."""
        added, taken = _sides(form)
        if not added:
            return self._less(self.b.literal(form.constant, INDEX), taken)
        total, rest = self._sum(added, form.constant)
        return self._plus(self._less(total, taken), rest)

    def test(self, form: Linear, kind: AffineConstraintKind) -> SSAValue:
        """Write `form >= 0` or `form == 0` with the negative terms on the other side."""
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
        """Write the sum of `terms` axis by axis, with as much of `constant` as they absorb; return it with the rest."""
        total: SSAValue | None = None
        axes, rest = axes_of(terms, constant, self._bounds)
        for axis in axes:
            position: SSAValue | None = total if axis.factor == 1 else None
            for atom, multiplier in axis.atoms:
                value = self._scaled(atom, multiplier)
                position = value if position is None else self.b.binary("+", position, value)
            assert position is not None
            if axis.factor == 1:
                total = position
                continue
            position = self.b.binary("*", self._plus(position, axis.share), self.b.literal(axis.factor, INDEX))
            total = position if total is None else self.b.binary("+", total, position)
        assert total is not None
        return total, rest

    def _bounds(self, atom: AffineExpr) -> Range:
        """Return the bounds of `atom`; the lower one is 0 if it is unknown."""
        least, most = bounds(atom, self.known)
        return (least if least > _UNKNOWN[0] else 0), most

    def _less(self, total: SSAValue, taken: "Terms") -> SSAValue:
        for atom, factor in taken:
            total = self.b.binary("-", total, self._scaled(atom, factor))
        return total

    def _scaled(self, atom: AffineExpr, factor: int) -> SSAValue:
        value = self._atom(atom)
        return value if factor == 1 else self.b.binary("*", value, self.b.literal(factor, INDEX))

    def _plus(self, value: SSAValue, constant: int) -> SSAValue:
        return plus_constant(self.b, value, constant)

    def _atom(self, atom: AffineExpr) -> SSAValue:
        """Write a dimension, a product of sizes, or a division that the ranges could not resolve."""
        if isinstance(atom, AffineDimExpr):
            return self.b.value(self.operands[atom.position])
        if not isinstance(atom, AffineBinaryOpExpr):
            raise CompilerBug(f"{atom} is not an index expression")
        if atom.kind is AffineBinaryOpKind.Mul:
            factors = [self.form(linear(factor, self.known)) for factor in (atom.lhs, atom.rhs)]
            return self.b.binary("*", *factors)
        inner, divisor = linear(atom.lhs, self.known), linear(atom.rhs, self.known)
        if divisor.terms:
            raise CompilerBug(f"{atom} divides by what is not a constant")
        positive = bounds(atom.lhs, self.known)[0] >= 0
        return self._division(atom.kind, self.form(inner), divisor.constant, positive)

    def _division(self, kind: AffineBinaryOpKind, value: SSAValue, divisor: int, positive: bool) -> SSAValue:
        b, by = self.b, self.b.literal(divisor, INDEX)
        if kind is AffineBinaryOpKind.Mod:
            return b.binary("%", value, by) if positive else b.call("s2s_i32_mod", [value, by], INDEX, headers.MATH)
        if kind is AffineBinaryOpKind.CeilDiv:
            value = self._plus(value, divisor - 1)
        elif kind is not AffineBinaryOpKind.FloorDiv:
            raise CompilerBug(f"{kind} is no division")
        if positive:
            return b.binary("/", value, by)
        return b.binary("/", b.binary("-", value, b.call("s2s_i32_mod", [value, by], INDEX, headers.MATH)), by)


Terms = Sequence[tuple[AffineExpr, int]]
"""Atoms with positive factors, largest factor first."""


def _sides(form: Linear) -> tuple[Terms, Terms]:
    """Split a form into the terms to add and the terms to subtract."""
    terms = sorted(form.terms.items(), key=lambda term: -abs(term[1]))
    added = [(atom, factor) for atom, factor in terms if factor > 0]
    return added, [(atom, -factor) for atom, factor in terms if factor < 0]
