"""Maps from the sizes of a run to a size that follows from them, as text: affine maps in which sizes may be multiplied.

    (d0, d1) -> (d0 * d1 + 1)

A picture of `d0` rows and `d1` columns has so many positions with one in front. The parser of xDSL refuses products of
dimensions, which MLIR knows in symbols only.
"""

import ast
from collections.abc import Mapping

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from s2s.errors import CompilerBug

_KINDS: Mapping[type[ast.operator], AffineBinaryOpKind] = {
    ast.Add: AffineBinaryOpKind.Add,
    ast.Mult: AffineBinaryOpKind.Mul,
    ast.FloorDiv: AffineBinaryOpKind.FloorDiv,
    ast.Mod: AffineBinaryOpKind.Mod,
}


def multiplies_sizes(expr: AffineExpr) -> bool:
    """Return whether `expr` has a product of which no factor is a constant."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return False
    factors = expr.kind is AffineBinaryOpKind.Mul and not isinstance(expr.rhs, AffineConstantExpr)
    return factors or multiplies_sizes(expr.lhs) or multiplies_sizes(expr.rhs)


def parse_map(text: str) -> AffineMap:
    """Return the map of which `text` is the printed form; it has one result."""
    dims, _, result = text.removeprefix("affine_map<").removesuffix(">").partition(" -> ")
    tree = ast.parse(result.replace("floordiv", "//").replace("mod", "%"), mode="eval")
    return AffineMap(dims.count("d"), 0, (_expression(tree.body),))


def _expression(node: ast.expr) -> AffineExpr:
    match node:
        case ast.Name(id=name):
            return AffineDimExpr(int(name.removeprefix("d")))
        case ast.Constant(value=int(value)):
            return AffineConstantExpr(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return AffineConstantExpr(-value)
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(value))):
            return AffineBinaryOpExpr(AffineBinaryOpKind.Add, _expression(left), AffineConstantExpr(-value))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _KINDS:
            return AffineBinaryOpExpr(_KINDS[type(operator)], _expression(left), _expression(right))
        case _:
            raise CompilerBug(f"{ast.unparse(node)} is no part of a map of sizes")
