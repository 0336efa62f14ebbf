"""The state of a compilation after a stage: module, weights, and typed facts."""

from collections.abc import Mapping
from dataclasses import field
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.weights import WeightStore

F = TypeVar("F")


@frozen
class Facts:
    """The facts of the stages so far, one frozen dataclass each, looked up by type."""

    found: Mapping[type, object] = field(default_factory=dict[type, object])

    def __getitem__(self, kind: type[F]) -> F:
        """Return the facts of type `kind`."""
        fact = self.found.get(kind)
        if not isinstance(fact, kind):
            raise CompilerBug(f"no stage has made {kind.__name__} yet; it is made later than it is asked for")
        return fact

    def __contains__(self, kind: type) -> bool:
        return kind in self.found

    def extended(self, fact: object | None) -> "Facts":
        """Return these facts and `fact`."""
        return self if fact is None else Facts({**self.found, type(fact): fact})


@frozen
class State:
    """The state of a compilation after one of its stages."""

    stage: str
    module: ModuleOp
    weights: WeightStore
    facts: Facts

    def copy(self) -> "State":
        """Return an equal state with a module and a weight store that passes may change."""
        return State(self.stage, self.module.clone(), self.weights.copy(), self.facts)
