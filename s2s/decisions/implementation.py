"""How an operator is computed where programs have registered other ways than the compiler's own.

A way is an `Implementation`: a function that builds the operator of other operators, with a condition and a priority. A
*strategy* lists those of one operator for one target. The subject is named by a hash over the operator and its types; a
choice is the name of an implementation, `s2s` for the compiler's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block

from s2s.decisions.kind import Candidate, Heuristic, Refused
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.dialects.graph.base import GraphOp
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.support.mutable import mutable
from s2s.targets import Target
from s2s.types.weights import WeightStore

OWN = "s2s"
"""The compiler's own implementation."""
OWN_LEVEL = 10
"""Its priority; of equal priorities it comes first."""
IMPLEMENTATION = "implementation"
"""Discardable attribute of an operator: the implementation that was chosen."""


class Implementation(NamedTuple):
    """A way to compute an operator."""

    name: str
    build: Callable[[Any, WeightStore], Block]
    """Makes a block from the operator: its arguments are the operands, what it returns is the result."""
    plevel: int = OWN_LEVEL
    """The priority: the highest one whose condition holds is taken."""
    condition: bool = True
    """Whether it can compute this operator on this target."""


@mutable
class OpStrategy:
    """The implementations of an operator on a target."""

    implementations: list[Implementation] = field(default_factory=list[Implementation])

    def add(self, implementation: Implementation) -> None:
        """Add an implementation under a name of its own."""
        if implementation.name in (OWN, *(each.name for each in self.implementations)):
            raise InputError(f"strategy: implementation {implementation.name!r} is there already; give another name")
        self.implementations.append(implementation)


Strategy = Callable[[Any, Target], OpStrategy]

_STRATEGIES: dict[type[GraphOp], list[Strategy]] = {}


def add_strategy(kind: type[GraphOp], strategy: Strategy) -> None:
    """Ask `strategy` for implementations of operators of a kind."""
    _STRATEGIES.setdefault(kind, []).append(strategy)


def remove_strategy(kind: type[GraphOp], strategy: Strategy) -> None:
    """Remove a strategy."""
    _STRATEGIES[kind].remove(strategy)


def has_strategies() -> bool:
    """Return whether any strategy is registered."""
    return any(_STRATEGIES.values())


def implementations_of(op: GraphOp, target: Target) -> tuple[Implementation, ...]:
    """Return the implementations that all strategies have for `op`."""
    whole = OpStrategy()
    for strategy in _STRATEGIES.get(type(op), ()):
        for each in strategy(op, target).implementations:
            whole.add(each)
    return tuple(whole.implementations)


@frozen
class ImplementedOperator(OperatorGroup):
    """An operator with implementations."""

    implementations: tuple[Implementation, ...]


class ImplementationKind(OperatorKind[ImplementedOperator, str]):
    """Implementations of operators."""

    name = "implementation"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[ImplementedOperator, str]]]:
        return (("priority", _by_priority),)

    def legal(self, subject: ImplementedOperator, choice: str) -> str | None:
        if choice == OWN:
            return None
        found = [each for each in subject.implementations if each.name == choice]
        if not found:
            return f"it is none of {', '.join([OWN, *(each.name for each in subject.implementations)])}"
        return None if found[0].condition else "its condition does not hold"

    def apply(self, subject: ImplementedOperator, choice: str) -> None:
        if choice != OWN:
            subject.ops[0].attributes[IMPLEMENTATION] = StringAttr(choice)

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: ImplementedOperator, text: str) -> str:
        return text


def _by_priority(subject: ImplementedOperator, target: Target) -> Sequence[Candidate[str] | Refused]:
    every = [(OWN, OWN_LEVEL, True), *((each.name, each.plevel, each.condition) for each in subject.implementations)]
    found: list[Candidate[str] | Refused] = []
    for name, level, holds in sorted(every, key=lambda each: -each[1]):
        note = f"{name}, priority {level}"
        found.append(Candidate(lambda name=name: name, note) if holds else Refused(note, "its condition does not hold"))
    return found
