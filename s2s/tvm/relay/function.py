"""Functions, names of values and choices: the expressions that bind variables.

    f = relay.Function([x], relay.nn.relu(x))
    relay.Call(f, [y])                         relu(y)
    relay.Let(v, relay.exp(y), v + v)

A call of a function is its body with the arguments in the place of the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.names import distinct
from s2s.tvm.relay.expr import FUNCTIONS, Expr, Tuple, Var, written
from s2s.tvm.relay.operators import Attrs, Call, fields_of, is_tuple
from s2s.tvm.relay.ty import FuncType, Type


class GlobalVar(Expr):
    """The name of a function of a module."""

    def __init__(self, name_hint: str, type_annot: Type | None = None) -> None:
        super().__init__(None, name_hint)
        self.type_annotation = type_annot
        self.expansion: Expr | None = None
        """The function, once a module has it."""

    def __call__(self, *args: Expr) -> Expr:
        return Call(self, args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalVar) and self.name_hint == other.name_hint

    def __hash__(self) -> int:
        return hash(self.name_hint)

    def __repr__(self) -> str:
        return f"GlobalVar({self.name_hint})"


class Function(Expr):
    """A network or a part of one: `params` are its inputs and parameters, `body` is what it computes."""

    def __init__(
        self,
        params: Sequence[Expr],
        body: Expr,
        ret_type: Type | None = None,
        type_params: Sequence[Type] | None = None,
        attrs: Mapping[str, object] | None = None,
        span: object = None,
    ) -> None:
        super().__init__(None, "fn")
        wrong = [each for each in params if not isinstance(each, Var)]
        if wrong:
            raise InputError(f"relay.Function: parameter {wrong[0]!r} is no variable; pass what relay.var has made")
        if type_params:
            raise UnsupportedError("relay.Function: type_params: functions are not polymorphic here; leave them out")
        self.params = tuple(cast("Sequence[Var]", params))
        self.body, self.type_params, self.span = body.astuple() if isinstance(body, Tuple) else body, (), span
        self.attrs = Attrs(attrs or {})
        self._ret_type = ret_type

    def __call__(self, *args: Expr) -> Expr:
        return Call(self, args)

    @property
    def ret_type(self) -> Type:
        """The type of what it returns."""
        return self._ret_type or self.body.checked_type

    @property
    def checked_type(self) -> Type:
        return FuncType([each.checked_type for each in self.params], self.body.checked_type)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (*self.params, self.body)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return Function(children[:-1], children[-1], self._ret_type, None, self.attrs, self.span)

    @property
    def outputs(self) -> tuple[Expr, ...]:
        """What the network returns."""
        return tuple(_leaves(self.body))

    def with_attr(self, attr_key_or_dict: str | Mapping[str, object], attr_value: object = None) -> Function:
        """The function with further attributes."""
        more = {attr_key_or_dict: attr_value} if isinstance(attr_key_or_dict, str) else attr_key_or_dict
        return Function(self.params, self.body, self._ret_type, None, {**self.attrs, **more}, self.span)

    def without_attr(self, attr_key: str) -> Function:
        """The function without an attribute."""
        rest = {key: value for key, value in self.attrs.items() if key != attr_key}
        return Function(self.params, self.body, self._ret_type, None, rest, self.span)

    def applied(self, args: Sequence[Expr]) -> Expr:
        """The body with arguments in the place of the parameters."""
        if len(args) != len(self.params):
            raise InputError(f"relay.Call: {len(args)} arguments of {len(self.params)} parameters; give one for each")
        return bind(self.body, list(zip(self.params, args, strict=True)))

    def __repr__(self) -> str:
        return f"Function({len(self.params)} parameters)"


def _leaves(expr: Expr) -> Iterator[Expr]:
    """The tensors of an expression, also of the fields of a tuple, however deep."""
    if not is_tuple(expr):
        yield expr
        return
    for each in fields_of(expr):
        yield from _leaves(each)


class Let(Expr):
    """`body`, where `var` stands for `value`."""

    def __init__(self, variable: Var, value: Expr, body: Expr, span: object = None) -> None:
        name_value(variable, value)
        self.var, self.value, self.body, self.span = variable, value, body, span
        self.expansion = body
        super().__init__(None if is_tuple(body) else body.type)

    @property
    def checked_type(self) -> Type:
        return self.body.checked_type

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.body,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.value, self.var, self.body)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return Let(cast("Var", children[1]), children[0], children[2], self.span)

    def __repr__(self) -> str:
        return f"Let({self.var.name_hint})"


def name_value(variable: Var, value: Expr) -> None:
    """Let a variable stand for a value, whose type it gets."""
    if variable.expansion not in (None, value):
        raise InputError(f"relay.Let: {variable.name_hint} has a value already; bind each variable once")
    if not is_tuple(value) and not isinstance(value.value_of, Function):
        variable.give(value.shape, value.dtype)
    variable.expansion = value


class If(Expr):
    """One of two expressions, by a condition without dimensions; both are computed, and one is taken."""

    def __init__(self, cond: Expr, true_branch: Expr, false_branch: Expr, span: object = None) -> None:
        if cond.dtype != "bool" or cond.shape != ():
            raise InputError(f"relay.If: the condition is {cond.checked_type}; give a bool without dimensions")
        if true_branch.checked_type != false_branch.checked_type:
            raise InputError(
                f"relay.If: branches of {true_branch.checked_type} and {false_branch.checked_type} differ; convert one"
            )
        self.cond, self.true_branch, self.false_branch, self.span = cond, true_branch, false_branch, span
        if is_tuple(true_branch):
            pairs = zip(fields_of(true_branch), fields_of(false_branch), strict=True)
            self.expansion: Expr = Tuple([FUNCTIONS["where"](cond, first, second) for first, second in pairs])
        else:
            self.expansion = FUNCTIONS["where"](cond, true_branch, false_branch)
        super().__init__(None if is_tuple(self.expansion) else self.expansion.type)

    @property
    def checked_type(self) -> Type:
        return self.true_branch.checked_type

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.expansion,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.cond, self.true_branch, self.false_branch)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return If(children[0], children[1], children[2], self.span)

    def __repr__(self) -> str:
        return f"If({self.cond!r})"


def bind(expr: Expr, binds: Sequence[tuple[Expr, Expr]]) -> Expr:
    """An expression with others in the place of some that it is made of, which are told by their identity; what does
    not read these stays the same object."""
    values: dict[int, Expr] = {id(old): new for old, new in binds}
    for each in written(expr):
        if id(each) in values:
            continue
        if isinstance(each, Var) and each.expansion is not None:
            values[id(each)] = fresh = Var(each.name_hint)
            name_value(fresh, values[id(each.expansion)])
            continue
        children = [values[id(child)] for child in each.children]
        is_same = all(new is old for new, old in zip(children, each.children, strict=True))
        values[id(each)] = each if is_same else each.with_children(children)
    return values[id(expr)]


def free_vars(expr: Expr) -> list[Var]:
    """The variables that an expression reads, in the order in which it reads them."""
    every = written(expr)
    bound = {id(param) for each in every if isinstance(each, Function) for param in each.params}
    bound |= {id(each.var) for each in every if isinstance(each, Let)}
    return [each for each in every if isinstance(each, Var) and id(each) not in bound]


def bound_vars(expr: Expr) -> list[Var]:
    """The variables that an expression binds: parameters of functions, and names of values."""
    free = set(map(id, free_vars(expr)))
    return [each for each in written(expr) if isinstance(each, Var) and id(each) not in free]


def unique_names(variables: Sequence[Var]) -> list[str]:
    """The names of variables; one that has the name of an earlier one gets a number: `x`, `x_1`."""
    return distinct([variable.name_hint for variable in variables])
