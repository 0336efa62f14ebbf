"""Passes between the forms of expressions: every value with a name, or none.

nn.relu(nn.dense(%x, %w))        let %x0 = nn.dense(%x, %w); let %x1 = nn.relu(%x0); %x1
"""

from collections.abc import Callable
from typing import Any

from s2s.passes.instruments import PassInfo
from s2s.tvm.parser import parse
from s2s.tvm.relay.expr import Constant, Expr, Var
from s2s.tvm.relay.expr_functor import ExprMutator
from s2s.tvm.relay.function import Function, GlobalVar, If, Let, name_value
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.operators import Op
from s2s.tvm.transform import Pass

_ATOMS = (Var, Constant, GlobalVar, Op, Function)


class _Naming(ExprMutator):
    """Gives names to values in the order in which they are computed."""

    def __init__(self) -> None:
        super().__init__()
        self.named: list[tuple[Var, Expr]] = []

    def visit(self, expr: Expr) -> Any:
        """The name of a value."""
        if expr in self.memo_map:
            return self.memo_map[expr]
        value = super().visit(expr)
        if not isinstance(value, _ATOMS):
            name = Var(f"x{len(self.named)}")
            name_value(name, value)
            self.named.append((name, value))
            self.memo_map[expr] = name
            return name
        return value

    def visit_let(self, let: Let) -> Expr:
        """The body, where the variable is the name of the value."""
        self.memo_map[let.var] = self.visit(let.value)
        return self.visit(let.body)

    def visit_function(self, fn: Function) -> Expr:
        """A function whose values have names of their own."""
        return Function(fn.params, named(fn.body), None, None, fn.attrs, fn.span)

    def visit_if(self, if_expr: If) -> Expr:
        """A choice whose branches have names of their own, behind the names around."""
        condition, *branches = if_expr.children
        return if_expr.with_children([self.visit(condition), *(named(branch, self) for branch in branches)])


def named(expr: Expr, outer: _Naming | None = None) -> Expr:
    """The expression in A-normal form: all that it is made of has a name."""
    inner = _Naming()
    if outer is not None:
        inner.memo_map = dict(outer.memo_map)
    body: Expr = inner.visit(expr)
    for name, value in reversed(inner.named):
        body = Let(name, value, body)
    return body


class _Inlining(ExprMutator):
    """Puts values in the place of their names."""

    def visit_let(self, let: Let) -> Expr:
        """The body, where the value stands for the variable."""
        self.memo_map[let.var] = self.visit(let.value)
        return self.visit(let.body)


class _Form(Pass):
    """A pass on the body of each function."""

    def __init__(self, name: str, form: Callable[[Expr], Expr]) -> None:
        super().__init__(PassInfo(1, name))
        self._form = form

    def applied(self, mod: IRModule) -> IRModule:
        changed = mod.clone()
        for var, function in mod.functions.items():
            changed[GlobalVar(var.name_hint)] = Function(
                function.params, self._form(function.body), None, None, function.attrs
            )
        return changed


class AnnotateSpans(Pass):
    """Writes the module as text and reads it again; expressions keep no places of the text."""

    def __init__(self) -> None:
        super().__init__(PassInfo(0, "AnnotateSpans"))

    def applied(self, mod: IRModule) -> IRModule:
        return parse(mod.astext())


def ToANormalForm() -> Pass:  # noqa: N802
    """Values get names: calls take variables and constants alone."""
    return _Form("ToANormalForm", named)


def ToGraphNormalForm() -> Pass:  # noqa: N802
    """Names become the values that they stand for."""
    return _Form("ToGraphNormalForm", lambda expr: _Inlining().visit(expr))


def ToANormalFormExpr(e: Expr) -> Expr:  # noqa: N802
    """An expression in which values have names."""
    return named(e)
