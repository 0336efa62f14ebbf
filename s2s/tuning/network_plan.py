"""The best combination of decisions about a network, by dynamic programming over the costs of its kernels.

A kernel depends on a few decisions only: a convolution on the layouts of what it reads and of what it writes. So each
has a small table of costs, and the decisions are eliminated one after the other:

    conv1 (a)   conv2 (a, b)   conv3 (b)        a, b: NCHW16c or NCHW
    eliminate a: for each b the least of conv1 + conv2;   eliminate b: the least of that + conv3;   then back

Changing the layout between two kernels costs what the kernels at its ends cost more: s2s has no kernels that do nothing
else.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import inf, prod

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tuning.network import NetworkSpace
from s2s.tuning.network_search import KernelCosts
from s2s.tuning.search_space import Point
from s2s.tuning.task import FoundKernel, keys_of_calls

Places = tuple[int, ...]

MAX_TABLE = 1 << 16
"""Entries of a table that elimination makes; a decision that needs a larger one is taken by its own best value."""
MAX_CANDIDATES = 4096
"""Candidates that are compiled to learn which kernels there are."""


@frozen
class CostTable:
    """The cost of a call by the values of the knobs that it depends on; a combination that is missing is illegal."""

    knobs: tuple[int, ...]
    costs: Mapping[Places, float]

    def cost(self, places: Mapping[int, int]) -> float:
        """Return the cost where the knobs have these values."""
        return self.costs.get(tuple(places[knob] for knob in self.knobs), inf)


def best_point(space: NetworkSpace, costs: KernelCosts, max_table: int = MAX_TABLE) -> Point:
    """Return the point of a space whose kernels cost least together; kernels that are not known are measured."""
    tables = cost_tables(space, costs)
    found = minimise(space.sizes, tables, max_table)
    return Point(tuple(found[knob] for knob in range(len(space.sizes))))


def cost_tables(space: NetworkSpace, costs: KernelCosts) -> list[CostTable]:
    """Return the table of each call of the network, measuring what is not known."""
    variants = _Variants(space)
    variants.find_all()
    found: list[CostTable] = []
    for knobs, keys in zip(variants.knobs, variants.keys, strict=True):
        priced = {
            places: costs.total([variants.kernels[key]]) for places, key in keys.items() if key in variants.kernels
        }
        one = {places: inf if cost is None else cost for places, cost in priced.items()}
        if one:
            found.append(CostTable(knobs, one))
    return found


class _Variants:
    """The kernels that each call can have, by the knobs that it depends on."""

    def __init__(self, space: NetworkSpace) -> None:
        self.space, self.kernels = space, dict[str, FoundKernel]()
        self._tried = 0
        base = self._keys(self._zeros)
        if base is None:
            raise InputError("network: does not compile with the compiler's own decisions; s2s compile says why")
        self._count = len(base)
        depends: list[set[int]] = [set() for _ in base]
        seen: list[tuple[Places, Sequence[str]]] = [(self._zeros, base)]
        for knob, size in enumerate(space.sizes):
            for place in range(1, size):
                places = _with(self._zeros, {knob: place})
                keys = self._keys(places)
                if keys is not None and len(keys) == self._count:
                    seen.append((places, keys))
                    for call, (before, after) in enumerate(zip(base, keys, strict=True)):
                        if before != after:
                            depends[call].add(knob)
        self.knobs = [tuple(sorted(each)) for each in depends]
        self.keys: list[dict[Places, str]] = [{} for _ in base]
        for places, keys in seen:
            self._note(places, keys)

    @property
    def _zeros(self) -> Places:
        return (0,) * len(self.space.sizes)

    def find_all(self) -> None:
        """Compile candidates until each combination of each call has been seen, or is known to be illegal."""
        refused: set[tuple[int, Places]] = set()
        while (missing := next(self._missing(refused), None)) is not None and self._tried < MAX_CANDIDATES:
            places = self._filled(missing, refused)
            keys = self._keys(places)
            if keys is None or len(keys) != self._count:
                places = self._alone(missing)
                keys = self._keys(places)
            if keys is None or len(keys) != self._count:
                refused.add(missing)
                continue
            self._note(places, keys)

    def _missing(self, refused: set[tuple[int, Places]]) -> Iterator[tuple[int, Places]]:
        for call, knobs in enumerate(self.knobs):
            for combination in product(*(range(self.space.sizes[knob]) for knob in knobs)):
                if combination not in self.keys[call] and (call, combination) not in refused:
                    yield call, combination

    def _alone(self, wanted: tuple[int, Places]) -> Places:
        call, combination = wanted
        return _with(self._zeros, dict(zip(self.knobs[call], combination, strict=True)))

    def _filled(self, wanted: tuple[int, Places], refused: set[tuple[int, Places]]) -> Places:
        """A candidate that has a combination, and as many others that are missing as go with it."""
        fixed = dict(zip(self.knobs[wanted[0]], wanted[1], strict=True))
        for call, combination in self._missing(refused):
            values = dict(zip(self.knobs[call], combination, strict=True))
            if not any(fixed.get(knob, place) != place for knob, place in values.items()):
                fixed |= values
        return _with(self._zeros, fixed)

    def _keys(self, places: Places) -> Sequence[str] | None:
        """The task keys of all calls in a candidate; None where it is illegal."""
        self._tried += 1
        text = self.space.text(Point(places))
        kernels = None if text is None else self.space.kernels(text)
        if not kernels:
            return None
        for each in kernels:
            self.kernels.setdefault(each.key, each)
        return keys_of_calls(kernels[0])

    def _note(self, places: Places, keys: Sequence[str]) -> None:
        for call, key in enumerate(keys):
            self.keys[call][tuple(places[knob] for knob in self.knobs[call])] = key


def _with(places: Places, changes: Mapping[int, int]) -> Places:
    return tuple(changes.get(knob, place) for knob, place in enumerate(places))


def minimise(sizes: Sequence[int], tables: Sequence[CostTable], max_table: int = MAX_TABLE) -> dict[int, int]:
    """Return the values of all knobs with the least sum of costs.

    The knob with the smallest table goes first. Where even that table would have more than `max_table` entries, the
    knob takes the value that costs least with the best of all others, and the result may not be the optimum.
    """
    left, live = set(range(len(sizes))), list(tables)
    eliminated: list[tuple[int, tuple[int, ...], Mapping[Places, int]]] = []
    while left:
        knob = min(left, key=lambda each: (_entries(each, live, sizes), each))
        mine = [each for each in live if knob in each.knobs]
        live = [each for each in live if knob not in each.knobs]
        others = tuple(sorted({other for each in mine for other in each.knobs} - {knob}))
        if prod(sizes[each] for each in others) > max_table:
            value = min(range(sizes[knob]), key=lambda place: sum(_least(each, knob, place) for each in mine))
            live += [_fixed(each, knob, value) for each in mine]
            eliminated.append((knob, (), {(): value}))
        else:
            chosen, table = _eliminated(knob, others, mine, sizes)
            live.append(table)
            eliminated.append((knob, others, chosen))
        left.remove(knob)
    found: dict[int, int] = {}
    for knob, others, chosen in reversed(eliminated):
        found[knob] = chosen[tuple(found[each] for each in others)]
    return found


def _entries(knob: int, tables: Sequence[CostTable], sizes: Sequence[int]) -> int:
    others = {other for each in tables if knob in each.knobs for other in each.knobs}
    return prod(sizes[each] for each in others)


def _eliminated(
    knob: int, others: tuple[int, ...], tables: Sequence[CostTable], sizes: Sequence[int]
) -> tuple[Mapping[Places, int], CostTable]:
    """The best value of a knob for all values of the knobs that it goes with, and its cost then."""
    chosen: dict[Places, int] = {}
    costs: dict[Places, float] = {}
    for places in product(*(range(sizes[each]) for each in others)):
        values = dict(zip(others, places, strict=True))
        sums = [sum(each.cost({**values, knob: place}) for each in tables) for place in range(sizes[knob])]
        costs[places] = min(sums)
        chosen[places] = sums.index(costs[places])
    return chosen, CostTable(others, costs)


def _least(table: CostTable, knob: int, place: int) -> float:
    at = table.knobs.index(knob)
    return min((cost for places, cost in table.costs.items() if places[at] == place), default=inf)


def _fixed(table: CostTable, knob: int, place: int) -> CostTable:
    at = table.knobs.index(knob)
    left = {(*places[:at], *places[at + 1 :]): cost for places, cost in table.costs.items() if places[at] == place}
    return CostTable((*table.knobs[:at], *table.knobs[at + 1 :]), left)
