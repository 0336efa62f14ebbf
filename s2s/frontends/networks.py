"""Build networks inside of the imported network: the bodies of scans, loops and branches, each a function.

The formulas of a body are written with a builder of its own, on values that stand for its arguments:

    (last,), (outputs,) = scan(builder, "sum", body, carried=[zeros], scanned=[x])

    def body(inner, carried, slices, kept):
        total = carried[0] + slices[0]
        return [total], [total]

Values without elements are known without computing them: they are neither passed to a function nor returned by it, but
constants on both sides. A value of a narrow type is passed as its carriers, and is marked with the type on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from s2s.dialects import graph
from s2s.dialects.graph.base import ints
from s2s.errors import UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.types.dtypes import AnyTensor, tensor_type, to_numpy
from s2s.types.narrow import Narrow
from s2s.types.size import alike, greatest, is_empty

Values = list[Value]
Formulas = Callable[[Builder, Values], Sequence[Value]]
"""Writes a network: what it returns, from its arguments."""
Body = Callable[[Builder, Values, Values, Values], tuple[Sequence[Value], Sequence[Value]]]
"""Writes a step: the values carried on and the parts given, from carried values, slices and kept values."""


class TypesChangeError(UnsupportedError):
    """A value that a body carries has another type than the initial value."""


class BranchesDifferError(TypesChangeError):
    """Two branches give values of these different kinds."""

    def __init__(self, message: str, then: Sequence[Kind], otherwise: Sequence[Kind]) -> None:
        super().__init__(message)
        self.then, self.otherwise = tuple(then), tuple(otherwise)


class Kind(NamedTuple):
    """The type of a value, and the type of the model whose carriers its elements are."""

    type: AnyTensor
    narrow: Narrow | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the value has no elements."""
        return is_empty(self.type.get_shape())

    def __str__(self) -> str:
        return str(self.type) if self.narrow is None else f"{self.type} of {self.narrow.dtype}"

    def is_like(self, other: Kind) -> bool:
        """Whether another value has the same type at all sizes."""
        mine, its = self.type, other.type
        same = mine.element_type == its.element_type and self.narrow == other.narrow
        return same and alike(mine.get_shape(), its.get_shape())

    def slice(self) -> Kind:
        """The kind of one slice along the first dimension."""
        return Kind(tensor_type(self.type.element_type, self.type.get_shape()[1:]), self.narrow)

    def stacked(self, steps: int) -> Kind:
        """The kind of as many such values, stacked in front."""
        return Kind(tensor_type(self.type.element_type, (steps, *self.type.get_shape())), self.narrow)


def kinds_of(values: Sequence[Value]) -> list[Kind]:
    """The kinds of values."""
    return [Kind(value.type, value.narrow) for value in values]


def network(
    builder: Builder, wish: str, kinds: Sequence[Kind], formulas: Formulas, tied: Sequence[Kind] = ()
) -> tuple[str, list[Value]]:
    """The name of a new function, and what it returns; its first results, of kinds `tied`, take over arguments."""
    passed = _types_of_held(kinds)
    block = Block(arg_types=passed)
    inner = builder.inner(block)
    computed = [inner.computed(argument, f"x{n}") for n, argument in enumerate(block.args)]
    results = list(formulas(inner, _with_empty(inner, kinds, computed)))
    for began, found in zip(tied, kinds_of(results), strict=False):
        if not found.is_like(began):
            raise TypesChangeError(f"a body makes {found} of {began}; keep the types of what it carries")
    returned = _held(results)
    block.add_op(ReturnOp(*(inner.materialize(result) for result in returned)))
    name = builder.function_name(wish)
    kind = FunctionType.from_lists(passed, [result.type for result in returned])
    function = FuncOp(name, kind, Region(block), visibility="private")
    if tied:
        count = len(_types_of_held(tied))
        function.attributes[graph.TIED] = ints([n if n < count else -1 for n in range(len(returned))])
    builder.functions.append(function)
    return name, results


def _held(values: Sequence[Value]) -> Values:
    """The values that have elements."""
    return [value for value in values if not is_empty(value.shape)]


def _with_empty(builder: Builder, kinds: Sequence[Kind], held: Sequence[Value]) -> Values:
    """Values of all kinds: the ones in `held`, and a constant for each kind without elements."""
    rest = iter(held)
    values: Values = []
    for type, narrow in kinds:
        shape = type.get_shape()
        value = builder.filled(0, shape, to_numpy(type.element_type)) if is_empty(shape) else next(rest)
        value.narrow = narrow
        values.append(value)
    return values


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

    `backward` numbers the scanned values, then the parts, that are walked from the end. No steps give what is carried
    in, and parts without elements.
    """
    kinds, before = kinds_of(carried), len(builder.functions)
    slices = [kind.slice() for kind in kinds_of(scanned)]
    ends = len(kinds), len(kinds) + len(slices)

    def formulas(inner: Builder, values: Values) -> Values:
        state, parts = body(inner, values[: ends[0]], values[ends[0] : ends[1]], values[ends[1] :])
        return [*state, *parts]

    name, results = network(builder, wish, [*kinds, *slices, *kinds_of(kept)], formulas, kinds)
    stacked = [kind.stacked(steps) for kind in kinds_of(results[len(kinds) :])]
    if is_empty([steps]):
        del builder.functions[before:]
        return list(carried), _with_empty(builder, stacked, [])
    begin, slide, stay = ([builder.materialize(value) for value in _held(group)] for group in (carried, scanned, kept))
    every = [*kinds, *stacked]
    walked = [not each.is_empty for each in (*slices, *stacked)]
    reversed_slices = [sum(walked[:number]) for number in backward if walked[number]]
    (most,) = greatest([steps])
    op = graph.ScanOp(name, begin, slide, stay, _types_of_held(every), steps=most, backward=reversed_slices)
    made = _with_empty(builder, every, builder.append(op))
    return made[: len(kinds)], made[len(kinds) :]


def _types_of_held(kinds: Sequence[Kind]) -> list[AnyTensor]:
    return [kind.type for kind in kinds if not kind.is_empty]


def repeat(
    builder: Builder, wish: str, condition: Formulas, body: Formulas, carried: Sequence[Value], kept: Sequence[Value]
) -> Values:
    """The carried values when `condition` no longer holds; condition and body read carried values, then kept ones."""
    kinds, every = kinds_of(carried), kinds_of([*carried, *kept])
    test, _ = network(builder, f"{wish}_condition", every, condition)
    name, _ = network(builder, f"{wish}_body", every, body, kinds)
    operands = [builder.materialize(value) for value in _held([*carried, *kept])]
    return _with_empty(builder, kinds, builder.append(graph.WhileOp(test, name, operands, _types_of_held(kinds))))


def branch(
    builder: Builder, wish: str, condition: Value, then: Formulas, otherwise: Formulas, inputs: Sequence[Value]
) -> Values:
    """The results of one of two networks on the same inputs."""
    kinds, before = kinds_of(inputs), len(builder.functions)
    yes, results = network(builder, f"{wish}_then", kinds, then)
    no, others = network(builder, f"{wish}_else", kinds, otherwise)
    found = kinds_of(results)
    if len(results) != len(others) or not all(map(Kind.is_like, found, kinds_of(others))):
        del builder.functions[before:]
        raise BranchesDifferError(
            "the branches give different types; make the condition constant, or the types equal",
            found,
            kinds_of(others),
        )
    operands = [builder.materialize(value) for value in _held(inputs)]
    made = builder.append(graph.IfOp(builder.materialize(condition), yes, no, operands, _types_of_held(found)))
    return _with_empty(builder, found, made)
