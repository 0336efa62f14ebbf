"""`ScopeBuilder`: expressions of named values and choices, written statement by statement; and texts of expressions.

sb = relay.ScopeBuilder()
with sb.if_scope(cond):
    one_more = sb.let("one_more", x + 1.0)
    sb.ret(one_more)
with sb.else_scope():
    sb.ret(x)
function = relay.Function([cond, x], sb.get())
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from s2s.tvm.error import ScheduleError
from s2s.tvm.relay.expr import Expr, Var
from s2s.tvm.relay.function import Function, If, Let, name_value
from s2s.tvm.relay.function import bind as bound
from s2s.tvm.relay.module import IRModule
from s2s.tvm.relay.ty import Type


class _Choice(NamedTuple):
    """A condition and what is taken where it holds; the other branch is not written yet."""

    condition: Expr
    branch: Expr


class _Scope:
    """The named values of a block, and what it gives."""

    def __init__(self) -> None:
        self.values: list[tuple[Var, Expr]] = []
        self.result: Expr | _Choice | None = None

    def expression(self) -> Expr:
        """The block as one expression."""
        if not isinstance(self.result, Expr):
            raise ScheduleError("relay.ScopeBuilder: a block gives nothing; call ret, and write else_scope")
        result = self.result
        for variable, value in reversed(self.values):
            result = Let(variable, value, result)
        return result


class ScopeBuilder:
    """Builds an expression of blocks."""

    def __init__(self) -> None:
        self._scopes = [_Scope()]

    def let(self, var: Var | str | tuple[str, Type], value: Expr) -> Var:
        """Name a value; returns its variable."""
        variable = var if isinstance(var, Var) else Var(var) if isinstance(var, str) else Var(*var)
        name_value(variable, value)
        self._scopes[-1].values.append((variable, value))
        return variable

    @contextmanager
    def if_scope(self, cond: Expr) -> Generator[None]:
        """The block that is taken where the condition holds; `else_scope` has to follow."""
        branch = _Scope()
        self._scopes.append(branch)
        yield
        self._scopes.pop()
        if self._scopes[-1].result is not None:
            raise ScheduleError("relay.ScopeBuilder: the block has given its value before if_scope; leave one out")
        self._scopes[-1].result = _Choice(cond, branch.expression())

    @contextmanager
    def else_scope(self) -> Generator[None]:
        """The block that is taken otherwise."""
        branch = _Scope()
        self._scopes.append(branch)
        yield
        self._scopes.pop()
        choice = self._scopes[-1].result
        if not isinstance(choice, _Choice):
            raise ScheduleError("relay.ScopeBuilder: else_scope without an if_scope before it; write this one first")
        self._scopes[-1].result = If(choice.condition, choice.branch, branch.expression())

    def type_of(self, expr: Expr) -> Type:
        """The type of an expression."""
        return expr.checked_type

    def ret(self, value: Expr) -> None:
        """Set what the block gives."""
        if self._scopes[-1].result is not None:
            raise ScheduleError("relay.ScopeBuilder: the block has given its value; call ret once")
        self._scopes[-1].result = value

    def get(self) -> Expr:
        """The expression of all blocks."""
        return self._scopes[-1].expression()


def bind(expr: Expr, binds: Mapping[Var, Expr] | Sequence[tuple[Var, Expr]]) -> Expr:
    """An expression with others in the place of variables; of a function, of its parameters, which it then lacks."""
    pairs = list(binds.items() if isinstance(binds, Mapping) else binds)
    if not isinstance(expr, Function):
        return bound(expr, pairs)
    replaced = {id(variable) for variable, _ in pairs}
    return Function([parameter for parameter in expr.params if id(parameter) not in replaced], bound(expr.body, pairs))


def astext(value: Expr | IRModule, show_meta_data: bool = True, annotate: object = None) -> str:
    """The text of an expression or a module in Relay's syntax."""
    return value.astext(show_meta_data)


def pretty_print(obj: Expr | IRModule) -> str:
    """The text of an expression or a module, without its metadata."""
    return obj.astext(show_meta_data=False)


__all__ = ["ScopeBuilder", "astext", "bind", "pretty_print"]
