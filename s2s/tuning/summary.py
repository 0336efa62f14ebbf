"""What is known of tasks and networks while they are tuned, and at the end."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from s2s.support.frozen import frozen
from s2s.tuning.measurement import UNITS
from s2s.tuning.records import Decided


@dataclass
class TaskSummary:
    """What is known of a task."""

    key: str
    name: str
    nodes: str
    calls: int
    space: str
    """The size of the search space in words."""
    default: float | None = None
    """The cost of the compiler's own choice."""
    best: float | None = None
    trials: int = 0
    failed: int = 0
    noise: float = 0.0
    decisions: Decided = ()
    """Decisions of the best record."""
    changes: tuple[str, ...] = ()
    """What these do otherwise than the compiler's own, in words."""

    @property
    def speedup(self) -> float:
        """The default's cost divided by the best one's."""
        return self.default / self.best if self.default and self.best else 1.0


@dataclass
class TuneSummary:
    """The result of tuning a network."""

    target: str
    place: str
    unit: str
    tasks: list[TaskSummary] = field(default_factory=list[TaskSummary])
    network: TaskSummary | None = None
    """The search of decisions about the whole network, whose costs are costs of all its kernels; None without one."""
    whole: tuple[float, float] | None = None
    """The costs of the whole network, run as one, with the compiler's own choices and with the best ones."""
    interrupted: bool = False
    failure: str = ""
    """What was wrong with the first candidate that could not be measured."""

    @property
    def is_timed(self) -> bool:
        """Whether costs are times in seconds."""
        return self.unit == UNITS["time"]

    @property
    def default(self) -> float:
        """The cost of all calls with the compiler's own choices."""
        if self.network is not None and self.network.default is not None:
            return self.network.default
        return self._sum((each.calls, each.default) for each in self.tasks)

    @property
    def best(self) -> float:
        """The cost of all calls with the best choices."""
        if self.network is not None and not self.tasks:
            return self.network.best or 0.0
        return self._sum((each.calls, each.best) for each in self.tasks)

    def _sum(self, costs: Iterable[tuple[int, float | None]]) -> float:
        """The cost of all calls of kernels: they take their flash once, and their RAM one after the other."""
        known = [(calls, cost) for calls, cost in costs if cost is not None]
        if self.unit == UNITS["ram"]:
            return max((cost for _, cost in known), default=0.0)
        return sum(cost * (1 if self.unit == UNITS["flash"] else calls) for calls, cost in known)


@frozen
class Progress:
    """The state of tuning after a batch."""

    summary: TuneSummary
    task: TaskSummary
    number: int
    """The task's number, from 1; 0 for the network."""
    trials: int
    """The trials that the task may take."""
    elapsed: float
    left: float | None
    """Seconds until the deadline; None without one."""


OnProgress = Callable[[Progress], None]
