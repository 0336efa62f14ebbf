"""Plan the buffers and constants of `main` in several memory pools.

Each pool that holds buffers has a segment of the arena (`s2s/passes/loop/segments.py`). The attribute `pool` of a
constant names the pool that holds it; a constant without it stays where constants are by default. Constants of a pool
that is loaded at start are in its segment, behind the buffers, at the offset that their attribute `loaded_at` tells.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.network.functions import LOADED_AT, POOL
from s2s.decisions.chooser import Chooser
from s2s.decisions.pool import PLANNED, PlacedItem, PoolKind
from s2s.decisions.pools import Places, PoolsKind, PoolsUnit
from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.errors import InputError
from s2s.memory.assignment import Assigner, Assignment
from s2s.memory.buffers import Buffer, InPlace, Plan, align_up
from s2s.memory.plan import plan
from s2s.memory.pools import Item, Share
from s2s.passes.loop.pool_traffic import PoolTraffic, constant_name
from s2s.passes.loop.segments import Segment, record_segments
from s2s.support.frozen import frozen
from s2s.types.pools import Pool, Pools

_LISTED = 4
"""The largest buffers that an error names."""


@frozen
class HomePlanner:
    """Plans buffers in the pool that has the state; there results may lie over operands as far as kernels permit."""

    plan: Callable[[frozenset[str]], Plan]
    """Plans the buffers of these names."""
    shares: Sequence[tuple[str, str, int]]
    """The most bytes that a result and an operand share, by their names."""


@dataclass
class PooledPlan:
    """Plans one network."""

    main: FuncOp
    functions: Mapping[str, FuncOp]
    pools: Pools
    buffers: Sequence[Buffer]
    names: Mapping[SSAValue, str]
    """The names of the buffers."""
    in_place: Sequence[InPlace]
    whole: Plan
    """The plan of all buffers in one arena."""
    home: HomePlanner
    base: int
    """Bytes of state, which stand in front of the buffers of the first pool that has room for them."""
    align: int
    segments: list[Segment] = field(default_factory=list[Segment])
    result: Plan | None = None
    _plans: dict[tuple[bool, frozenset[str]], Plan] = field(default_factory=dict[tuple[bool, frozenset[str]], Plan])

    def run(self, chooser: Chooser) -> Plan:
        """Decide about the pools, record the decisions on the constants and on `main`, and return the plan."""
        for pool in self.pools:
            if pool.address is not None and pool.address % self.align:
                raise InputError(f"--pool {pool}: buffers begin at multiples of {self.align}; give at= such an address")
        self.traffic = PoolTraffic(self.main, self.functions, self.names)
        end = max((buffer.last for buffer in self.buffers), default=0)
        self.items = tuple(
            [self._item(each.name, each.size, each.first, each.last) for each in self.buffers]
            + [
                self._item(name, size, -1, end)._replace(is_constant=True, is_streamed=name in self.traffic.streamed)
                for name, size in self.traffic.sizes.items()
            ]
        )
        given = self._given(chooser)

        def refused(places: Places) -> str | None:
            return self._refused(places, given)

        planner = self._proposed(given), self._elsewhere, refused, self._apply
        chooser.choose(PoolsKind(), PoolsUnit(self.main, self.pools, self.items, *planner))
        assert self.result is not None
        return self.result

    def _item(self, name: str, size: int, first: int, last: int) -> Item:
        reads, writes = self.traffic.reads[name], self.traffic.writes[name]
        return Item(name, align_up(size, self.align), reads + writes, first, last, written=writes)

    def _given(self, chooser: Chooser) -> dict[int, int]:
        """Ask about every buffer and constant; return the pools of the ones that are not planned with the others."""
        names = [pool.name for pool in self.pools]
        given: dict[int, int] = {}
        for number, item in enumerate(self.items):
            nodes = ", ".join(self.traffic.nodes.get(item.name, ()))

            def refused(place: int, number: int = number) -> str | None:
                return self._item_refused({**given, number: place}, number)

            unit = PlacedItem(self.main, self.pools, item, self._described(item), nodes, refused)
            chosen = chooser.choose(PoolKind(), unit)
            if chosen != PLANNED:
                given[number] = names.index(chosen) if chosen in names else len(names)
        return given

    def _item_refused(self, given: Mapping[int, int], item: int) -> str | None:
        """Return why an item cannot be where it is `given`, beside the others that are given."""
        place = given[item]
        if place == len(self.pools):
            return None if self.items[item].is_constant else "a buffer is in some pool"
        pool = self.pools[place]
        if not self._may_hold(place, item):
            return f"{pool.name} holds {pool.holds} only"
        taken = self._taken(place, {each for each, its in given.items() if its == place})
        if taken > self._rooms[place]:
            return f"with what else is decided to be in {pool.name} it takes {taken:,} of {self._rooms[place]:,} bytes"
        return None

    def _proposed(self, given: Mapping[int, int]) -> Callable[[], tuple[Places, str]]:
        """Return what assigns all items, and states the share of the first pool and how far it may be from the best."""

        def propose() -> tuple[Places, str]:
            places, gap = self._assigned(given)
            refused = self._refused(places, given)
            if refused is not None:
                raise InputError(refused)
            total = sum(item.traffic for item in self.items) or 1
            reached = sum(item.traffic for item, place in zip(self.items, places, strict=True) if place == 0)
            note = f"{reached / total:.1%} of the traffic in {self.pools[0].name}"
            proof = f"at most {gap:.1%} more is possible" if gap else "no plan has more"
            return places, f"{note}; {proof}{self._cycles(places)}"

        return propose

    def _assigned(self, given: Mapping[int, int]) -> Assignment:
        place = {item.name: number for number, item in enumerate(self.items)}
        shares = [Share(place[output], place[input], size) for output, input, size in self.home.shares]
        return Assigner(self.items, self.pools, shares, self._rooms, self._may_hold, self._planned).assign(given)

    @property
    def _rooms(self) -> list[int]:
        """The bytes that each pool has for buffers and constants beside the state."""
        return [pool.size - self._state(number) for number, pool in enumerate(self.pools)]

    def _cycles(self, places: Sequence[int]) -> str:
        """Return the cycles of all accesses in words, where the pools state their speeds."""
        if all(pool.read is None for pool in self.pools):
            return ""
        cycles = sum(
            self.pools[place].access_cycles(item.traffic - item.written, item.written)
            for item, place in zip(self.items, places, strict=True)
            if place < len(self.pools) and not self.pools[place].is_streamed
        )
        return f"; accesses in pools take {cycles:,.0f} cycles"

    def _elsewhere(self, places: Places) -> list[tuple[str, str]]:
        """Tell why buffers and constants are not in faster pools than theirs."""
        return [
            (
                f"{self._described(item)} in {pool.name}",
                f"it takes {item.size:,} bytes, and {pool.name} has {pool.size:,}"
                if item.size > pool.size
                else f"what is there has more traffic for its bytes than {item.traffic:,} for {item.size:,}",
            )
            for number, (item, place) in enumerate(zip(self.items, places, strict=True))
            for faster, pool in enumerate(self.pools[:place])
            if self._may_hold(faster, number)
        ]

    def _home(self) -> int:
        """Return the number of the first pool that holds buffers and has room for the state."""
        holding = [number for number, pool in enumerate(self.pools) if pool.may_hold(is_constant=False)]
        return next((number for number in holding if self.pools[number].size >= self.base), holding[0])

    def _state(self, number: int) -> int:
        """Return the bytes of state in a pool."""
        return self.base if number == self._home() else 0

    def _plan(self, number: int, chosen: Set[int]) -> Plan:
        """Plan the chosen buffers in a pool."""
        names = frozenset(self.items[item].name for item in chosen if not self.items[item].is_constant)
        key = number == self._home(), names
        if key not in self._plans:
            self._plans[key] = self._planned_anew(names, is_home=key[0])
        return self._plans[key]

    def _planned_anew(self, names: frozenset[str], *, is_home: bool) -> Plan:
        pairs = [pair for pair in self.in_place if pair.output in names and pair.input in names]
        found = plan([buffer for buffer in self.buffers if buffer.name in names], pairs) if names else Plan({}, 0, 0)
        others = [self.home.plan(names)] if names and is_home else []
        others += [self.whole] if is_home and len(names) == len(self.buffers) else []
        return min([found, *others], key=lambda each: each.size)

    def _planned(self, number: int, chosen: Set[int]) -> int:
        """Return the bytes that buffers take in a pool."""
        return align_up(self._plan(number, chosen).size, self.align)

    def _taken(self, number: int, chosen: Set[int]) -> int:
        """Return the bytes that buffers and constants take in a pool."""
        return self._planned(number, chosen) + sum(self.items[i].size for i in chosen if self.items[i].is_constant)

    def _refused(self, places: Places, given: Mapping[int, int]) -> str | None:
        """Return why an assignment does not fit."""
        moved = next((item for item, place in given.items() if places[item] != place), None)
        if moved is not None:
            name = self._described(self.items[moved])
            return f"{name}: decision {PoolKind.name} has it elsewhere; leave one of the two out"
        for number, pool in enumerate(self.pools):
            chosen = {item for item, place in enumerate(places) if place == number}
            taken = self._taken(number, chosen) + self._state(number)
            wrong = next((item for item in chosen if not self._may_hold(number, item)), None)
            if wrong is not None:
                return (
                    f"--pool {pool}: holds {pool.holds} only, and {self._described(self.items[wrong])} would be in it; "
                    "place it elsewhere"
                )
            if taken > pool.size:
                return self._overflow(pool, chosen, taken, self._state(number))
        homeless = [item for item, place in zip(self.items, places, strict=True) if place >= len(self.pools)]
        if any(not item.is_constant for item in homeless):
            return "--pool: a buffer fits into no pool; give a larger one"
        streamed = next((item for item in homeless if item.is_streamed), None)
        if streamed is not None:
            return f"--pool: {streamed.name}, which is copied from its pool, is placed out of it; give a larger one"
        return None

    def _overflow(self, pool: Pool, chosen: set[int], taken: int, state: int) -> str:
        """Say which memory is too small, and the way out."""
        sizes = [(self.items[number].size, self._described(self.items[number])) for number in sorted(chosen)]
        sizes += [(state, "state")] if state else []
        largest = sorted(sizes, key=lambda each: -each[0])[:_LISTED]
        listed = ", ".join(f"{name} {size:,}" for size, name in largest)
        return (
            f"--pool {pool}: what it would hold takes {taken:,} bytes at its peak; the largest are "
            f"{listed}; give {pool.name} {taken:,} bytes, make another pool larger, or add one"
            f"{self._streamed_instead(chosen)}"
        )

    def _streamed_instead(self, chosen: set[int]) -> str:
        """Return what helps besides where constants take part of the room."""
        taken = any(self.items[item].is_constant for item in chosen)
        is_streamed = any(pool.is_streamed for pool in self.pools)
        return ", or stream constants from a pool (flash=4MiB:streamed)" if taken and not is_streamed else ""

    def _may_hold(self, number: int, item: int) -> bool:
        pool, found = self.pools[number], self.items[item]
        is_fixed = pool.loaded and found.name in self.traffic.fixed
        return pool.may_hold(found.is_constant, found.is_streamed) and not is_fixed

    def _described(self, item: Item) -> str:
        if item.is_constant:
            return item.name
        value = next(value for value, name in self.names.items() if name == item.name)
        return value.name_hint or f"buffer {item.name}"

    def _apply(self, places: Places) -> None:
        """Write the pools of constants, and make the plan."""
        pool_of = {
            item.name: self.pools[place].name
            for item, place in zip(self.items, places, strict=True)
            if item.is_constant and place < len(self.pools) and not self.pools[place].loaded
        }
        loaded: dict[str, int] = {}
        offsets: dict[str, int] = {}
        end = 0
        self.segments = []
        for number, pool in sorted(enumerate(self.pools), key=lambda each: each[0] != self._home()):
            chosen = {item for item, place in enumerate(places) if place == number}
            found = self._plan(number, chosen)
            size = found.size + self._state(number)
            start = align_up(end, self.align)
            for item in [self.items[each] for each in sorted(chosen)] if pool.loaded else ():
                if item.is_constant:
                    loaded[item.name] = start + align_up(size, self.align)
                    size = align_up(size, self.align) + item.size
            if size == 0:
                continue
            shift = start if number == self._home() else start - self.base
            offsets |= {name: offset + shift for name, offset in found.offsets.items()}
            self.segments.append(Segment(pool.name, start, size))
            end = start + size
        missing = {buffer.name: 0 for buffer in self.buffers if buffer.name not in offsets}
        self.result = Plan(offsets | missing, max(end - self.base, 0), self.whole.lower_bound, self.whole.apart_bound)
        record_segments(self.main, self.segments)
        self._mark_constants(pool_of, loaded)

    def _mark_constants(self, pool_of: Mapping[str, str], loaded: Mapping[str, int]) -> None:
        """Write the pools of constants, and where they are copied at start."""
        module = self.main.parent_op()
        assert module is not None
        for op in [each for each in walk(module) if isinstance(each, loop.WeightOp)]:
            if constant_name(op) in pool_of:
                op.attributes[POOL] = StringAttr(pool_of[constant_name(op)])
            if constant_name(op) in loaded:
                op.attributes[LOADED_AT] = IntegerAttr(loaded[constant_name(op)], i64)
