"""Evaluate affine expressions as written, without the compiler's simplifications."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.errors import CompilerBug

Frame = list[Any]
"""The values of a function, each at its numbered place."""
Position = Callable[[Frame], int]


class LinearForm(NamedTuple):
    """`constant + sum of coefficient * dimension`."""

    constant: int
    coefficients: tuple[int, ...]

    def at(self, dims: Sequence[Any]) -> Any:
        """The value at `dims`, numbers or arrays."""
        return sum((factor * dim for factor, dim in zip(self.coefficients, dims, strict=True) if factor), self.constant)

    def range(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Return the smallest and the largest value over dimensions from 0 to their sizes."""
        ends = [factor * (size - 1) for factor, size in zip(self.coefficients, sizes, strict=True)]
        return self.constant + sum(min(end, 0) for end in ends), self.constant + sum(max(end, 0) for end in ends)


def linear_form(expr: AffineExpr, dims: int) -> LinearForm | None:
    """Derive the linear form of `expr` from its values at 0 and at the unit vectors; None if it has divisions."""
    divides = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)
    if any(isinstance(part, AffineBinaryOpExpr) and part.kind in divides for part in expr.dfs()):
        return None
    constant = expr.eval([0] * dims, [])
    units = ([int(dim == other) for other in range(dims)] for dim in range(dims))
    return LinearForm(constant, tuple(expr.eval(unit, []) - constant for unit in units))


def position(expr: AffineExpr, places: Sequence[int]) -> Position:
    """Compile `expr` to a function of a frame that holds its dimensions at `places`."""
    form = linear_form(expr, len(places))
    if form is None:
        return _dividing(expr, places)
    return _sum(
        form.constant, [(place, factor) for place, factor in zip(places, form.coefficients, strict=True) if factor]
    )


def _sum(constant: int, terms: list[tuple[int, int]]) -> Position:
    """Compile `constant + sum of factor * value`; short sums are written out, because interpreters spend their time
    here."""
    match terms:
        case []:
            return lambda frame: constant
        case [(p, 1)] if constant == 0:
            return itemgetter(p)
        case [(p, a)]:
            return lambda frame: frame[p] * a + constant
        case [(p, a), (q, b)]:
            return lambda frame: frame[p] * a + frame[q] * b + constant
        case [(p, a), (q, b), (r, c)]:
            return lambda frame: frame[p] * a + frame[q] * b + frame[r] * c + constant
        case _:
            *first, (p, a), (q, b), (r, c) = terms
            rest = _sum(constant, first)
            return lambda frame: frame[p] * a + frame[q] * b + frame[r] * c + rest(frame)


def _dividing(expr: AffineExpr, places: Sequence[int]) -> Position:
    match expr:
        case AffineConstantExpr(value):
            return lambda frame: value
        case AffineDimExpr(dim):
            return itemgetter(places[dim])
        case AffineBinaryOpExpr():
            left, right = _dividing(expr.lhs, places), _dividing(expr.rhs, places)
        case _:
            raise CompilerBug(f"{expr} is not an affine expression of dimensions")
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return lambda frame: left(frame) + right(frame)
        case AffineBinaryOpKind.Mul:
            return lambda frame: left(frame) * right(frame)
        case AffineBinaryOpKind.FloorDiv:
            return lambda frame: left(frame) // right(frame)
        case AffineBinaryOpKind.CeilDiv:
            return lambda frame: -(-left(frame) // right(frame))
        case AffineBinaryOpKind.Mod:
            return lambda frame: left(frame) % right(frame)
