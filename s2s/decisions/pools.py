"""Decide which memory pool holds each buffer and each constant of a network.

The subject is `memory`, all buffers and constants together, as they compete for the same bytes. A choice lists the
numbers of their pools, buffers first, in the order of the module: `0 0 1 0`. The number behind the last pool's stands
for none of them: constants stay where constants are by default.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.memory.pools import Item
from s2s.targets import Target
from s2s.types.pools import Pools

KIND = "pools"
Places = tuple[int, ...]
"""The number of the pool of each item."""


class PoolsUnit(NamedTuple):
    """The buffers and constants of a network, and the pools."""

    home: Operation
    pools: Pools
    items: tuple[Item, ...]
    """Buffers, then constants."""
    proposed: Callable[[], tuple[Places, str]]
    """Makes the assignment of the planner, with its quality in words."""
    elsewhere: Callable[[Places], Sequence[tuple[str, str]]]
    """Tells why buffers and constants are not in faster pools than theirs: `a in tcm`, and the reason."""
    refused: Callable[[Places], str | None]
    """Plans an assignment and returns why it does not fit."""
    apply: Callable[[Places], None]


class PoolsKind(Kind[PoolsUnit, Places]):
    """Assignments of buffers and constants to pools."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[PoolsUnit, Places]]]:
        return (("most traffic to the fastest pool", _most_traffic),)

    def key(self, subject: PoolsUnit) -> str:
        return "memory"

    def home(self, subject: PoolsUnit) -> Operation:
        return subject.home

    def about(self, subject: PoolsUnit) -> str:
        return ", ".join(f"{pool.name} {pool.size:,} bytes" for pool in subject.pools)

    def legal(self, subject: PoolsUnit, choice: Places) -> str | None:
        if len(choice) != len(subject.items):
            return f"it names {len(choice)} pools for {len(subject.items)} buffers and constants"
        return subject.refused(choice)

    def apply(self, subject: PoolsUnit, choice: Places) -> None:
        subject.apply(choice)

    def text(self, choice: Places) -> str:
        return " ".join(map(str, choice))

    def parse(self, subject: PoolsUnit, text: str) -> Places:
        words = text.split()
        if not all(word.isdecimal() and int(word) <= len(subject.pools) for word in words):
            raise ValueError(f"give the numbers of pools, {len(subject.pools)} for none of them")
        return tuple(map(int, words))


def _most_traffic(subject: PoolsUnit, target: Target) -> Sequence[Candidate[Places] | Refused]:
    places, note = subject.proposed()
    return [Candidate(lambda: places, note), *(Refused(*each) for each in subject.elsewhere(places))]
