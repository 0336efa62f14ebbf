"""Affine index expressions over dimensions whose ranges are known.

Knowing that `0 <= d1 < 64` turns `(d0 * 64 + d1) floordiv 64` into `d0`. Reshapes, packed layouts and tiles all produce
such divisions, and nearly all of them vanish here. An expression is handled as a linear form: a constant plus
coefficients of atoms, where an atom is a dimension or a division that could not be resolved.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from math import gcd, prod
from operator import add
from types import MappingProxyType
from typing import NamedTuple, TypeGuard

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from s2s.errors import CompilerBug

Range = tuple[int, int]
"""Smallest and largest value, both included."""


def ranges(sizes: Iterable[int]) -> list[Range]:
    """The ranges of dimensions that start at 0 and have these sizes."""
    return [(0, size - 1) for size in sizes]


def is_constant(expr: AffineExpr) -> TypeGuard[AffineConstantExpr]:
    """Whether `expr` is a number. `isinstance` asks the registry of an abstract class, millions of times."""
    return type(expr) is AffineConstantExpr


def is_dim(expr: AffineExpr) -> TypeGuard[AffineDimExpr]:
    """Whether `expr` is a dimension."""
    return type(expr) is AffineDimExpr


def is_binary(expr: AffineExpr) -> TypeGuard[AffineBinaryOpExpr]:
    """Whether `expr` is a sum, a product, or a division."""
    return type(expr) is AffineBinaryOpExpr


_NO_TERMS: Mapping[AffineExpr, int] = MappingProxyType({})


class Linear(NamedTuple):
    """`constant + sum of coefficient * atom`."""

    constant: int
    terms: Mapping[AffineExpr, int] = _NO_TERMS

    def plus(self, other: "Linear", factor: int = 1) -> "Linear":
        """`self + factor * other`."""
        terms = dict(self.terms)
        _add_terms(other.terms, factor, terms)
        return Linear(self.constant + factor * other.constant, terms)

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal for equal forms whose terms came in the same order."""
        return self.constant, *self.terms.items()

    def to_expr(self) -> AffineExpr:
        """The expression, terms in the order they came. Built as it is: operators of xDSL look for constants to fold,
        and no atom is one."""
        total: AffineExpr | None = None
        for atom, coefficient in self.terms.items():
            term = atom if coefficient == 1 else _binary(AffineBinaryOpKind.Mul, atom, AffineConstantExpr(coefficient))
            total = term if total is None else _binary(AffineBinaryOpKind.Add, total, term)
        if total is None:
            return AffineConstantExpr(self.constant)
        constant = self.constant
        return _binary(AffineBinaryOpKind.Add, total, AffineConstantExpr(constant)) if constant else total


_binary = AffineBinaryOpExpr


def at_dims(expr: AffineExpr, dims: Sequence[AffineExpr]) -> AffineExpr:
    """`expr` with each of the first dimensions replaced by an expression, as `replace_dims_and_symbols` of xDSL does
    it, without asking the registry of an abstract class what each part is."""
    if is_dim(expr):
        return dims[expr.position] if expr.position < len(dims) else expr
    if not is_binary(expr):
        return expr
    left, right = at_dims(expr.lhs, dims), at_dims(expr.rhs, dims)
    if left is expr.lhs and right is expr.rhs:
        return expr
    if expr.kind is AffineBinaryOpKind.Add:
        return _sum(left, right)
    if expr.kind is AffineBinaryOpKind.Mul and not is_binary(left) and not is_constant(left) and is_constant(right):
        return left if right.value == 1 else _binary(AffineBinaryOpKind.Mul, left, right)
    if expr.kind is AffineBinaryOpKind.Mul and not is_constant(left) and not is_constant(right):
        return _binary(AffineBinaryOpKind.Mul, left, right)  # sizes are multiplied
    return AffineExpr.binary(expr.kind, left, right)


def _sum(left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """`left + right`, constants folded and put last."""
    if is_constant(left):
        left, right = right, left
    if not is_constant(right):
        return _binary(AffineBinaryOpKind.Add, left, right)
    if is_constant(left):
        return AffineConstantExpr(left.value + right.value)
    if right.value == 0:
        return left
    if is_binary(left) and left.kind is AffineBinaryOpKind.Add and is_constant(left.rhs):
        return _sum(left.lhs, AffineConstantExpr(left.rhs.value + right.value))
    return _binary(AffineBinaryOpKind.Add, left, right)


def linear(expr: AffineExpr, bound: Sequence[Range]) -> Linear:
    """`expr` as a linear form, divisions resolved as far as the ranges allow."""
    terms: dict[AffineExpr, int] = {}
    return _rejoin(Linear(_add(expr, 1, bound, terms), terms))


def linear_of_dims(expr: AffineExpr) -> Linear | None:
    """`expr` as a linear form whatever the ranges of its dimensions; None where it has divisions."""
    if not _has_only_sums(expr):
        return None
    terms: dict[AffineExpr, int] = {}
    anywhere = [(0, 1)] * (max(expr.used_dims(), default=0) + 1)
    return Linear(_add(expr, 1, anywhere, terms), terms)


def _has_only_sums(expr: AffineExpr) -> bool:
    if not is_binary(expr):
        return True
    if expr.kind is AffineBinaryOpKind.Add:
        return _has_only_sums(expr.lhs) and _has_only_sums(expr.rhs)
    return expr.kind is AffineBinaryOpKind.Mul and is_constant(expr.rhs) and _has_only_sums(expr.lhs)


def at_point(form: Linear, point: Sequence[AffineExpr], bound: Sequence[Range]) -> Linear:
    """`form`, whose atoms are dimensions, with each replaced by an expression over dimensions with ranges `bound`."""
    terms: dict[AffineExpr, int] = {}
    constant = form.constant
    for dim, factor in form.terms.items():
        assert is_dim(dim)
        constant += _add(point[dim.position], factor, bound, terms)
    return _rejoin(Linear(constant, terms))


def _add(expr: AffineExpr, factor: int, bound: Sequence[Range], terms: dict[AffineExpr, int]) -> int:
    """Add `factor * expr` to `terms`, all but a constant, which is returned."""
    if is_binary(expr):
        if expr.kind is AffineBinaryOpKind.Add:
            return _add(expr.lhs, factor, bound, terms) + _add(expr.rhs, factor, bound, terms)
        if expr.kind is AffineBinaryOpKind.Mul and is_constant(expr.rhs):
            return _add(expr.lhs, factor * expr.rhs.value, bound, terms)
        form = _resolved(expr, bound)
        _add_terms(form.terms, factor, terms)
        return factor * form.constant
    if is_dim(expr):
        low, high = bound[expr.position]
        if low == high:
            return factor * low
        _add_term(expr, factor, terms)
        return 0
    if is_constant(expr):
        return factor * expr.value
    raise CompilerBug(f"{expr} is not an affine expression of dimensions")


def _add_terms(added: Mapping[AffineExpr, int], factor: int, terms: dict[AffineExpr, int]) -> None:
    for atom, coefficient in added.items():
        _add_term(atom, factor * coefficient, terms)


def _add_term(atom: AffineExpr, coefficient: int, terms: dict[AffineExpr, int]) -> None:
    total = terms.get(atom, 0) + coefficient
    if total:
        terms[atom] = total
    else:
        terms.pop(atom, None)


def _resolved(expr: AffineBinaryOpExpr, bound: Sequence[Range]) -> Linear:
    """A division, or a product whose factors have to be looked at."""
    left, right = linear(expr.lhs, bound), linear(expr.rhs, bound)
    if expr.kind is AffineBinaryOpKind.Mul:
        return _times(left, right)
    divisor = _constant(right)
    if expr.kind is AffineBinaryOpKind.Mod:
        return _modulo(left, divisor, bound)
    up = divisor - 1 if expr.kind is AffineBinaryOpKind.CeilDiv else 0
    return _floor_divide(left.plus(Linear(up)), divisor, bound)


def simplify(expr: AffineExpr, bound: Sequence[Range]) -> AffineExpr:
    """`expr` without the divisions that the ranges of its dimensions resolve."""
    return linear(expr, bound).to_expr()


def bounds(expr: AffineExpr, bound: Sequence[Range]) -> Range:
    """Smallest and largest value that `expr` can take (exact for linear forms, safe for others)."""
    return _bounds(linear(expr, bound), bound)


def flat_index(indices: Sequence[AffineExpr], shape: Sequence[int]) -> AffineExpr:
    """The row-major position of `indices` in a tensor of `shape`."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(indices))]
    terms = [index if stride == 1 else index * stride for index, stride in zip(indices, strides, strict=True)]
    return reduce(add, terms) if terms else AffineConstantExpr(0)


def delinearize(position: AffineExpr, shape: Sequence[int]) -> list[AffineExpr]:
    """The indices of row-major `position` in a tensor of `shape`."""
    indices: list[AffineExpr] = []
    for axis in reversed(range(len(shape))):
        indices.append(position % shape[axis] if axis else position)
        position = position // shape[axis]
    return indices[::-1]


def coefficient(expr: AffineExpr, dim: int, bound: Sequence[Range]) -> int | None:
    """How far `expr` moves per step of dimension `dim`; None where that is not constant (a division contains it)."""
    form = linear(expr, bound)
    if any(dim in atom.used_dims() for atom in form.terms if not is_dim(atom)):
        return None
    return form.terms.get(AffineDimExpr(dim), 0)


def _constant(form: Linear) -> int:
    if form.terms or form.constant < 1:
        raise CompilerBug(f"{form.to_expr()} is not a positive divisor")
    return form.constant


def _times(left: Linear, right: Linear) -> Linear:
    if not (left.terms and right.terms):
        form, factor = (left, right.constant) if left.terms else (right, left.constant)
        return Linear(0).plus(form, factor)
    total = Linear(left.constant * right.constant).plus(Linear(0, left.terms), right.constant)
    total = total.plus(Linear(0, right.terms), left.constant)
    for a, x in left.terms.items():
        for b, y in right.terms.items():
            total = total.plus(Linear(0, {_product([*_factors(a), *_factors(b)]): x * y}))
    return total


def _factors(atom: AffineExpr) -> list[AffineExpr]:
    """The factors of an atom: a product of sizes, which varies with several of them, has more than one."""
    if is_binary(atom) and atom.kind is AffineBinaryOpKind.Mul:
        return [*_factors(atom.lhs), *_factors(atom.rhs)]
    return [atom]


def _product(factors: Sequence[AffineExpr]) -> AffineExpr:
    """The product of atoms, the same for every order of them."""
    first, *others = sorted(factors, key=str)
    return reduce(partial(_binary, AffineBinaryOpKind.Mul), others, first)


def product_of(factors: Sequence[AffineExpr], bound: Sequence[Range]) -> AffineExpr:
    """The product of expressions, expanded: `(d0 + 1) * d1` is `d0 * d1 + d1`."""
    forms = [linear(factor, bound) for factor in factors]
    return reduce(_times, forms, Linear(1)).to_expr()


def _bounds(form: Linear, bound: Sequence[Range]) -> Range:
    low = high = form.constant
    for atom, factor in form.terms.items():
        least, most = _atom_bounds(atom, bound)
        low, high = (
            (low + factor * least, high + factor * most) if factor > 0 else (low + factor * most, high + factor * least)
        )
    return low, high


def _atom_bounds(atom: AffineExpr, bound: Sequence[Range]) -> Range:
    if is_dim(atom):
        return bound[atom.position]
    assert is_binary(atom)
    low, high = bounds(atom.lhs, bound)
    if atom.kind is AffineBinaryOpKind.Mul:
        corners = [x * y for x in (low, high) for y in bounds(atom.rhs, bound)]
        return min(corners), max(corners)
    assert is_constant(atom.rhs)
    if atom.kind is AffineBinaryOpKind.FloorDiv:
        return low // atom.rhs.value, high // atom.rhs.value
    return 0, atom.rhs.value - 1


def _split(form: Linear, divisor: int) -> tuple[Linear, Linear]:
    """`form = divisor * quotient + rest` with the coefficients of `rest` in [0, divisor)."""
    quotient = Linear(form.constant // divisor, {a: c // divisor for a, c in form.terms.items() if c // divisor})
    rest = Linear(form.constant % divisor, {a: c % divisor for a, c in form.terms.items() if c % divisor})
    return quotient, rest


def _split_signed(form: Linear, divisor: int) -> tuple[Linear, Linear]:
    """As `_split`, but only whole multiples of `divisor` go to the quotient, so that signs stay as they are."""
    quotient = Linear(form.constant // divisor, {a: c // divisor for a, c in form.terms.items() if c % divisor == 0})
    rest = Linear(form.constant % divisor, {a: c for a, c in form.terms.items() if c % divisor})
    return quotient, rest


def _floor_divide(form: Linear, divisor: int, bound: Sequence[Range]) -> Linear:
    if divisor == 1:
        return form
    for split in (_split_signed, _split):
        quotient, rest = split(form, divisor)
        low, high = _bounds(rest, bound)
        if low // divisor == high // divisor:
            return quotient.plus(Linear(low // divisor))
    quotient, rest = _split_signed(form, divisor)
    if (shared := _shared(rest, divisor, bound)) is not None:
        rest, divisor = shared[0], divisor // shared[2]
    return quotient.plus(Linear(0, {_divide(rest, divisor): 1}))


def _shared(form: Linear, divisor: int, bound: Sequence[Range]) -> tuple[Linear, Linear, int] | None:
    """`form = factor * quotient + rest` with `0 <= rest < factor`, for a factor of `divisor`: the rest does not count
    in `form floordiv divisor`, and comes through `form mod divisor` as it is."""
    for factor in sorted({gcd(each, divisor) for each in form.terms.values()} - {1, divisor}, reverse=True):
        quotient, rest = _split_signed(form, factor)
        low, high = _bounds(rest, bound)
        if quotient.terms and low >= 0 and high < factor:
            return quotient, rest, factor
    return None


def _divide(rest: Linear, divisor: int) -> AffineExpr:
    """The atom `rest floordiv divisor`, nested divisions merged: `(x floordiv 4) floordiv 8 = x floordiv 32`."""
    if len(rest.terms) == 1 and not rest.constant:
        ((atom, factor),) = rest.terms.items()
        if factor == 1 and is_binary(atom) and atom.kind is AffineBinaryOpKind.FloorDiv:
            assert is_constant(atom.rhs)
            return AffineBinaryOpExpr(
                AffineBinaryOpKind.FloorDiv, atom.lhs, AffineConstantExpr(atom.rhs.value * divisor)
            )
    return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, rest.to_expr(), AffineConstantExpr(divisor))


def _modulo(form: Linear, divisor: int, bound: Sequence[Range]) -> Linear:
    if divisor == 1:
        return Linear(0)
    for split in (_split_signed, _split):
        _, rest = split(form, divisor)
        low, high = _bounds(rest, bound)
        if low // divisor == high // divisor:
            return rest.plus(Linear(-(low // divisor) * divisor))
    _, rest = _split_signed(form, divisor)
    inside, factor = Linear(0), 1
    if (shared := _shared(rest, divisor, bound)) is not None:
        rest, inside, factor = shared
    atom = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, rest.to_expr(), AffineConstantExpr(divisor // factor))
    return Linear(0, {atom: factor}).plus(inside)


def _rejoin(form: Linear) -> Linear:
    """Put `n * (x floordiv n) + x mod n` back together as `x`, at any common factor."""
    for atom, factor in form.terms.items():
        if not is_binary(atom) or atom.kind is not AffineBinaryOpKind.Mod:
            continue
        assert is_constant(atom.rhs)
        whole = _divide(_plain(atom.lhs), atom.rhs.value)
        if form.terms.get(whole) == factor * atom.rhs.value:
            terms = {a: c for a, c in form.terms.items() if a not in (atom, whole)}
            rest = Linear(form.constant, terms)
            return _rejoin(rest.plus(_plain(atom.lhs), factor))
    return form


def _plain(expr: AffineExpr) -> Linear:
    """An expression that already is a printed linear form, read back."""
    if is_constant(expr):
        return Linear(expr.value)
    if is_binary(expr) and expr.kind is AffineBinaryOpKind.Add:
        return _plain(expr.lhs).plus(_plain(expr.rhs))
    if is_binary(expr) and expr.kind is AffineBinaryOpKind.Mul:
        assert is_constant(expr.rhs)
        return Linear(0).plus(_plain(expr.lhs), expr.rhs.value)
    return Linear(0, {expr: 1})
