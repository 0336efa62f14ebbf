"""Operators of relay by name, and calls of them: what visitors, texts and passes of users see of an expression.

    @operator("nn.relu")
    def relu(data: Expr) -> Expr: ...

    y = relay.nn.relu(x)
    y.op.name, y.args, y.attrs        "nn.relu", [x], {}

A call keeps its arguments beside the expression that the operator has made of them, its expansion, which is what is
compiled. A call with other arguments is made by the same function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from xdsl.ir import Operation

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.relay.expr import FUNCTIONS, Expr, Number, Tuple
from s2s.tvm.relay.sizes import Settled
from s2s.tvm.relay.ty import Type
from s2s.tvm.relay.unread_attributes import REFUSED

EMPTY = inspect.Parameter.empty
P = ParamSpec("P")
R = TypeVar("R", bound=Expr)
OPERATORS: dict[str, Op] = {}
"""The operators by name, in the order of their definition."""
BY_OPERATION: dict[type[Operation], str] = {}
"""The operators that are one operation of the graph level without properties."""


class Op(Expr):
    """An operator: its name, and the function that makes an expression of arguments."""

    def __init__(self, name: str, function: Callable[..., Expr]) -> None:
        super().__init__(None, name)
        self.name, self.function = name, function
        self.signature = inspect.signature(function)
        kinds = {key: str(each.annotation) for key, each in self.signature.parameters.items()}
        self.numbers = {key for key, kind in kinds.items() if "Expr" in kind and "float" in kind}
        """The parameters that take a number for a tensor."""
        self.tensors = [key for key, kind in kinds.items() if "Expr" in kind or kind == "Tensors"]
        """The parameters that take tensors."""
        self.attributes: dict[str, tuple[int, object]] = {}
        """What a program has registered for it, with the level, by name."""

    @property
    def num_inputs(self) -> int:
        """How many parameters take tensors."""
        return len(self.tensors)

    def get_attr(self, attr_name: str) -> Any:
        """The value of an attribute; None where there is none."""
        return self.attributes.get(attr_name, (0, None))[1]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the attribute has a value."""
        return attr_name in self.attributes

    def set_attr(self, attr_name: str, value: object, plevel: int = 10) -> None:
        """Set an attribute; of two values the one of the higher level holds, two of one level are an error."""
        if attr_name in REFUSED:
            raise UnsupportedError(f"{self.name}: {attr_name}: is not read; {REFUSED[attr_name]}")
        if plevel <= 0:
            raise InputError(f"{self.name}: {attr_name}: level {plevel}; give a positive one")
        level, _ = self.attributes.get(attr_name, (0, None))
        if level == plevel:
            raise InputError(
                f"{self.name}: {attr_name}: level {plevel} has a value; reset_attr it, or give another level"
            )
        if level < plevel:
            self.attributes[attr_name] = plevel, value

    def reset_attr(self, attr_name: str) -> None:
        """Take an attribute away."""
        self.attributes.pop(attr_name, None)

    @staticmethod
    def get(op_name: str) -> Op:
        """The operator of a name."""
        op = OPERATORS.get(op_name)
        if op is None:
            raise InputError(f"relay.op.get({op_name!r}): no such operator; see tvm.ir.Op.list_op_names()")
        return op

    @staticmethod
    def list_op_names() -> list[str]:
        """The names of all operators."""
        return list(OPERATORS)

    def is_default(self, key: str, value: object, text: Callable[[object], str]) -> bool:
        """Whether an attribute has the text of its default."""
        parameter = self.signature.parameters.get(key)
        return parameter is not None and parameter.default is not EMPTY and text(value) == text(parameter.default)

    def with_defaults(self, attrs: Mapping[str, object], names: Sequence[str]) -> dict[str, object]:
        """All attributes, omitted ones with their defaults; `names` are the parameters given as tensors."""
        parameters = self.signature.parameters
        for key in attrs:
            if key not in parameters:
                raise InputError(f"{self.name}: there is no attribute {key}; there are {', '.join(parameters)}")
        defaults = {key: each.default for key, each in parameters.items() if key not in names}
        values = {**defaults, **attrs}
        return {key: values[key] for key in parameters if values.get(key, EMPTY) is not EMPTY}

    def __call__(self, *args: Expr) -> Expr:
        return Call(self, args)

    def recorded(self, expansion: Expr, arguments: Mapping[str, object]) -> Call | TupleWrapper:
        """The call that has made `expansion` of all arguments by name."""
        tensors: dict[str, Expr] = {}
        for key, value in arguments.items():
            if isinstance(value, Expr):
                tensors[key] = value.tuple_value if isinstance(value, TupleWrapper) else value
            elif _is_list(value):
                tensors[key] = Tuple(cast("Sequence[Expr]", value))
            elif key in self.numbers and tensors and isinstance(value, int | float | np.generic):
                tensors[key] = next(iter(tensors.values())).number(cast("Number", value))
        attrs = {key: value for key, value in arguments.items() if key not in tensors}
        call = Call(self, list(tensors.values()), attrs, expansion=expansion, names=list(tensors))
        return TupleWrapper(call) if isinstance(expansion, Tuple) else call

    def __repr__(self) -> str:
        return f"Op({self.name})"


def _is_list(value: object) -> bool:
    if not isinstance(value, Sequence) or not value:
        return False
    return all(isinstance(each, Expr) for each in cast("Sequence[object]", value))


def operator(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Register a function as the operator `name`; what it returns is a call of it."""

    def register(function: Callable[P, R]) -> Callable[P, R]:
        op = OPERATORS[name] = Op(name, function)

        @wraps(function)
        def apply(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = op.signature.bind(*args, **kwargs)
            with Settled(name):
                expansion = function(*args, **kwargs)
            bound.apply_defaults()
            return cast("R", op.recorded(expansion, bound.arguments))

        FUNCTIONS[name] = apply
        return apply

    return register


class Attrs(Mapping[str, object]):
    """The arguments of a call that are no tensors, as a mapping and as attributes."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    def __getattr__(self, name: str) -> object:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the call has no attribute {name}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Attrs({self._values})"


class Call(Expr):
    """The result of an operator, or of a function, of arguments."""

    def __init__(
        self,
        op: Expr,
        args: Sequence[Expr],
        attrs: Mapping[str, object] | None = None,
        type_args: Sequence[Type] | None = None,
        span: object = None,
        *,
        expansion: Expr | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.op, self.args, self.attrs = op, list(args), Attrs(attrs or {})
        self.type_args, self.span = list(type_args or ()), span
        self.names = list(names if names is not None else getattr(op, "tensors", ()))[: len(self.args)]
        """The parameter of the operator that each argument is given for."""
        self.expansion = self._expanded() if expansion is None else expansion
        super().__init__(None if is_tuple(self.expansion) else self.expansion.type)

    def _expanded(self) -> Expr:
        if not isinstance(self.op, Op):
            apply = getattr(self.op.value_of, "applied", None)
            if apply is None:
                raise InputError(
                    f"relay.Call: {self.op!r} cannot be called; give an operator or a function, or a global variable "
                    "once a module has its function"
                )
            return cast("Expr", apply(self.args))
        arguments = [as_tuple(each) if is_tuple(each) else each for each in self.args]
        if not self.names:
            return self.op.function(*arguments, **self.attrs)
        return self.op.function(**{**self.attrs, **dict(zip(self.names, arguments, strict=True))})

    @property
    def checked_type(self) -> Type:
        return self.expansion.checked_type

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.expansion,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (*(() if isinstance(self.op, Op) else (self.op,)), *self.args)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        op, args = (self.op, children) if isinstance(self.op, Op) else (children[0], children[1:])
        return Call(op, args, self.attrs, self.type_args, self.span, names=self.names)

    def __repr__(self) -> str:
        return f"Call({getattr(self.op, 'name', 'fn')}, {self.checked_type})"


def is_tuple(expr: Expr) -> bool:
    """Whether an expression has several values."""
    return isinstance(expr.value_of, Tuple)


def fields_of(expr: Expr) -> tuple[Expr, ...]:
    """The fields of an expression that is a tuple."""
    value = expr.value_of
    if not isinstance(value, Tuple):
        raise InputError(f"relay: {expr!r} is no tuple; give one, such as relay.split returns")
    return value.fields


def as_tuple(expr: Expr) -> Tuple:
    """The fields of an expression that is a tuple, as one that can be indexed."""
    return expr if isinstance(expr, Tuple) else TupleWrapper(expr)


class TupleGetItem(Expr):
    """A field of an expression that is a tuple."""

    def __init__(self, tuple_value: Expr, index: int, span: object = None) -> None:
        tuple_value = tuple_value.astuple() if isinstance(tuple_value, Tuple) else tuple_value
        self.tuple_value, self.index, self.span = tuple_value, index, span
        fields = fields_of(tuple_value)
        if not 0 <= index < len(fields):
            raise InputError(f"relay.TupleGetItem: {index} of {len(fields)} fields; count from 0")
        self.expansion = fields[index]
        super().__init__(None if is_tuple(self.expansion) else self.expansion.type)

    @property
    def checked_type(self) -> Type:
        return self.expansion.checked_type

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.expansion,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.tuple_value,)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return TupleGetItem(children[0], self.index, self.span)


class TupleWrapper(Tuple):
    """The fields of a call that is a tuple; where an expression is wanted, it is the call."""

    def __init__(self, tuple_value: Expr, size: int | None = None) -> None:
        self.tuple_value = tuple_value
        super().__init__([TupleGetItem(tuple_value, number) for number in range(size or len(fields_of(tuple_value)))])

    def astuple(self) -> Expr:
        """The call."""
        return self.tuple_value
