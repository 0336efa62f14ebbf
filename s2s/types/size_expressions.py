"""Expressions of sizes: one form for equal ones, divisions, and products divided by a factor."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TypeAlias

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from s2s.types.affine import Linear, Range, is_binary, is_constant, linear, product_of

Polynomial: TypeAlias = dict[tuple[AffineExpr, ...], int]
"""The coefficient of each product of atoms, in the order of their text; of the empty one it is the constant."""


def simplified(expr: AffineExpr, bounds: Sequence[Range]) -> AffineExpr:
    """Return the form of `expr` that equal expressions have as a rule: remainders written as differences, and divisions
    of what grows with a size: `N + (-N) mod 16` is `((N + 15) floordiv 16) * 16`."""
    form = linear(_without_remainders(expr), bounds)
    terms: dict[AffineExpr, int] = {}
    for atom, factor in form.terms.items():
        raised = _rising(atom, bounds)
        atom, factor = (atom, factor) if raised is None else (raised, -factor)
        terms[atom] = terms.get(atom, 0) + factor
    return Linear(form.constant, {atom: terms[atom] for atom in sorted(terms, key=str) if terms[atom]}).to_expr()


def _without_remainders(expr: AffineExpr) -> AffineExpr:
    """Write `x mod n` as `x - (x floordiv n) * n`."""
    if not is_binary(expr):
        return expr
    left, right = _without_remainders(expr.lhs), _without_remainders(expr.rhs)
    if expr.kind is AffineBinaryOpKind.Mod:
        divided = AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, left, right)
        assert is_constant(right)
        times = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, divided, AffineConstantExpr(-right.value))
        return AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, times)
    return AffineBinaryOpExpr(expr.kind, left, right)


def _rising(atom: AffineExpr, bounds: Sequence[Range]) -> AffineExpr | None:
    """Return the division that a falling one is the negative of: of `(-N) floordiv 16` it is `(N + 15) floordiv 16`."""
    if not is_binary(atom) or atom.kind is not AffineBinaryOpKind.FloorDiv:
        return None
    form = linear(atom.lhs, bounds)
    if not form.terms or any(factor > 0 for factor in form.terms.values()):
        return None
    assert is_constant(atom.rhs)
    inside = Linear(atom.rhs.value - 1).plus(form, -1).to_expr()
    return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, inside, atom.rhs)


def divided(expr: AffineExpr, divisor: int, bounds: Sequence[Range]) -> AffineExpr:
    """Return `expr floordiv divisor`: `((W + 1) floordiv 2 + 1) floordiv 2` is `(W + 3) floordiv 4`."""
    form = linear(expr, bounds)
    if len(form.terms) == 1:
        ((atom, factor),) = form.terms.items()
        if factor == 1 and is_binary(atom) and atom.kind is AffineBinaryOpKind.FloorDiv and is_constant(atom.rhs):
            step = atom.rhs.value
            return divided(atom.lhs + form.constant * step, step * divisor, bounds)
    return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, expr, AffineConstantExpr(divisor))


def exact_quotient(total: AffineExpr, divisor: AffineExpr, bounds: Sequence[Range]) -> AffineExpr | None:
    """Return the quotient where nothing remains at any size: `4 * H * W + 4 * W` by `W` is `4 * H + 4`. None where
    something may remain."""
    rest, by = _polynomial(total, bounds), _polynomial(divisor, bounds)
    lead = max(by, key=_degree)
    quotient: list[AffineExpr] = [AffineConstantExpr(0)]
    while rest:
        first = max(rest, key=_degree)
        others = _without(first, lead)
        if others is None or rest[first] % by[lead]:
            return None
        factor = rest[first] // by[lead]
        quotient.append(product_of([*others, AffineConstantExpr(factor)], bounds))
        for product, count in by.items():
            term = tuple(sorted((*product, *others), key=str))
            rest[term] = rest.get(term, 0) - factor * count
            if not rest[term]:
                del rest[term]
    return reduce(add, quotient)


def _polynomial(expr: AffineExpr, bounds: Sequence[Range]) -> Polynomial:
    form = linear(expr, bounds)
    terms: Polynomial = {tuple(sorted(_factors(atom), key=str)): count for atom, count in form.terms.items()}
    return {**terms, (): form.constant} if form.constant else terms


def _factors(atom: AffineExpr) -> list[AffineExpr]:
    if is_binary(atom) and atom.kind is AffineBinaryOpKind.Mul:
        return [*_factors(atom.lhs), *_factors(atom.rhs)]
    return [atom]


def _degree(product: tuple[AffineExpr, ...]) -> tuple[int, list[str]]:
    return len(product), list(map(str, product))


def _without(product: tuple[AffineExpr, ...], factors: tuple[AffineExpr, ...]) -> tuple[AffineExpr, ...] | None:
    """Return a product without some factors; None if it has not all of them."""
    rest = list(product)
    for factor in factors:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)
