"""What a kernel of a network and a template of a user have in common for tuners."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

from s2s.decisions.decision import Table
from s2s.targets import Target
from s2s.tuning.measurer import Measurable
from s2s.tuning.records import Decided
from s2s.tuning.search_space import SearchSpace
from s2s.tvm.autotvm.config import ConfigEntity


class Configurations(Protocol):
    """The configurations of a task, by number."""

    @property
    def range_length(self) -> int:
        """The number behind the last one."""
        ...

    def __len__(self) -> int: ...

    def is_index_valid(self, index: int) -> bool:
        """Return whether there is a configuration of a number."""
        ...

    def subrange_length(self, start: int, end: int) -> int:
        """Return how many numbers from `start` on, below `end`, have a configuration."""
        ...

    def get_next_index(self, index: int, n: int = 1, start: int | None = None, end: int | None = None) -> int | None:
        """Return the next number behind one that has a configuration; None where there is none below `end`."""
        ...

    def get(self, index: int) -> ConfigEntity:
        """Return the configuration of a number."""
        ...

    def __iter__(self) -> Iterator[ConfigEntity]: ...


class Task(ABC):
    """Something to be tuned: its configurations, and what measuring one of them takes."""

    name: str
    args: tuple[Any, ...] = ()
    target: Target
    key: str
    """What records name it by."""
    nodes: str = ""
    """The nodes of a model that it computes."""
    calls: int = 1
    """How often one run of the network calls it."""
    flop: float = 0.0
    """Operations that it carries out."""

    @property
    def workload(self) -> tuple[Any, ...]:
        """Its name and arguments, as AutoTVM identifies a task."""
        return (self.name, *self.args)

    @property
    @abstractmethod
    def config_space(self) -> Configurations:
        """Its configurations."""

    @property
    @abstractmethod
    def space(self) -> SearchSpace:
        """The space that searches walk."""

    @property
    @abstractmethod
    def measurable(self) -> Measurable:
        """What is compiled and run."""

    @abstractmethod
    def config_at(self, text: str) -> ConfigEntity:
        """Return the configuration whose text a search proposes."""

    @abstractmethod
    def text_at(self, config: ConfigEntity) -> str:
        """Return the text by which searches name a configuration."""

    @abstractmethod
    def decisions_of(self, text: str) -> Decided:
        """Return the decisions that records keep of a configuration."""

    def table(self, text: str) -> Table:
        """Return a configuration as decisions of a compilation."""
        found: dict[str, dict[str, str]] = {}
        for kind, subject, chosen in self.decisions_of(text):
            found.setdefault(kind, {})[subject] = chosen
        return found

    def text_of(self, decisions: Decided) -> str | None:
        """Return the text of the configuration that a record keeps; None where it is of another subject."""
        for decision in decisions:
            if (decision,) == self.decisions_of(decision[2]):
                return decision[2]
        return None

    def __repr__(self) -> str:
        arguments = ", ".join(map(str, self.args))
        return f"Task(func_name={self.name}, args=({arguments}), key={self.key}, target={self.target.name})"
