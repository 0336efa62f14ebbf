"""Plan the buffers and constants of `main` in several memory pools.

The arena is one range of offsets with a segment for each pool that holds buffers: offsets below 4096 are in the first
pool, those from there on in the second one. The attribute `arena_pools` of `main` lists the segments, the attribute
`pool` of a constant the pool that holds it; a constant without it stays where constants are by default. Constants of a
pool that is loaded at start are in its segment, behind the buffers, at the offset that their attribute `loaded_at`
tells.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from s2s.analysis.cost.traffic import Traffic, traffic_of
from s2s.analysis.network.functions import KERNEL, device_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.pools import Places, PoolsKind, PoolsUnit
from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.errors import InputError
from s2s.memory.accesses import buffer_bytes
from s2s.memory.buffers import Buffer, InPlace, Plan, align_up
from s2s.memory.plan import plan
from s2s.memory.pools import Item, Selection, select
from s2s.types.devices import MAIN
from s2s.types.hints import isa
from s2s.types.pools import Pool, Pools

ARENA_POOLS = "arena_pools"
"""Attribute of `main`: the segments of the arena, each with the name of its pool or device, its offset and its size."""
POOL = "pool"
"""Attribute of a constant: the name of its pool."""
LOADED_AT = "loaded_at"
"""Attribute of a constant: the place in the arena where it is copied at start."""
_TRIES = 8
_LISTED = 4
"""The largest buffers that an error names."""


class Segment(NamedTuple):
    """The part of the arena in one pool, or in the memory of one device."""

    pool: str
    """The name of that."""
    offset: int
    size: int


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
    base: int
    """Bytes of state, which stand in front of the first pool's buffers."""
    align: int
    segments: list[Segment] = field(default_factory=list[Segment])
    reads: Counter[str] = field(default_factory=Counter[str])
    """The bytes that a run reads, by buffer or constant."""
    writes: Counter[str] = field(default_factory=Counter[str])
    fixed: set[str] = field(default_factory=set[str])
    """The constants that kernels and other networks name themselves, which so cannot be copied at start."""
    streamed: set[str] = field(default_factory=set[str])
    """The constants that are copied before kernels read them."""
    worth: list[int] = field(default_factory=list[int])
    """What the pool that is filled gains by holding each item."""
    result: Plan | None = None
    is_whole: bool = False
    """Whether all buffers are in the first pool, planned as without pools."""

    def run(self, chooser: Chooser) -> Plan:
        """Decide about the pools, record the decision on the constants and on `main`, and return the plan."""
        for pool in self.pools:
            if pool.address is not None and pool.address % self.align:
                raise InputError(f"--pool {pool}: buffers begin at multiples of {self.align}; give at= such an address")
        self.constants = self._count_traffic()
        end = max((buffer.last for buffer in self.buffers), default=0)
        self.items = tuple(
            [self._item(each.name, each.size, each.first, each.last) for each in self.buffers]
            + [
                self._item(name, size, -1, end)._replace(is_constant=True, is_streamed=name in self.streamed)
                for name, size in self.constants.items()
            ]
        )
        planner = self._proposed, self._elsewhere, self._refused, self._apply
        unit = PoolsUnit(self.main, self.pools, self.items, *planner)
        chooser.choose(PoolsKind(), unit)
        assert self.result is not None
        return self.result

    def _item(self, name: str, size: int, first: int, last: int) -> Item:
        reads, writes = self.reads[name], self.writes[name]
        return Item(name, align_up(size, self.align), reads + writes, first, last, written=writes)

    def _count_traffic(self) -> dict[str, int]:
        """Count the bytes that a run moves by buffer or constant, and return the sizes of the constants."""
        module = self.main.parent_op()
        assert isinstance(module, ModuleOp)
        weights = [op for op in walk(module) if isinstance(op, loop.WeightOp) and reader_of(op, self.functions) == MAIN]
        constants = {_constant(op): buffer_bytes(op.result) for op in weights}
        self.streamed = {_constant(op) for op in weights if POOL in op.attributes}
        self.fixed = {_constant(op) for op in weights if not self._is_passed(op)}
        known: dict[str, Traffic] = {}
        for op in self.main.body.block.ops:
            if isinstance(op, loop.CopyOp | loop.DeviceCopyOp | loop.StartDeviceCopyOp):
                self._count(self.writes, op.target, buffer_bytes(op.target))
                self._count(self.reads, op.source, buffer_bytes(op.source))
            if not isinstance(op, CallOp):
                continue
            kernel = self.functions[op.callee.string_value()]
            if not kernel.body.blocks:
                for value in op.arguments:
                    self._count(self.reads, value, buffer_bytes(value))
                continue
            moved = known.setdefault(kernel.sym_name.data, traffic_of(kernel))
            given: dict[SSAValue, SSAValue] = dict(zip(kernel.args, op.arguments, strict=True))
            for found, counts in zip((self.reads, self.writes), moved, strict=True):
                for value, count in counts.items():
                    self._count(found, given.get(value, value), count)
        return constants

    def _is_passed(self, op: loop.WeightOp) -> bool:
        """Return whether `main` passes a constant to kernels."""
        return op.parent_op() is self.main and all(isinstance(use.operation, CallOp) for use in op.result.uses)

    def _count(self, found: Counter[str], value: SSAValue, count: int) -> None:
        value = loop.whole_of(value)
        if isinstance(value.owner, loop.WeightOp):
            found[_constant(value.owner)] += count
        elif value in self.names:
            found[self.names[value]] += count

    def _proposed(self) -> tuple[Places, str]:
        """Fill one pool after the other, each with the items of most traffic that are left."""
        places = [len(self.pools)] * len(self.items)
        left = list(range(len(self.items)))
        gap = 0.0
        last = max(number for number, pool in enumerate(self.pools) if pool.may_hold(is_constant=False))
        for number, pool in enumerate(self.pools):
            room = pool.size - self._state(number)
            fitting = [item for item in left if self._may_hold(pool, item)]
            self.worth = [self._worth(number, item) for item in self.items]
            if pool.is_streamed:
                chosen, most = set(fitting), 0
            elif number == last:
                chosen, most = self._with_all_buffers(fitting, room), 0
            else:
                worthy = [item for item in fitting if self.worth[item] >= 0]
                chosen, most = self._fill(worthy, room, unsplit=number == self._home() and worthy == fitting)
            if number == 0:
                total = sum(self.worth[item] for item in fitting if self.worth[item] > 0) or 1
                gap = max(0, most - self._sum(chosen)) / total
            for item in chosen:
                places[item] = number
            left = [item for item in left if item not in chosen]
        refused = self._refused(tuple(places))
        if refused is not None:
            raise InputError(refused)
        total = sum(item.traffic for item in self.items) or 1
        reached = sum(item.traffic for item, place in zip(self.items, places, strict=True) if place == 0)
        note = f"{reached / total:.1%} of the traffic in {self.pools[0].name}"
        proof = f"at most {gap:.1%} more is possible" if gap else "no plan has more"
        return tuple(places), f"{note}; {proof}{self._cycles(places)}"

    def _worth(self, number: int, item: Item) -> int:
        """Return what a pool gains by holding an item: its traffic, or where the pools state their speeds the cycles
        that accesses take less than in the last pool."""
        pool = self.pools[number]
        holding = [each for each in self.pools if each.may_hold(item.is_constant, item.is_streamed)]
        if pool.read is None or pool not in holding[:-1]:
            return item.traffic
        moved = item.traffic - item.written, item.written
        return round(holding[-1].access_cycles(*moved) - pool.access_cycles(*moved))

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
            for pool in self.pools[:place]
            if self._may_hold(pool, number)
        ]

    def _home(self) -> int:
        """Return the number of the first pool that holds buffers."""
        return next(number for number, pool in enumerate(self.pools) if pool.may_hold(is_constant=False))

    def _state(self, number: int) -> int:
        """Return the bytes of state in a pool; all state is in the first one that holds buffers."""
        return self.base if number == self._home() else 0

    def _fill(self, left: Sequence[int], room: int, *, unsplit: bool) -> tuple[set[int], int]:
        """Return the items that a pool gets, and a bound of their traffic."""
        best, bound = self._fill_split(left, room)
        if unsplit and self.whole.size <= room:
            other = self._with_all_buffers(left, room)
            if self._sum(other) >= self._sum(best):
                best = other
        return best, max(bound, self._sum(best))

    def _select(self, numbers: Sequence[int], capacity: int) -> Selection:
        """Select from some items by what they gain the pool that is filled."""
        return select([self.items[number]._replace(traffic=self.worth[number]) for number in numbers], capacity)

    def _with_all_buffers(self, left: Sequence[int], room: int) -> set[int]:
        """Return all buffers that are left, and the constants that fit beside them."""
        buffers = {number for number in left if not self.items[number].is_constant}
        constants = [number for number in left if self.items[number].is_constant]
        free = max(room - self._taken(buffers)[1], 0)
        chosen = self._select(constants, free)
        return buffers | {constants[place] for place in chosen.items}

    def _fill_split(self, left: Sequence[int], room: int) -> tuple[set[int], int]:
        """Select by traffic, and return a bound, too; where gaps between buffers make the plan too large, select for
        less room."""
        capacity, bound = room, 0
        for number in range(_TRIES):
            if capacity < 0:
                break
            found = self._select(left, capacity)
            bound = found.bound if number == 0 else bound
            chosen = {left[place] for place in found.items}
            excess = self._taken(chosen)[1] - room
            if excess <= 0:
                return chosen, bound
            capacity -= excess
        return set(), bound

    def _sum(self, chosen: set[int]) -> int:
        return sum(self.worth[number] for number in chosen)

    def _taken(self, chosen: set[int]) -> tuple[Plan, int]:
        """Return the plan of the chosen buffers, and the bytes that they take with the chosen constants."""
        names = {self.items[number].name for number in chosen if not self.items[number].is_constant}
        buffers = [buffer for buffer in self.buffers if buffer.name in names]
        pairs = [pair for pair in self.in_place if pair.output in names and pair.input in names]
        found = plan(buffers, pairs) if buffers else Plan({}, 0, 0)
        if len(buffers) == len(self.buffers) and self.whole.size < found.size:
            found = self.whole
        constants = sum(self.items[number].size for number in chosen if self.items[number].is_constant)
        return found, align_up(found.size, self.align) + constants

    def _refused(self, places: Places) -> str | None:
        """Return why an assignment does not fit."""
        for number, pool in enumerate(self.pools):
            chosen = {item for item, place in enumerate(places) if place == number}
            taken = self._taken(chosen)[1] + self._state(number)
            wrong = next((item for item in chosen if not self._may_hold(pool, item)), None)
            if wrong is not None:
                return (
                    f"--pool {pool}: holds {pool.holds} only, and {self._described(self.items[wrong])} would be in it; "
                    "place it elsewhere"
                )
            if taken > pool.size:
                return self._overflow(pool, chosen, taken)
        homeless = [item for item, place in zip(self.items, places, strict=True) if place >= len(self.pools)]
        if any(not item.is_constant for item in homeless):
            return "--pool: a buffer fits into no pool; give a larger one"
        streamed = next((item for item in homeless if item.is_streamed), None)
        if streamed is not None:
            return f"--pool: {streamed.name}, which is copied from its pool, is placed out of it; give a larger one"
        return None

    def _overflow(self, pool: Pool, chosen: set[int], taken: int) -> str:
        """Say what is too large, and what would help."""
        largest = sorted((self.items[number] for number in chosen), key=lambda item: -item.size)[:_LISTED]
        listed = ", ".join(f"{self._described(item)} {item.size:,}" for item in largest)
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

    def _may_hold(self, pool: Pool, item: int) -> bool:
        found = self.items[item]
        return pool.may_hold(found.is_constant, found.is_streamed) and not (pool.loaded and found.name in self.fixed)

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
        for number, pool in enumerate(self.pools):
            chosen = {item for item, place in enumerate(places) if place == number}
            found, _ = self._taken(chosen)
            self.is_whole = self.is_whole or found is self.whole
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
            if _constant(op) in pool_of:
                op.attributes[POOL] = StringAttr(pool_of[_constant(op)])
            if _constant(op) in loaded:
                op.attributes[LOADED_AT] = IntegerAttr(loaded[_constant(op)], i64)


def reader_of(op: loop.WeightOp, kernels: Mapping[str, FuncOp]) -> str:
    """Return the device whose kernels read a constant; each device has constants of its own."""
    func = op.parent_op()
    if isinstance(func, FuncOp) and KERNEL in func.attributes:
        return device_of(func)
    calls = [use.operation for use in op.result.uses if isinstance(use.operation, CallOp)]
    return next((device_of(kernels[call.callee.string_value()]) for call in calls), MAIN)


def _constant(op: loop.WeightOp) -> str:
    return f"constant {op.weight.data}"


def _entry(segment: Segment) -> DictionaryAttr:
    numbers = {"offset": segment.offset, "size": segment.size}
    return DictionaryAttr(
        {"name": StringAttr(segment.pool), **{key: IntegerAttr(value, i64) for key, value in numbers.items()}}
    )


def record_segments(main: FuncOp, segments: Sequence[Segment]) -> None:
    """Write the segments of the arena to `main`."""
    main.attributes[ARENA_POOLS] = ArrayAttr(map(_entry, segments))


def segments_of(main: FuncOp) -> tuple[Segment, ...]:
    """Return the segments of the arena of `main`; none without pools."""
    listed = main.attributes.get(ARENA_POOLS)
    if not isa(listed, ArrayAttr[DictionaryAttr]):
        return ()
    found: list[Segment] = []
    for entry in listed:
        name, offset, size = (entry.data[key] for key in ("name", "offset", "size"))
        assert isinstance(name, StringAttr)
        assert isinstance(offset, IntegerAttr)
        assert isinstance(size, IntegerAttr)
        found.append(Segment(name.data, offset.value.data, size.value.data))
    return tuple(found)
