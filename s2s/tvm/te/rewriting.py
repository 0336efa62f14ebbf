"""Expressions with parts of them replaced."""

from collections.abc import Callable, Mapping

from s2s.tvm.te.expressions import Expr, IterVar


def rewritten(expr: Expr, replace: Callable[[Expr], Expr | None]) -> Expr:
    """`expr` with each part replaced by what `replace` returns for it; None keeps the part and looks inside."""
    if (new := replace(expr)) is not None:
        return new
    operands = tuple(rewritten(operand, replace) for operand in expr.operands)
    return expr.rebuilt(operands) if operands else expr


def renamed(expr: Expr, variables: Mapping[IterVar, Expr]) -> Expr:
    """`expr` with loop variables replaced."""
    return rewritten(expr, lambda each: variables.get(each) if isinstance(each, IterVar) else None)
