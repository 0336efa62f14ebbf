"""Assign buffers and constants to memory pools, so that most traffic goes to the fastest pool.

The fastest pool gets the items that maximise its traffic, while at every step the items that live there fit; the next
one the best of the rest, and so on. With two pools that is the optimum. The search is branch and bound by traffic per
byte; its bound at each node is the smallest over all steps of a fractional knapsack of the items that live there. It
proves the optimum of small networks; where its budget of nodes ends first, the gap to the bound is stated.

    64 bytes; a: 40 bytes, traffic 400, b: 40 bytes, traffic 300, c: 24 bytes, traffic 50, all live at once
    -> a and c, traffic 450; the bound at the root is 400 + 24/40 * 300 = 580
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

NODES = 1_000
"""The nodes of the search tree that are visited at most."""


class Item(NamedTuple):
    """A buffer or a constant, with the bytes that a run reads and writes there."""

    name: str
    size: int
    traffic: int
    first: int
    last: int
    is_constant: bool = False
    is_streamed: bool = False
    """Whether it is a constant that is copied before kernels read it."""
    written: int = 0
    """The part of the traffic that is written."""


class Selection(NamedTuple):
    """The items of one pool."""

    items: frozenset[int]
    """Their numbers."""
    traffic: int
    bound: int
    """No selection has more traffic."""


def select(items: Sequence[Item], capacity: int) -> Selection:
    """Return the items that a pool of so many bytes holds with the most traffic."""
    search = _Search(items, capacity)
    search.run()
    # A search that ended has proved its result.
    bound = search.best if search.nodes > 0 else search.root
    return Selection(frozenset(search.chosen), search.best, bound)


@dataclass
class _Search:
    items: Sequence[Item]
    capacity: int
    nodes: int = NODES
    best: int = -1
    chosen: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        fitting = [number for number, item in enumerate(self.items) if item.size <= self.capacity]
        self.order = sorted(fitting, key=lambda number: (-self._density(number), number))
        steps = sorted({self.items[number].first for number in self.order})
        self.lives = {step: self._living(step) for step in steps}
        self.free = dict.fromkeys(steps, self.capacity)
        self.left = [0] * (len(self.order) + 1)
        for place in reversed(range(len(self.order))):
            self.left[place] = self.left[place + 1] + self.items[self.order[place]].traffic
        self.root = self._bound(0, 0)

    def run(self) -> None:
        """Visit the tree depth first: at each place the item is taken if it fits, later it is left out."""
        place, traffic = 0, 0
        took: list[bool] = []
        while True:
            self.nodes -= 1
            if traffic > self.best:
                self.best = traffic
                self.chosen = {self.order[at] for at, taken in enumerate(took) if taken}
            if place < len(self.order) and self.nodes > 0 and self._bound(place, traffic) > self.best:
                fits = self._fits(self.items[self.order[place]])
                took.append(fits)
                traffic += self._move(place, -1) if fits else 0
                place += 1
                continue
            while took and not took[-1]:
                took.pop()
            if not took or self.nodes <= 0:
                return
            place = len(took)
            took[-1] = False
            traffic -= self._move(place - 1, 1)

    def _fits(self, item: Item) -> bool:
        return all(free >= item.size for step, free in self.free.items() if item.first <= step <= item.last)

    def _move(self, place: int, sign: int) -> int:
        """Take the bytes of an item (-1), or give them back (1); return its traffic."""
        item = self.items[self.order[place]]
        for step in self.free:
            if item.first <= step <= item.last:
                self.free[step] += sign * item.size
        return item.traffic

    def _density(self, number: int) -> float:
        return self.items[number].traffic / max(self.items[number].size, 1)

    def _living(self, step: int) -> list[int]:
        """Return the places in the order of the items that live at `step`."""
        return [
            place
            for place, number in enumerate(self.order)
            if self.items[number].first <= step <= self.items[number].last
        ]

    def _bound(self, place: int, traffic: int) -> int:
        """Return what no completion exceeds."""
        bound = traffic + self.left[place]
        for step, living in self.lives.items():
            free, lost = self.free[step], 0
            for each in living:
                if each < place:
                    continue
                item = self.items[self.order[each]]
                if item.size <= free:
                    free -= item.size
                else:
                    lost += item.traffic - item.traffic * free // item.size
                    free = 0
            bound = min(bound, traffic + self.left[place] - lost)
        return bound
