"""Visitors and mutators of expressions, under TVM's names.

class Doubled(relay.ExprMutator):
    def visit_call(self, call):
        made = super().visit_call(call)
        return made + made if call.op.name == "nn.relu" else made
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from s2s.errors import InputError
from s2s.tvm.relay.expr import Constant, Expr, Tuple, Var
from s2s.tvm.relay.function import Function, GlobalVar, If, Let, name_value
from s2s.tvm.relay.operators import Call, Op, TupleGetItem, TupleWrapper

KINDS: dict[type[Expr], str] = {
    Function: "visit_function",
    Call: "visit_call",
    Let: "visit_let",
    Var: "visit_var",
    GlobalVar: "visit_global_var",
    If: "visit_if",
    Tuple: "visit_tuple",
    TupleWrapper: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    Constant: "visit_constant",
    Op: "visit_op",
}
"""The method for each class of expression."""


class ExprFunctor:
    """Calls the method for the class of an expression, for each expression once."""

    def __init__(self) -> None:
        self.memo_map: dict[Expr, Any] = {}

    def visit(self, expr: Expr) -> Any:
        """What the method for the class of `expr` returns."""
        if isinstance(expr, TupleWrapper):
            expr = expr.astuple()
        if expr in self.memo_map:
            return self.memo_map[expr]
        method = KINDS.get(type(expr), "visit_other")
        result = getattr(self, method)(expr)
        self.memo_map[expr] = result
        return result

    def visit_function(self, fn: Function) -> Any:
        """Called for a function."""
        return self.refused(fn)

    def visit_call(self, call: Call) -> Any:
        """Called for a call of an operator or a function."""
        return self.refused(call)

    def visit_let(self, let: Let) -> Any:
        """Called for a value with a name."""
        return self.refused(let)

    def visit_var(self, var: Var) -> Any:
        """Called for a variable."""
        return self.refused(var)

    def visit_global_var(self, gvar: GlobalVar) -> Any:
        """Called for the name of a function of a module."""
        return self.refused(gvar)

    def visit_if(self, if_expr: If) -> Any:
        """Called for a choice."""
        return self.refused(if_expr)

    def visit_tuple(self, tup: Tuple) -> Any:
        """Called for a tuple."""
        return self.refused(tup)

    def visit_tuple_getitem(self, t: TupleGetItem) -> Any:
        """Called for a field of a tuple."""
        return self.refused(t)

    def visit_constant(self, const: Constant) -> Any:
        """Called for a constant."""
        return self.refused(const)

    def visit_op(self, op: Op) -> Any:
        """Called for an operator."""
        return self.refused(op)

    def visit_other(self, expr: Expr) -> Any:
        """Called for what TVM has no class of: annotations, and operations that no operator of relay has made."""
        return self.refused(expr)

    def refused(self, expr: Expr) -> Any:
        """Raise the error of a class that the visitor has no method for."""
        raise InputError(f"{type(self).__name__}: {expr!r}: there is no {KINDS.get(type(expr), 'visit_other')}; add it")


class ExprVisitor(ExprFunctor):
    """Visits an expression and all that it is made of, each once."""

    def visit_tuple(self, tup: Tuple) -> Any:
        """Visit the fields."""
        self._visit_all(tup)

    def visit_call(self, call: Call) -> Any:
        """Visit the operator, then the arguments."""
        self.visit(call.op)
        for each in call.args:
            self.visit(each)

    def visit_let(self, let: Let) -> Any:
        """Visit the name, the value and the body."""
        for each in (let.var, let.value, let.body):
            self.visit(each)

    def visit_var(self, var: Var) -> Any:
        """Do nothing."""

    def visit_global_var(self, gvar: GlobalVar) -> Any:
        """Do nothing."""

    def visit_constant(self, const: Constant) -> Any:
        """Do nothing."""

    def visit_op(self, op: Op) -> Any:
        """Do nothing."""

    def visit_function(self, fn: Function) -> Any:
        """Visit the parameters and the body."""
        self._visit_all(fn)

    def visit_if(self, if_expr: If) -> Any:
        """Visit the condition and both branches."""
        self._visit_all(if_expr)

    def visit_tuple_getitem(self, t: TupleGetItem) -> Any:
        """Visit the tuple."""
        self._visit_all(t)

    def visit_other(self, expr: Expr) -> Any:
        """Visit what it is made of."""
        self._visit_all(expr)

    def _visit_all(self, expr: Expr) -> None:
        for each in expr.children:
            self.visit(each)


class ExprMutator(ExprFunctor):
    """Makes an expression anew of the results of the methods; an expression that they leave alone stays the same
    object."""

    def visit_function(self, fn: Function) -> Expr:
        """The function of other parameters and another body."""
        return self._again(fn)

    def visit_let(self, let: Let) -> Expr:
        """The body with another value."""
        value = self.visit(let.value)
        if value is not let.value and self.visit(let.var) is let.var:
            self.memo_map[let.var] = fresh = Var(let.var.name_hint)
            name_value(fresh, value)
        return self._again(let)

    def visit_call(self, call: Call) -> Expr:
        """The call of another operator or other arguments."""
        op, args = self.visit(call.op), [self.visit(each) for each in call.args]
        if op is call.op and all(new is old for new, old in zip(args, call.args, strict=True)):
            return call
        return Call(op, args, call.attrs, call.type_args, call.span, names=call.names if op is call.op else None)

    def visit_var(self, var: Var) -> Expr:
        """The variable."""
        return var

    def visit_global_var(self, gvar: GlobalVar) -> Expr:
        """The name."""
        return gvar

    def visit_if(self, if_expr: If) -> Expr:
        """The choice of another condition and other branches."""
        return self._again(if_expr)

    def visit_tuple(self, tup: Tuple) -> Expr:
        """The tuple of other fields."""
        return self._again(tup)

    def visit_tuple_getitem(self, t: TupleGetItem) -> Expr:
        """The field of another tuple."""
        return self._again(t)

    def visit_constant(self, const: Constant) -> Expr:
        """The constant."""
        return const

    def visit_op(self, op: Op) -> Expr:
        """The operator."""
        return op

    def visit_other(self, expr: Expr) -> Expr:
        """The same of what the methods make of its parts."""
        return self._again(expr)

    def _again(self, expr: Expr) -> Expr:
        children = [cast("Expr", self.visit(each)) for each in expr.children]
        is_same = all(new is old for new, old in zip(children, expr.children, strict=True))
        return expr if is_same else expr.with_children(children)


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], object]) -> None:
    """Call `fvisit` with each expression that `expr` is made of, operators too, each once, arguments first."""

    class Visitor(ExprVisitor):
        def visit(self, expr: Expr) -> Any:
            is_new = (expr.astuple() if isinstance(expr, TupleWrapper) else expr) not in self.memo_map
            super().visit(expr)
            if is_new:
                fvisit(expr)

    Visitor().visit(expr)
