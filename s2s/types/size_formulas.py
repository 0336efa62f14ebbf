"""Sizes that are formulas of others, as text.

    4*q, past + new, (width + 1) // 2      names that exporters give dimensions: x [batch, 4*q], y [q + 1]
    (d0, d1) -> (d0 * d1 + 1)              attributes of a module, in which sizes may be multiplied

A dimension whose name is a formula of other names is no size of its own, and follows from these in every run: for q = 3
the shapes are [batch, 12] and [4]. The parser of xDSL refuses products of dimensions, which MLIR knows in symbols only.
"""

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from s2s.errors import CompilerBug
from s2s.types.affine import at_dims

MAX_CHARACTERS = 256
"""The longest text that is read as a formula."""
MAX_CONSTANT = 2**31 - 1
_KINDS: Mapping[type[ast.operator], AffineBinaryOpKind] = {
    ast.Add: AffineBinaryOpKind.Add,
    ast.Mult: AffineBinaryOpKind.Mul,
    ast.FloorDiv: AffineBinaryOpKind.FloorDiv,
    ast.Div: AffineBinaryOpKind.FloorDiv,
    ast.Mod: AffineBinaryOpKind.Mod,
}
"""A size is a whole number, so `height / 8` is one: what remains is left out."""


class SizeFormula(NamedTuple):
    """A size that follows from the sizes called `names`, each a dimension of `expr`."""

    names: tuple[str, ...]
    expr: AffineExpr

    @property
    def is_name(self) -> bool:
        """Whether it is one size as it is."""
        return isinstance(self.expr, AffineDimExpr)

    @property
    def used(self) -> list[str]:
        """The names of the sizes that it depends on."""
        return [self.names[dim] for dim in sorted(self.expr.used_dims())]

    def at(self, sizes: Mapping[str, int]) -> int:
        """Return its value at these `sizes`, by name; sizes that it does not depend on may be left out."""
        return self.expr.eval([sizes.get(name, 0) for name in self.names], [])

    def over(self, exprs: Mapping[str, AffineExpr]) -> AffineExpr:
        """Return it with the sizes that it names as expressions."""
        return at_dims(self.expr, [exprs[name] for name in self.names])


def named_size(name: str) -> SizeFormula:
    """Return the size `name`, any text, as a formula."""
    return SizeFormula((name,), AffineDimExpr(0))


def formula_of(text: str, sizes: Collection[str]) -> SizeFormula:
    """Return the formula of `sizes` that the name of a dimension is; the size of that name, if it is none of these."""
    formula = None if text in sizes else parse_formula(text)
    return formula if formula is not None and all(name in sizes for name in formula.names) else named_size(text)


def own_names(texts: Iterable[str]) -> list[str]:
    """Return the names of dimensions that are no formulas, each once."""
    return [text for text in dict.fromkeys(texts) if (formula := parse_formula(text)) is None or formula.is_name]


def told_sizes(axes: Iterable[tuple[SizeFormula, int]], values: Mapping[str, range]) -> dict[str, int]:
    """Return the sizes that the sizes of axes tell, by name: of `4*q`, 12 and `n`, 5 it is q = 3, n = 5.

    A size that is an axis of its own is that, whatever it may be; one that formulas alone have is among its `values`,
    the nearest one if none fits. Formulas grow with each of their sizes.
    """
    told: dict[str, int] = {}
    waiting: list[tuple[SizeFormula, int]] = sorted(axes, key=lambda axis: not axis[0].is_name)
    while waiting:
        formula, size = next((axis for axis in waiting if len(_missing(axis[0], told)) == 1), (None, 0))
        if formula is None:
            break
        (name,) = _missing(formula, told)
        told[name] = size if formula.is_name else _inverse(formula, size, name, told, values[name])
        waiting = [axis for axis in waiting if _missing(axis[0], told)]
    return told


def _missing(formula: SizeFormula, sizes: Mapping[str, int]) -> list[str]:
    return [name for name in formula.used if name not in sizes]


def _inverse(formula: SizeFormula, size: int, name: str, others: Mapping[str, int], values: range) -> int:
    """Return the value of size `name` at which a formula is `size`."""
    place = bisect_left(values, size, key=lambda value: formula.at({**others, name: value}))
    return values[min(place, len(values) - 1)]


def parse_formula(text: str) -> SizeFormula | None:
    """Return the formula that `text` is; None if it is another text, or a number."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None
    expr = _expression(body, names := list[str]())
    constants = [node.value for node in ast.walk(body) if isinstance(node, ast.Constant)]
    is_large = any(isinstance(value, int) and value > MAX_CONSTANT for value in constants)
    return None if expr is None or not names or is_large else SizeFormula(tuple(names), expr)


def _expression(node: ast.expr, names: list[str]) -> AffineExpr | None:
    """Return the expression that `node` is, None if it is none; names that are new are added to `names`."""
    match node:
        case ast.Name(id=name):
            names.extend([] if name in names else [name])
            return AffineDimExpr(names.index(name))
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return AffineConstantExpr(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _times(_expression(operand, names), AffineConstantExpr(-1))
        case ast.Call(func=ast.Name(id="floor"), args=[argument], keywords=[]):
            return _expression(argument, names)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            negative = _times(_expression(right, names), AffineConstantExpr(-1))
            return _binary(AffineBinaryOpKind.Add, _expression(left, names), negative)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _KINDS:
            return _binary(_KINDS[type(operator)], _expression(left, names), _expression(right, names))
        case _:
            return None


def _binary(kind: AffineBinaryOpKind, left: AffineExpr | None, right: AffineExpr | None) -> AffineExpr | None:
    if left is None or right is None:
        return None
    if kind is AffineBinaryOpKind.Mul:
        return _times(left, right)
    divides = kind is not AffineBinaryOpKind.Add
    if divides and not (isinstance(right, AffineConstantExpr) and right.value > 0):
        return None
    return _folded(AffineBinaryOpExpr(kind, left, right))


def _folded(expr: AffineBinaryOpExpr) -> AffineExpr:
    """Return an expression of constants alone as its value."""
    return expr if expr.used_dims() else AffineConstantExpr(expr.eval([], []))


def _times(left: AffineExpr | None, right: AffineExpr | None) -> AffineExpr | None:
    """Return a product, a constant factor behind the other one."""
    if left is None or right is None:
        return None
    if isinstance(left, AffineConstantExpr):
        left, right = right, left
    return _folded(AffineBinaryOpExpr(AffineBinaryOpKind.Mul, left, right))


def multiplies_sizes(expr: AffineExpr) -> bool:
    """Return whether `expr` has a product of which no factor is a constant."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return False
    factors = expr.kind is AffineBinaryOpKind.Mul and not isinstance(expr.rhs, AffineConstantExpr)
    return factors or multiplies_sizes(expr.lhs) or multiplies_sizes(expr.rhs)


def parse_map(text: str) -> AffineMap:
    """Return the map from sizes to another size of which `text` is the printed form; it has one result."""
    dims, _, result = text.removeprefix("affine_map<").removesuffix(">").partition(" -> ")
    names = [f"d{number}" for number in range(dims.count("d"))]
    tree = ast.parse(result.replace("floordiv", "//").replace("mod", "%"), mode="eval")
    expr = _expression(tree.body, used := list(names))
    if expr is None or used != names:
        raise CompilerBug(f"{text} is no map of sizes")
    return AffineMap(len(names), 0, (expr,))
