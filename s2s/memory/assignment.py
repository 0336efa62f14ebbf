"""Assign the buffers and constants of a network to its memory pools.

The fastest pool gets the items that are worth most there, as far as a plan of them fits, the next one the best of the
rest, and so on; the last pool that holds buffers gets all that are left. Each pool is filled in three ways, the best of
which counts: by the branch and bound of `s2s/memory/pools.py`, with all buffers and the constants that fit beside them,
and by a local search from the better of these, which takes single buffers out or in, or one for another, and fills the
room anew with constants. Plans may be larger than what lives at one step, and decide what fits.

    64 KiB; all buffers take 40 KiB at one step, 10 KiB elsewhere; constants of 16 KiB each
    -> all buffers and one constant; or without the two that live at that step, three constants
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from s2s.memory.pools import Item, Selection, Share, demand, select
from s2s.types.pools import Pools

TRIES = 8
"""Selections by branch and bound, each for less room, until a plan fits."""
PLANS = 40
"""Plans that the local search of a pool makes at most."""
SWAPPED = 32
"""Networks with at most this many buffers try one buffer for another, too."""


class Assignment(NamedTuple):
    """The number of the pool of each item; the number behind the last one's stands for none."""

    places: tuple[int, ...]
    gap: float
    """The share of the worth of all items that the first pool may lack, at most."""


class _Filled(NamedTuple):
    """The contents of a pool, and their worth."""

    items: frozenset[int]
    worth: int


@dataclass
class Assigner:
    """Assigns the items of one network."""

    items: Sequence[Item]
    pools: Pools
    shares: Sequence[Share]
    """The bytes that results share with operands in the first pool that holds buffers."""
    rooms: Sequence[int]
    """The bytes that each pool has for items."""
    may_hold: Callable[[int, int], bool]
    """Whether a pool may hold an item, both by number."""
    planned: Callable[[int, Set[int]], int]
    """Plans buffers in a pool and returns their bytes."""
    worth: list[int] = field(default_factory=list[int])
    """What the pool that is filled gains by holding each item."""

    def assign(self, given: Mapping[int, int]) -> Assignment:
        """Return places for all items; items in `given` are where they are."""
        places = [given.get(number, len(self.pools)) for number in range(len(self.items))]
        left = [number for number in range(len(self.items)) if number not in given]
        home = next(number for number, pool in enumerate(self.pools) if pool.may_hold(is_constant=False))
        last = max(number for number, pool in enumerate(self.pools) if pool.may_hold(is_constant=False))
        gap = 0.0
        for number, pool in enumerate(self.pools):
            held = frozenset(item for item, place in given.items() if place == number)
            fitting = [item for item in left if self.may_hold(number, item)]
            self.worth = [self._worth(number, item) for item in self.items]
            if pool.is_streamed:
                chosen, most = held | set(fitting), 0
            elif number == last:
                chosen, most = self._with_all_buffers(number, fitting, held), 0
            else:
                worthy = [item for item in fitting if self.worth[item] >= 0]
                chosen, most = self._fill(number, worthy, held, self.shares if number == home else ())
            if number == 0:
                total = sum(self.worth[item] for item in (*fitting, *held) if self.worth[item] > 0) or 1
                gap = max(0, most - self._sum(chosen)) / total
            for item in chosen:
                places[item] = number
            left = [item for item in left if item not in chosen]
        return Assignment(tuple(places), gap)

    def _worth(self, number: int, item: Item) -> int:
        """Return what a pool gains by holding an item: its traffic, or where the pools state their speeds the cycles
        that accesses take less than in the last pool."""
        pool = self.pools[number]
        holding = [each for each in self.pools if each.may_hold(item.is_constant, item.is_streamed)]
        if pool.read is None or pool not in holding[:-1]:
            return item.traffic
        moved = item.traffic - item.written, item.written
        return round(holding[-1].access_cycles(*moved) - pool.access_cycles(*moved))

    def _with_all_buffers(self, number: int, left: Sequence[int], held: frozenset[int]) -> frozenset[int]:
        """Return all buffers that are left, and the constants that fit beside them, whether the buffers fit or not."""
        buffers = held | {item for item in left if not self.items[item].is_constant}
        free = max(self.rooms[number] - self._taken(number, buffers), 0)
        return buffers | self._constants(left, free)

    def _fill(
        self, number: int, left: Sequence[int], held: frozenset[int], shares: Sequence[Share]
    ) -> tuple[frozenset[int], int]:
        """Return the items that a pool gets, and a bound of their worth."""
        found = self._selected(left, self.rooms[number], shares, held)
        best = self._by_selection(number, left, held, shares, found)
        every = held | {item for item in left if not self.items[item].is_constant}
        whole = self._beside(number, every, left)
        if whole is not None and whole.worth >= best.worth:
            best = whole
        if best.worth < found.bound:
            best = self._improved(number, left, held, shares, best)
        return best.items, max(found.bound, best.worth)

    def _by_selection(
        self, number: int, left: Sequence[int], held: frozenset[int], shares: Sequence[Share], found: Selection
    ) -> _Filled:
        """Plan what was selected; where gaps between buffers make the plan too large, select for less room."""
        capacity = self.rooms[number]
        for _ in range(TRIES):
            buffers = held | {item for item in found.items if not self.items[item].is_constant}
            filled = self._beside(number, buffers, left)
            if filled is not None:
                return filled
            capacity -= max(self._taken(number, buffers) - self.rooms[number], 1)
            if capacity < 0:
                break
            found = self._selected(left, capacity, shares, held)
        return _Filled(held, self._sum(held))

    def _improved(
        self, number: int, left: Sequence[int], held: frozenset[int], shares: Sequence[Share], best: _Filled
    ) -> _Filled:
        """Take single buffers out or in, or one for another, as long as the pool is worth more then."""
        left_to_plan = PLANS
        while True:
            buffers = frozenset(item for item in best.items if not self.items[item].is_constant or item in held)
            worths = [(self._most(number, tried, left, shares), tried) for tried in self._nearby(buffers, left, held)]
            promising = sorted(worths, key=lambda each: (-each[0], sorted(each[1])))[:left_to_plan]
            for most, tried in promising:
                if most <= best.worth:
                    return best
                left_to_plan -= 1
                found = self._beside(number, tried, left)
                if found is not None and found.worth > best.worth:
                    best = found
                    break
            else:
                return best

    def _nearby(self, buffers: frozenset[int], left: Sequence[int], held: frozenset[int]) -> Iterator[frozenset[int]]:
        """Yield the sets of buffers that differ by one, or by one for another."""
        out = sorted(buffers - held)
        others = [item for item in left if not self.items[item].is_constant and item not in buffers]
        yield from (buffers - {item} for item in out)
        yield from (buffers | {item} for item in others)
        if len(out) + len(others) <= SWAPPED:
            yield from (buffers - {item} | {other} for item in out for other in others)

    def _most(self, number: int, buffers: frozenset[int], left: Sequence[int], shares: Sequence[Share]) -> int:
        """Return what a pool with these buffers is worth at most: constants count by their part that fits."""
        free = self.rooms[number] - demand({item: self.items[item] for item in buffers}, shares)
        if free < 0:
            return -1
        worth = self._sum(buffers)
        constants = (item for item in left if self.items[item].is_constant)
        for item in sorted(constants, key=lambda item: -self.worth[item] / max(self.items[item].size, 1)):
            size = self.items[item].size
            if free < size:
                return worth + self.worth[item] * free // size
            free -= size
            worth += self.worth[item]
        return worth

    def _beside(self, number: int, buffers: frozenset[int], left: Sequence[int]) -> _Filled | None:
        """Return what a pool with these buffers holds; None if a plan of them does not fit."""
        free = self.rooms[number] - self._taken(number, buffers)
        if free < 0:
            return None
        chosen = buffers | self._constants(left, free)
        return _Filled(chosen, self._sum(chosen))

    def _constants(self, left: Sequence[int], free: int) -> frozenset[int]:
        """Return the constants that are worth most in this many bytes."""
        constants = [item for item in left if self.items[item].is_constant]
        return self._selected(constants, free, (), frozenset()).items

    def _selected(self, left: Sequence[int], capacity: int, shares: Sequence[Share], held: frozenset[int]) -> Selection:
        """Select from some items by what they are worth."""
        listed = [*left, *sorted(held)]
        place = {item: at for at, item in enumerate(listed)}
        found = select(
            [self.items[item]._replace(traffic=self.worth[item]) for item in listed],
            capacity,
            [
                Share(place[share.output], place[share.input], share.size)
                for share in shares
                if share.output in place and share.input in place
            ],
            range(len(left), len(listed)),
        )
        return found._replace(items=frozenset(listed[at] for at in found.items))

    def _taken(self, number: int, chosen: Set[int]) -> int:
        """Return the bytes that items take in a pool."""
        constants = sum(self.items[item].size for item in chosen if self.items[item].is_constant)
        return self.planned(number, {item for item in chosen if not self.items[item].is_constant}) + constants

    def _sum(self, chosen: Set[int]) -> int:
        return sum(self.worth[item] for item in chosen)
