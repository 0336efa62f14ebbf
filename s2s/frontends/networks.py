"""Build networks inside of the imported network: the bodies of scans, loops and branches, each a function.

The formulas of a body are written with a builder of its own, on values that stand for its arguments:

    (last,), (outputs,) = scan(builder, "sum", body, carried=[zeros], scanned=[x])

    def body(inner, carried, slices, kept):
        total = carried[0] + slices[0]
        return [total], [total]

Values without elements are known without computing them: they are neither passed to a function nor returned by it, but
constants on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.types.dtypes import AnyTensor, tensor_type, to_numpy

Values = list[Value]
Formulas = Callable[[Builder, Values], Sequence[Value]]
"""Writes a network: what it returns, from its arguments."""
Body = Callable[[Builder, Values, Values, Values], tuple[Sequence[Value], Sequence[Value]]]
"""Writes a step: what it carries on and the parts it gives, from what it carries, slices, and what it keeps."""


class TypesChangeError(UnsupportedError):
    """A value that a body carries has another type than the initial value."""


def network(
    builder: Builder, wish: str, types: Sequence[AnyTensor], formulas: Formulas, tied: Sequence[AnyTensor] = ()
) -> tuple[str, list[Value]]:
    """The name of a new function, and what it returns; its first results, of types `tied`, take over arguments."""
    passed = _of_held(types)
    block = Block(arg_types=passed)
    inner = builder.inner(block)
    computed = [inner.computed(argument, f"x{n}") for n, argument in enumerate(block.args)]
    results = list(formulas(inner, _with_empty(inner, types, computed)))
    for began, result in zip(tied, results, strict=False):
        if result.type != began:
            raise TypesChangeError(f"a body makes {result.type} of {began}; keep the types of what it carries")
    returned = _held(results)
    block.add_op(ReturnOp(*(inner.materialize(result) for result in returned)))
    name = builder.function_name(wish)
    kind = FunctionType.from_lists(passed, [result.type for result in returned])
    function = FuncOp(name, kind, Region(block), visibility="private")
    if tied:
        count = len(_of_held(tied))
        function.attributes[graph.TIED] = ints([n if n < count else -1 for n in range(len(returned))])
    builder.functions.append(function)
    return name, results


def _held(values: Sequence[Value]) -> Values:
    """The values that have elements."""
    return [value for value in values if 0 not in value.shape]


def _with_empty(builder: Builder, types: Sequence[AnyTensor], held: Sequence[Value]) -> Values:
    """Values of all types: those in `held`, and a constant for each type without elements."""
    rest = iter(held)
    return [
        builder.constant(np.zeros(type.get_shape(), to_numpy(type.get_element_type())))
        if 0 in type.get_shape()
        else next(rest)
        for type in types
    ]


def scan(
    builder: Builder,
    wish: str,
    body: Body,
    *,
    carried: Sequence[Value],
    scanned: Sequence[Value] = (),
    kept: Sequence[Value] = (),
    steps: int,
    backward: Sequence[int] = (),
) -> tuple[Values, Values]:
    """What is carried out of the last step, and the parts of all steps, stacked in front.

    `backward` numbers the scanned values, then the parts, that are walked from the end.
    """
    types = [value.type for value in carried]
    slices = [tensor_type(value.element, value.shape[1:]) for value in scanned]
    ends = len(types), len(types) + len(slices)

    def formulas(inner: Builder, values: Values) -> Values:
        state, parts = body(inner, values[: ends[0]], values[ends[0] : ends[1]], values[ends[1] :])
        return [*state, *parts]

    name, results = network(builder, wish, [*types, *slices, *(value.type for value in kept)], formulas, types)
    stacked = [tensor_type(value.element, (steps, *value.shape)) for value in results[len(types) :]]
    begin, slide, stay = ([builder.materialize(value) for value in _held(group)] for group in (carried, scanned, kept))
    every = [*types, *stacked]
    walked = [0 not in each.get_shape() for each in (*slices, *stacked)]
    reversed_slices = [sum(walked[:number]) for number in backward if walked[number]]
    op = graph.ScanOp(name, begin, slide, stay, _of_held(every), steps=steps, backward=reversed_slices)
    made = _with_empty(builder, every, builder.append(op))
    return made[: len(types)], made[len(types) :]


def _of_held(types: Sequence[AnyTensor]) -> list[AnyTensor]:
    return [type for type in types if 0 not in type.get_shape()]


def repeat(
    builder: Builder, wish: str, condition: Formulas, body: Formulas, carried: Sequence[Value], kept: Sequence[Value]
) -> Values:
    """What is carried when `condition` no longer holds; both read what is carried, then what is kept."""
    types, every = [value.type for value in carried], [value.type for value in (*carried, *kept)]
    test, _ = network(builder, f"{wish}_condition", every, condition)
    name, _ = network(builder, f"{wish}_body", every, body, types)
    operands = [builder.materialize(value) for value in _held([*carried, *kept])]
    return _with_empty(builder, types, builder.append(graph.WhileOp(test, name, operands, _of_held(types))))


def branch(
    builder: Builder, wish: str, condition: Value, then: Formulas, otherwise: Formulas, inputs: Sequence[Value]
) -> Values:
    """The results of one of two networks on the same inputs."""
    types = [value.type for value in inputs]
    yes, results = network(builder, f"{wish}_then", types, then)
    no, others = network(builder, f"{wish}_else", types, otherwise)
    found = [value.type for value in results]
    if found != [value.type for value in others]:
        raise TypesChangeError("the branches give different types; make the condition constant, or the types equal")
    operands = [builder.materialize(value) for value in _held(inputs)]
    made = builder.append(graph.IfOp(builder.materialize(condition), yes, no, operands, _of_held(found)))
    return _with_empty(builder, found, made)
