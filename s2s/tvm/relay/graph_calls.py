"""Results of operations of the dialect `graph`: what operators of relay make of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from xdsl.ir import Block, Operation, SSAValue

from s2s.errors import InputError
from s2s.frontends.symbolic_emission import symbolic_operation
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.sizes import ledger_of
from s2s.types.dtypes import AnyTensor, as_tensor_type
from s2s.types.shapes import ShapeError

Build = Callable[..., Operation]


class GraphCall(Expr):
    """The result of an operation of the dialect `graph`."""

    def __init__(self, build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]):
        self.build, self.arguments, self.properties = build, tuple(arguments), properties
        super().__init__(_result_types(build, self.arguments, properties)[0])

    @property
    def operands(self) -> tuple[Expr, ...]:
        return tuple(each for argument in self.arguments for each in _listed(argument))

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return GraphCall(self.build, _regrouped(self.arguments, children), self.properties)

    def __repr__(self) -> str:
        return f"GraphCall({operator_name(self)}, {self.type})"


class GraphCalls(Expr):
    """An operation of the dialect `graph` with several results, each of which is a `Result`."""

    def __init__(self, build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]):
        self.build, self.arguments, self.properties = build, tuple(arguments), properties
        super().__init__(None, operator_name(self))
        self.types = _result_types(build, self.arguments, properties)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return tuple(each for argument in self.arguments for each in _listed(argument))

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return GraphCalls(self.build, _regrouped(self.arguments, children), self.properties)

    @property
    def results(self) -> list[Result]:
        """Its results."""
        return [Result(self, number) for number in range(len(self.types))]


class Calling(Protocol):
    """An expression with several results."""

    types: list[AnyTensor]


class Result(Expr):
    """One of the results of an operation."""

    def __init__(self, call: Calling, index: int) -> None:
        super().__init__(call.types[index])
        self.call, self.index = call, index

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (cast("Expr", self.call),)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return Result(cast("Calling", children[0]), self.index)

    def __repr__(self) -> str:
        return f"Result({operator_name(self.call)}, {self.index}, {self.type})"


def call(build: Build, *arguments: Expr | Sequence[Expr] | None, **properties: object) -> Expr:
    """The result of an operation; None stands for an optional operand that is left out."""
    return GraphCall(build, arguments, properties)


def operator_name(expr: object) -> str:
    """The name of the operation without its dialect: `conv`."""
    if named := str(getattr(expr, "operator", "")):
        return named
    expr = cast("GraphCall | GraphCalls", expr)
    return str(getattr(expr.build, "name", "operator")).partition(".")[2] or "operator"


def _regrouped(
    arguments: Sequence[Expr | Sequence[Expr] | None], children: Sequence[Expr]
) -> list[Expr | Sequence[Expr] | None]:
    """Other operands in the place of the operands of an operation."""
    rest = iter(children)
    return [
        None if each is None else next(rest) if isinstance(each, Expr) else [next(rest) for _ in each]
        for each in arguments
    ]


def _listed(argument: Expr | Sequence[Expr] | None) -> Sequence[Expr]:
    if argument is None:
        return ()
    return (argument,) if isinstance(argument, Expr) else argument


def _result_types(
    build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]
) -> list[AnyTensor]:
    """The types of the results."""
    return [as_tensor_type(result.type) for result in _made(build, arguments, properties).results]


def remade(call: GraphCall) -> Operation:
    """The operation of a call, of operands of the same types."""
    return _made(call.build, call.arguments, call.properties)


def _made(build: Build, arguments: Sequence[Expr | Sequence[Expr] | None], properties: dict[str, object]) -> Operation:
    operands: list[object] = []
    for argument in arguments:
        if argument is None:
            operands.append(None)
        elif isinstance(argument, Expr):
            operands.append(_placeholder(argument))
        else:
            operands.append([_placeholder(each) for each in argument])
    try:
        return _operation(build, operands, arguments, properties)
    except ShapeError as error:
        name = getattr(build, "name", "operator")
        raise InputError(f"relay: {name}: {error}; change the operands") from error


def _operation(
    build: Build,
    operands: Sequence[object],
    arguments: Sequence[Expr | Sequence[Expr] | None],
    properties: dict[str, object],
) -> Operation:
    """An operation, of which properties may be sizes with variables."""
    ledger = ledger_of(properties.values())
    if ledger is None:
        return build(*operands, **properties)
    types = [
        None if each is None else each.type if isinstance(each, Expr) else [one.type for one in each]
        for each in arguments
    ]
    return symbolic_operation(build, operands, properties, types, ledger)


def _placeholder(expr: Expr) -> SSAValue:
    return Block(arg_types=[expr.type]).args[0]
