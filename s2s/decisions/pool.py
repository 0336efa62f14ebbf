"""Decide which memory pool holds one buffer or constant.

The subject is a buffer or a constant of a network with memory pools, named as in `constant conv1_w` or `buffer conv1`.
By default it is `planned`, together with all others, by the decision `pools`; the name of a pool puts it there, and the
others are planned around it. `default` leaves a constant where constants are by default.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.memory.pools import Item
from s2s.targets import Target
from s2s.types.pools import Pools

KIND = "pool"
PLANNED = "planned"
DEFAULT = "default"


class PlacedItem(NamedTuple):
    """A buffer or constant, and the pools."""

    home: Operation
    pools: Pools
    item: Item
    name: str
    """Its name for people."""
    nodes: str
    """The nodes of the model that write the buffer, or read the constant."""
    refused: Callable[[int], str | None]
    """Returns why it cannot be in the pool of a number."""

    def number(self, choice: str) -> int | None:
        """Return the number of a pool; None if there is none of that name."""
        names = [*(pool.name for pool in self.pools), DEFAULT]
        return names.index(choice) if choice in names else None


class PoolKind(NamedKind[PlacedItem]):
    """The pools of buffers and constants."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[PlacedItem, str]]]:
        return (("planned with all others", _planned), ("the fastest that has room", _fastest))

    def key(self, subject: PlacedItem) -> str:
        return subject.name if subject.item.is_constant else f"buffer {subject.name.removeprefix('buffer ')}"

    def home(self, subject: PlacedItem) -> Operation:
        return subject.home

    def about(self, subject: PlacedItem) -> str:
        return f"{subject.item.size:,} bytes, traffic {subject.item.traffic:,}"

    def nodes(self, subject: PlacedItem) -> str:
        return subject.nodes

    def legal(self, subject: PlacedItem, choice: str) -> str | None:
        if choice == PLANNED:
            return None
        number = subject.number(choice)
        if number is None:
            return f"it is none of {', '.join([PLANNED, *(pool.name for pool in subject.pools), DEFAULT])}"
        return subject.refused(number)

    def estimate(self, subject: PlacedItem, choice: str, target: Target) -> Cost | None:
        """Estimate the cycles of its accesses where the pools state their speeds."""
        number, item = subject.number(choice), subject.item
        if number is None or number == len(subject.pools) or subject.pools[number].read is None:
            return None
        return Cost(cycles=subject.pools[number].access_cycles(item.traffic - item.written, item.written))


def _planned(subject: PlacedItem, target: Target) -> Sequence[Candidate[str]]:
    return [Candidate(lambda: PLANNED, PLANNED)]


def _fastest(subject: PlacedItem, target: Target) -> Sequence[Candidate[str] | Refused]:
    """Propose all pools in their order, the fastest first."""
    names = [*(pool.name for pool in subject.pools), *([DEFAULT] if subject.item.is_constant else [])]
    return [Candidate(lambda name=name: name, name) for name in names]
