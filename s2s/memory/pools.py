"""Select the buffers and constants of a memory pool, so that it gets as much traffic as possible.

At every step the items that live there must fit. A result may lie over an operand that dies as it is made, so that the
two take less together (`Share`). The search is branch and bound. Its bound gives each byte at each step a price and
adds what is left of them to the traffic that the remaining items have beyond the prices of their bytes (Lagrange
multipliers of the steps, which a subgradient method chooses such that the bound at the root is small). It proves the
optimum of small networks; where its budget of nodes ends first, the bound at the root tells how far the result may be
from it.

    64 bytes; a: 40 bytes, traffic 400, b: 40 bytes, traffic 300, c: 24 bytes, traffic 50, all live at once
    -> a and c, traffic 450; at 7.5 a byte, the bound at the root is 64 * 7.5 + (400 - 40 * 7.5) = 580
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

NODES = 20_000
"""The nodes of the search tree that are visited at most."""
ROUNDS = 400
"""How often the prices are chosen anew."""
PATIENCE = 12
"""After this many rounds without a smaller bound, prices change by half as much."""


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


class Share(NamedTuple):
    """The most bytes that a result and an operand, by number, have in common at the step that makes the result."""

    output: int
    input: int
    size: int


class Selection(NamedTuple):
    """The items of one pool."""

    items: frozenset[int]
    """Their numbers."""
    traffic: int
    bound: int
    """No selection has more traffic."""


def select(items: Sequence[Item], capacity: int, shares: Sequence[Share] = (), held: Collection[int] = ()) -> Selection:
    """Return the items that a pool of this many bytes holds with the most traffic; items in `held` are there anyway,
    and their traffic counts."""
    search = _Search(items, capacity, shares, frozenset(held))
    search.run()
    # A search that ended has proved its result.
    bound = search.best if search.nodes > 0 else search.root
    return Selection(frozenset(search.chosen) | search.held, search.best, bound)


def demand(items: Mapping[int, Item], shares: Sequence[Share]) -> int:
    """Return a lower bound of the memory of any plan of `items`: the largest sum of items that live at one step."""
    change: dict[int, int] = {}
    for item in items.values():
        change[item.first] = change.get(item.first, 0) + item.size
        change[item.last + 1] = change.get(item.last + 1, 0) - item.size
    for number, saved in _saved(items, shares).items():
        step = items[number].first
        change[step] -= saved
        change[step + 1] = change.get(step + 1, 0) + saved
    live = most = 0
    for step in sorted(change):
        live += change[step]
        most = max(most, live)
    return most


def _saved(items: Mapping[int, Item], shares: Sequence[Share]) -> dict[int, int]:
    """Return the bytes that results of `items` take less beside their operands, at the step that makes them."""
    found: dict[int, int] = {}
    for share in shares:
        if share.output in items and share.input in items:
            found[share.output] = min(items[share.output].size, found.get(share.output, 0) + share.size)
    return found


class _Span(NamedTuple):
    """An item, with the steps from `begin` on and before `end` at which it takes its bytes."""

    traffic: int
    size: int
    saved: int
    """The bytes that it takes less at the first of them."""
    begin: int
    end: int

    def cost(self, prices: Sequence[float], before: Sequence[float]) -> float:
        """Return the price of its bytes; `before` are the sums of the prices of all earlier steps."""
        first = self.saved * prices[self.begin] if self.saved else 0.0
        return self.size * (before[self.end] - before[self.begin]) - first

    def take(self, room: list[float]) -> None:
        """Take its bytes at its steps."""
        for step in range(self.begin, self.end):
            room[step] -= self.size
        if self.saved:
            room[self.begin] += self.saved


@dataclass
class _Search:
    items: Sequence[Item]
    capacity: int
    shares: Sequence[Share]
    held: frozenset[int]
    nodes: int = NODES
    best: int = -1
    chosen: set[int] = field(default_factory=set[int])
    taken: set[int] = field(default_factory=set[int])
    """The items that are in the pool at the node, held items included."""

    def __post_init__(self) -> None:
        every = dict(enumerate(self.items))
        fitting = [number for number, item in every.items() if item.size <= self.capacity and number not in self.held]
        self.saved = _saved({number: every[number] for number in (*fitting, *self.held)}, self.shares)
        self.partners: dict[int, list[Share]] = {}
        for share in self.shares:
            self.partners.setdefault(share.output, []).append(share)
            self.partners.setdefault(share.input, []).append(share)
        # Where items take most is a step that makes one of them.
        steps = sorted({self.items[number].first for number in (*fitting, *self.held)})
        self.free = dict.fromkeys(steps, self.capacity)
        """What is left at each step."""
        spans = {number: self._span(number, steps) for number in (*fitting, *self.held)}
        held = [spans[number] for number in self.held]
        prices = self._prices([spans[number] for number in fitting], held, len(steps))
        before = [0.0, *accumulate(prices)]
        self.cost = {number: span.cost(prices, before) for number, span in spans.items()}
        self.order = sorted(fitting, key=lambda number: (-self._gain(number), number))
        self.left = [0.0] * (len(self.order) + 1)
        for place in reversed(range(len(self.order))):
            number = self.order[place]
            self.left[place] = self.left[place + 1] + max(self.items[number].traffic - self.cost[number], 0.0)
        self.worth = self.capacity * before[-1]
        """What the bytes that are left are worth, if every result lies over all operands that it may lie over."""
        for number in self.held:
            self._move(number, -1)
        self.start = sum(self.items[number].traffic for number in self.held)
        self.root = self._bound(0, self.start)

    def run(self) -> None:
        """Visit the tree depth first: at each place the item is taken if it fits, later it is left out."""
        place, traffic = 0, self.start
        took: list[bool] = []
        while True:
            self.nodes -= 1
            if traffic > self.best:
                self.best = traffic
                self.chosen = {self.order[at] for at, taken in enumerate(took) if taken}
            if place < len(self.order) and self.nodes > 0 and self._bound(place, traffic) > self.best:
                number = self.order[place]
                fits = self._take(number)
                took.append(fits)
                traffic += self.items[number].traffic if fits else 0
                place += 1
                continue
            while took and not took[-1]:
                took.pop()
            if not took or self.nodes <= 0:
                return
            place = len(took)
            took[-1] = False
            traffic -= self.items[self.order[place - 1]].traffic
            self._move(self.order[place - 1], 1)

    def _take(self, number: int) -> bool:
        """Take the bytes of an item if there are that many."""
        self._move(number, -1)
        item = self.items[number]
        if all(free >= 0 for step, free in self.free.items() if item.first <= step <= item.last):
            return True
        self._move(number, 1)
        return False

    def _move(self, number: int, sign: int) -> None:
        """Take the bytes of an item (-1), or give them back (1)."""
        item = self.items[number]
        if sign > 0:
            self.taken.remove(number)
        for share in self.partners.get(number, ()):
            if {share.output, share.input} - {number} <= self.taken:
                self.free[self.items[share.output].first] -= sign * share.size
        if sign < 0:
            self.taken.add(number)
        self.worth += sign * self.cost[number]
        for step in self.free:
            if item.first <= step <= item.last:
                self.free[step] += sign * item.size

    def _span(self, number: int, steps: Sequence[int]) -> "_Span":
        item = self.items[number]
        begin, end = bisect_left(steps, item.first), bisect_right(steps, item.last)
        return _Span(item.traffic, item.size, self.saved.get(number, 0), begin, end)

    def _gain(self, number: int) -> float:
        """Return the traffic of an item for its price."""
        return self.items[number].traffic / max(self.cost[number], 1e-9)

    def _prices(self, fitting: Sequence["_Span"], held: Sequence["_Span"], count: int) -> list[float]:
        """Choose the price of a byte at each of this many steps."""
        room = [float(self.capacity)] * count
        for span in held:
            span.take(room)
        prices = best = [0.0] * count
        least, pace, waited = float("inf"), 1.0, 0
        for _ in range(ROUNDS):
            before = [0.0, *accumulate(prices)]
            left, bound = list(room), sum(price * bytes for price, bytes in zip(prices, room, strict=True))
            for span in fitting:
                gain = span.traffic - span.cost(prices, before)
                if gain > 0:
                    bound += gain
                    span.take(left)
            if bound < least:
                least, best, waited = bound, prices, 0
            else:
                waited += 1
            if waited == PATIENCE:
                prices, pace, waited = best, pace / 2, 0
                continue
            length = sum(each * each for each in left)
            if length == 0:
                break
            step = pace * bound / length
            prices = [max(price - step * each, 0.0) for price, each in zip(prices, left, strict=True)]
        return best

    def _bound(self, place: int, traffic: int) -> int:
        """Return what no completion exceeds."""
        return int(traffic + self.worth + self.left[place] + 1e-6)
