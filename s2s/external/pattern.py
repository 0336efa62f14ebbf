"""Patterns over dialect `graph`, in TVM's style, that say which operators a code generator takes.

    x, w = wildcard(), is_constant()
    dense = is_op("matmul")(x, w).has_dtype("float32").optional(lambda product: is_op("clamp")(product))
    match(dense, clamp)                    Match(ops=(matmul, clamp)), or None

A pattern matches a value; the operators that it names are matched, the values of wildcards and constants are inputs.
A pattern that stands at several places matches the same value at all of them. All operators of a match but the last one
are used inside of the match only, so that the match can be replaced by one call.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import cast

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, IntegerType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import Commutative

from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type, from_dense, to_numpy


@frozen
class Found:
    """What a search for a match has matched so far."""

    ops: tuple[Operation, ...] = ()
    bound: Mapping["Pattern", SSAValue] = field(default_factory=dict["Pattern", SSAValue])


class Pattern(ABC):
    """Describes values by the operators that compute them."""

    @abstractmethod
    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        """Yield all ways in which `value` matches, beside what is `found` already."""

    def search(self, value: SSAValue, found: Found) -> Iterator[Found]:
        """Yield all ways in which `value` matches, if this pattern has not matched another value elsewhere."""
        if self in found.bound:
            if found.bound[self] is value:
                yield found
            return
        for each in self.alternatives(value, found):
            yield Found(each.ops, {**each.bound, self: value})

    def __or__(self, other: "Pattern") -> "Pattern":
        return Either(self, other)

    def optional(self, wrap: Callable[["Pattern"], "Pattern"]) -> "Pattern":
        """Match `wrap(self)`, else this pattern alone."""
        return wrap(self) | self

    def where(self, predicate: Callable[[SSAValue], bool]) -> "Pattern":
        """Match only values for which `predicate` holds; it is asked about values that match otherwise."""
        return Restricted(self, predicate)

    def has_attr(self, **wanted: object) -> "Pattern":
        """Match only results of operators with these attributes: numbers, texts, tuples of integers, or flags."""
        return self.where(lambda value: _has_attributes(value, wanted))

    def has_value(self, number: float) -> "Pattern":
        """Match only constants (not weights) all of whose elements equal `number`."""
        return self.where(lambda value: _has_value(value, number))

    def has_dtype(self, dtype: str) -> "Pattern":
        """Match only tensors of this element type, by numpy's name."""
        return self.where(lambda value: to_numpy(as_tensor_type(value.type).element_type).name == dtype)

    def has_rank(self, rank: int) -> "Pattern":
        """Match only tensors of this rank."""
        return self.where(lambda value: len(as_tensor_type(value.type).get_shape()) == rank)


@frozen(eq=False)
class Wildcard(Pattern):
    """Any value."""

    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        yield found


@frozen(eq=False)
class Constant(Pattern):
    """A weight or a constant."""

    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        if is_known(value):
            yield found


@frozen(eq=False)
class Op(Pattern):
    """The result of an operator; its operands match `operands`, or are any if these are not given."""

    name: str
    operands: tuple[Pattern, ...] | None = None

    def __call__(self, *operands: Pattern) -> "Op":
        """The same operator with patterns for all of its operands."""
        return Op(self.name, operands)

    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        op = value.owner
        if not isinstance(op, Operation) or op.name != f"graph.{self.name}" or len(op.results) != 1:
            return
        taken = found if op in found.ops else Found((*found.ops, op), found.bound)
        if self.operands is None:
            yield taken
            return
        if len(self.operands) != len(op.operands):
            return
        yield from _all_match(self.operands, tuple(op.operands), taken)
        if op.has_trait(Commutative):
            yield from _all_match(self.operands, tuple(reversed(op.operands)), taken)


@frozen(eq=False)
class Either(Pattern):
    """One of two patterns, the first one preferred."""

    first: Pattern
    second: Pattern

    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        yield from self.first.search(value, found)
        yield from self.second.search(value, found)


@frozen(eq=False)
class Restricted(Pattern):
    """A pattern with a predicate on the values that it matches."""

    pattern: Pattern
    predicate: Callable[[SSAValue], bool]

    def alternatives(self, value: SSAValue, found: Found) -> Iterator[Found]:
        for each in self.pattern.search(value, found):
            if self.predicate(value):
                yield each


def wildcard() -> Pattern:
    """Match any value."""
    return Wildcard()


def is_constant() -> Pattern:
    """Match a weight or a constant."""
    return Constant()


def is_op(name: str) -> Op:
    """Match the result of the operator `graph.<name>`; call the pattern to match its operands, too."""
    return Op(name)


@frozen
class Match:
    """Operators that match a pattern."""

    ops: tuple[Operation, ...]
    """In the order of the block."""
    bound: Mapping[Pattern, SSAValue]
    """The value that each pattern has matched."""


def match(pattern: Pattern, root: Operation) -> Match | None:
    """Return the first match of `pattern` whose last operator is `root`; None if there is none."""
    block = root.parent_block()
    if block is None or len(root.results) != 1:
        return None
    for found in pattern.search(root.results[0], Found()):
        inside = set(found.ops)
        if root in inside and all(op.parent_block() is block for op in inside) and _is_closed(inside, root):
            return Match(tuple(sorted(inside, key=block.get_operation_index)), found.bound)
    return None


def _is_closed(inside: set[Operation], root: Operation) -> bool:
    """Whether only members use the results of all members but the last one."""
    return all(
        use.operation in inside for op in inside if op is not root for result in op.results for use in result.uses
    )


def _all_match(patterns: tuple[Pattern, ...], values: tuple[SSAValue, ...], found: Found) -> Iterator[Found]:
    """Yield all ways in which every pattern matches its value."""
    if not patterns:
        yield found
        return
    for first in patterns[0].search(values[0], found):
        yield from _all_match(patterns[1:], values[1:], first)


def _has_attributes(value: SSAValue, wanted: Mapping[str, object]) -> bool:
    op = value.owner
    if not isinstance(op, Operation):
        return False
    known = {**op.attributes, **op.properties}
    return all(_plain(known.get(name)) == expected for name, expected in wanted.items())


def _has_value(value: SSAValue, number: float) -> bool:
    op = value.owner
    return isinstance(op, graph.ConstantOp) and bool(np.all(from_dense(op.value) == number))


def _plain(attribute: Attribute | None) -> object:
    """An attribute as a Python value; an absent one is False, as an absent flag is."""
    match attribute:
        case None:
            return False
        case UnitAttr():
            return True
        case IntegerAttr() | FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case DenseArrayBase():
            return tuple(cast(DenseArrayBase[IntegerType], attribute).get_values())
        case _:
            return attribute
