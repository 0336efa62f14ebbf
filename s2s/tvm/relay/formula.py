"""Operators that the importer of ONNX decomposes, as expressions: one meaning for both interfaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onnx.helper import make_node
from xdsl.ir import Block

from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.onnx.ports import Ports
from s2s.frontends.onnx.scope import Scope
from s2s.frontends.onnx.session import Session, failure
from s2s.tvm.relay.expr import Constant, Expr
from s2s.tvm.relay.graph_calls import Result
from s2s.tvm.relay.sizes import ledger_of
from s2s.types.dtypes import AnyTensor
from s2s.types.size import Size, integer_of
from s2s.types.weights import WeightStore

OPSET = 22
"""The version of ONNX whose operators are meant."""
Write = Callable[[Builder, Sequence[Value]], list[Value]]


class Formula(Expr):
    """The results of a formula over values of the builder that importers use."""

    def __init__(self, operator: str, write: Write, arguments: Sequence[Expr]) -> None:
        super().__init__(None, operator)
        self.operator, self.write, self.arguments = operator, write, tuple(arguments)
        block = Block(arg_types=[each.type for each in arguments])
        builder = Builder(block, WeightStore(), ledger=ledger_of([argument.shape for argument in arguments]))
        values = [
            builder.constant(each.value, "") if isinstance(each, Constant) else builder.computed(argument, "")
            for each, argument in zip(arguments, builder.block.args, strict=True)
        ]
        self.types: list[AnyTensor] = [each.type for each in write(builder, values)]

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.arguments

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return Formula(self.operator, self.write, children)

    @property
    def results(self) -> list[Result]:
        """Its results."""
        return [Result(self, number) for number in range(len(self.types))]


def onnx_results(operator: str, *operands: Expr | None, outputs: int = 1, **attributes: Any) -> list[Result]:
    """The results of an operator of ONNX on expressions; None stands for an operand that is left out."""
    names = ["" if each is None else f"operand{number}" for number, each in enumerate(operands)]
    results = [f"result{number}" for number in range(outputs)]
    node = make_node(operator, names, results, name=operator, **attributes)

    def write(builder: Builder, values: Sequence[Value]) -> list[Value]:
        scope = Scope({"": OPSET, "com.microsoft": 1}, node=builder.node or None)
        for name, value in zip([name for name in names if name], values, strict=True):
            scope.define(name, value)
        session = Session(builder, {}, None, {}, Ports(builder).run_number)
        session.run_nodes([node], scope)
        if session.failures:
            raise failure(session.failures)
        written = [scope.lookup(name) for name in results]
        return [value for value in written if isinstance(value, Value)]

    return Formula(operator.lower(), write, [each for each in operands if each is not None]).results


def onnx(operator: str, *operands: Expr | None, **attributes: Any) -> Expr:
    """The only result of an operator of ONNX."""
    return onnx_results(operator, *operands, **attributes)[0]


def constant_ints(where: str, given: Sequence[int] | int | Expr) -> list[int]:
    """Numbers that an operator wants to know while it is compiled, given as they are or as a constant."""
    if isinstance(given, Expr):
        if not isinstance(given, Constant):
            raise InputError(f"relay.{where}: is computed at run time; give a constant")
        return [int(each) for each in given.value.reshape(-1)]
    return [given] if isinstance(given, int | Size) else [integer_of(each) for each in given]


def constant_numbers(where: str, given: Expr) -> list[float]:
    """Numbers that an operator wants to know while it is compiled, given as a constant."""
    if not isinstance(given, Constant):
        raise InputError(f"relay.{where}: is computed at run time; give a constant")
    return given.value.reshape(-1).tolist()
