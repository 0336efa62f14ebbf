"""The search space of a task: every legal schedule that can be made of a few knobs.

The chooser's candidates are the bases: one knob says which of them, the others change a part of it. The first value of
each knob leaves the base as it is, so that the compiler's own choice is in the space.

    base     sums of bytes in scalars | 4 lanes along oc | …
    tile oh  as in the base | 1 | 2 | 3 | …           register tile
    block    none | oh by 8 | ic by 512 | …           cache block, of a long reduction too
    unroll   as in the base | 1 | 2 | 4 | 8           of each reduction
    passes   as in the base | 1 | 2 | 4 | 8           of the reduction loop, that the C compiler unrolls
    order    as in the base | ow innermost | …
    copy     as in the base | none | inside oh | …    where the 16-bit copy is made
    prefetch as in the base | none
    rfactor  as in the base | none | …                partial results; and the values of registered directives

A point of the space is a number, or the index of the value of each knob. Illegal points are found by the verifier of
schedules before anything is compiled.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations
from math import prod
from random import Random
from typing import Generic, TypeVar

from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from s2s.analysis.structure.compute import names_of
from s2s.decisions.kind import Candidate
from s2s.decisions.registry import heuristics_of
from s2s.decisions.schedule import ScheduledComputation
from s2s.dialects import tensor
from s2s.dialects.tensor.directive import PREFIX
from s2s.passes.context import CompilerContext
from s2s.schedules.directives import CacheRead, Prefetch, Reorder, Rfactor, Tile, Unroll
from s2s.schedules.directives.legal import refusal
from s2s.schedules.directives.registered import registered_directives
from s2s.targets import Target
from s2s.tuning.features import features_of
from s2s.tuning.search_space import Point, SearchSpace
from s2s.tuning.task import Task

Value = TypeVar("Value")

TILES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32, 48, 64)
"""Register tiles that are tried, and all divisors of small dimensions."""
UNROLLS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
PASSES = (1, 2, 3, 4, 6, 8, 12, 16)
BLOCKS = (4, 8, 16, 32, 64, 128, 256)
LONG_BLOCKS = (256, 512, 1024, 2048, 4096)
"""Blocks of reductions that are tried: shorter ones write and read partial results too often."""
MAX_VALUES = 16
"""Values of a directive that are tried: the first ones that it names."""
MAX_TILED = 3
"""Dimensions whose register tile is varied: the innermost ones of the base."""
MAX_PERMUTED = 3
"""Up to this number of parallel loops, all their orders are tried; with more, each dimension as the innermost."""
MAX_STATEMENTS = 512
"""Multiply-adds written out in the innermost loop; more only cost the time of the C compiler."""
MAX_SUMS = 2
"""Accumulators of a register tile, as a multiple of the registers that hold them. Larger tiles are not tried: on a
Cortex-M4, 48 channels of 5 pixels took the C compiler 47 s and ran at half the speed."""
GENERAL_REGISTERS = 16
"""Registers of a scalar core that hold integers."""

Change = Callable[[tensor.ScheduleAttr], tensor.ScheduleAttr | None]
"""Changes a schedule; None where the change has no meaning for it."""


@dataclass(frozen=True)
class Knob(Generic[Value]):
    """One choice: its values, the first of which leaves the base as it is."""

    name: str
    values: tuple[Value, ...]
    words: tuple[str, ...]
    """The values for people."""
    word_of: Callable[[tensor.ScheduleAttr], str]
    """The word for the value that a schedule has."""

    def place_of(self, schedule: tensor.ScheduleAttr, base: tensor.ScheduleAttr) -> int | None:
        """The index of the value that turns what `base` has into what `schedule` has; None where there is none."""
        word = self.word_of(schedule)
        if word == self.word_of(base):
            return 0
        return self.words.index(word) if word in self.words else None


class Space(SearchSpace):
    """The search space of the largest computation of a task; the others keep the compiler's own schedules."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.subject = max(task.subjects, key=lambda each: prod(each.op.sizes))
        op = self.subject.op
        self.bases = tuple(_bases(task, self.subject)) if isinstance(op, tensor.ComputeOp) else ()
        self.changes: tuple[Knob[Change], ...] = (
            tuple(_changes(op, [base for _, base in self.bases], task.target)) if self.bases else ()
        )
        self._texts: dict[Point, str | None] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each knob, of which the first one is the base."""
        return (len(self.bases), *(len(each.values) for each in self.changes))

    def __len__(self) -> int:
        return super().__len__() if self.bases else 0

    def schedule(self, point: Point) -> tensor.ScheduleAttr | None:
        """Return the schedule at a point; None where there is none, legal or not."""
        schedule: tensor.ScheduleAttr | None = self.bases[point.places[0]][1]
        for knob, place in zip(self.changes, point.places[1:], strict=True):
            if place and schedule is not None:
                changed = knob.values[place](schedule)
                schedule = None if changed == schedule else changed
        return schedule

    def text(self, point: Point) -> str | None:
        """Return the legal schedule at a point as text; None where there is none."""
        if point not in self._texts:
            schedule = self.schedule(point)
            self._texts[point] = str(schedule) if schedule is not None and self._is_tried(schedule) else None
        return self._texts[point]

    def _is_tried(self, schedule: tensor.ScheduleAttr) -> bool:
        """Whether a schedule is legal and its innermost loop of a reasonable size."""
        if self.task.kind.legal_from_outside(self.subject, schedule) is not None:
            return False
        state = schedule.on(self.subject.op)
        op = self.subject.op
        registers = self.task.target.registers if state.lanes > 1 or state.group == 1 else GENERAL_REGISTERS
        if prod(op.sizes[op.rank :]) > 1 and prod(state.tile(range(op.rank))) > MAX_SUMS * registers * state.lanes:
            return False
        return prod(state.tiles) <= MAX_STATEMENTS * max(state.lanes, state.group)

    def decisions(self, text: str) -> dict[str, dict[str, str]]:
        """Return a schedule as decisions of a compilation."""
        return {"schedule": {self.subject.key: text}}

    def starts(self) -> list[Point]:
        """Return the bases as they are."""
        none = (0,) * len(self.changes)
        return [Point((number, *none)) for number in range(len(self.bases))]

    def find(self, text: str) -> Point | None:
        """Return the point of a schedule, by the value that each knob has in it; None if it is in no space."""
        try:
            wanted = Parser(CompilerContext(), text).parse_attribute()
        except ParseError:
            return None
        if not isinstance(wanted, tensor.ScheduleAttr):
            return None
        for number, (_, base) in enumerate(self.bases):
            places = [knob.place_of(wanted, base) for knob in self.changes]
            point = Point((number, *(each or 0 for each in places)))
            if None not in places and self.text(point) == text:
                return point
        return None

    def features(self, point: Point) -> list[float]:
        schedule = self.schedule(point)
        assert schedule is not None
        return features_of(self.subject.op, schedule, self.task.target, point.places)

    def _drawn(self, random: Random, size: int) -> int:
        """Draw that of the base half of the time, as most knobs change little at once."""
        return 0 if random.random() < 0.5 else random.randrange(size)

    def describe(self) -> str:
        """The size of the space in words."""
        if not self.bases:
            return "nothing to choose"
        knobs = ", ".join(f"{each.name} {len(each.values)}" for each in self.changes)
        legal = "" if self.listed is None else f", {len(self.listed):,} of them different and legal"
        return f"{len(self):,} points{legal} (bases {len(self.bases)}, {knobs})"


def _bases(task: Task, subject: ScheduledComputation) -> Iterator[tuple[str, tensor.ScheduleAttr]]:
    """The legal candidates of all heuristics, each schedule once, the compiler's own choice first."""
    found: dict[str, tuple[str, tensor.ScheduleAttr]] = {}
    for _, heuristic in heuristics_of(task.kind):
        proposed = [each for each in heuristic(subject, task.target) if isinstance(each, Candidate)]
        for each in sorted(proposed, key=lambda one: one.cost.cycles or 0.0 if one.cost is not None else 0.0):
            schedule = each.make()
            if task.kind.legal(subject, schedule) is None:
                found.setdefault(str(schedule), (each.note, schedule))
    yield from found.values()


def _changes(op: tensor.Computation, bases: Sequence[tensor.ScheduleAttr], target: Target) -> Iterator[Knob[Change]]:
    names = names_of(op)
    parallel = [dim for dim in range(op.rank) if op.sizes[dim] > 1]
    innermost = [dim for dim in bases[0].on(op).order if dim in parallel][-MAX_TILED:] if bases else []
    tiled = sorted({*innermost, *(dim for base in bases for dim in _tiled(base) if dim in parallel)})
    for dim in tiled:
        sizes = _sizes_up_to(op.sizes[dim], TILES)
        made = {str(size): _tile(op, dim, size) for size in sizes}
        yield _knob(f"tile {names[dim]}", made, lambda schedule, dim=dim: str(schedule.on(op).tiles[dim]))
    for dim in range(op.rank, len(op.sizes)):
        if op.sizes[dim] > 1:
            steps = _sizes_up_to(op.sizes[dim], UNROLLS)
            made = {str(each): _unroll(dim, each) for each in steps}
            yield _knob(f"unroll {names[dim]}", made, lambda schedule, dim=dim: str(schedule.on(op).tiles[dim]))
    reductions = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
    if reductions:
        made = {str(each): _unroll_passes(reductions[-1], each) for each in PASSES}
        yield _knob("passes", made, lambda schedule: str(schedule.on(op).passes.get(reductions[-1], 1)))
    if len(parallel) > 1:
        made = {_words(names, order): _reorder(order) for order in _orders(op, parallel)}
        yield _knob("order", made, lambda schedule: _words(names, schedule.on(op).order))
    if any(_copy_of(base) is not None for base in bases):
        places = {"none": _copy_nothing, "before all loops": _copy_at(None)}
        places |= {f"inside {names[dim]}": _copy_at(dim) for dim in parallel}
        yield _knob("copy", places, lambda schedule: _copy_words(op, names, schedule))
    blocks = [(dim, size) for dim in parallel for size in BLOCKS if 2 * size <= op.sizes[dim]]
    blocks += [(dim, size) for dim in reductions for size in LONG_BLOCKS if 2 * size <= op.sizes[dim]]
    if blocks and any(base.find(Tile) is not None for base in bases):
        named = {f"{names[dim]} by {size}": _block(dim, size) for dim, size in blocks}
        yield _knob("block", {"none": _unblocked, **named}, lambda schedule: _block_words(op, names, schedule))
    if any(base.find(Prefetch) is not None for base in bases):
        nothing: dict[str, Change] = {"none": lambda schedule: schedule.without(Prefetch)}
        yield _knob("prefetch", nothing, lambda schedule: str(schedule.find(Prefetch) or "none"))
    for kind in (Rfactor, *registered_directives()):
        yield from _values_of(kind, op, bases, target)


def _values_of(
    kind: type[tensor.Directive], op: tensor.Computation, bases: Sequence[tensor.ScheduleAttr], target: Target
) -> Iterator[Knob[Change]]:
    """Yield the knob of a directive: the values that it names and that are legal in one of the bases."""

    def found(schedule: tensor.ScheduleAttr) -> tensor.Directive | None:
        return schedule.find(kind)

    named = [
        value
        for value in islice(kind.values(op, target), MAX_VALUES)
        if any(refusal(op, base.replacing(value)) is None for base in bases)
    ]
    if named or any(found(base) is not None for base in bases):
        made: dict[str, Change] = {"none": lambda schedule: schedule.without(kind)}
        made |= {str(value): (lambda schedule, value=value: schedule.replacing(value)) for value in named}
        yield _knob(kind.name.removeprefix(PREFIX), made, lambda schedule: str(found(schedule) or "none"))


def _knob(name: str, changes: Mapping[str, Change], word_of: Callable[[tensor.ScheduleAttr], str]) -> Knob[Change]:
    return Knob(name, (lambda schedule: schedule, *changes.values()), ("as in the base", *changes), word_of)


def _copy_words(op: tensor.Computation, names: Sequence[str], schedule: tensor.ScheduleAttr) -> str:
    """Where a schedule copies an operand."""
    if _copy_of(schedule) is None:
        return "none"
    cached = schedule.on(op).cached
    return "before all loops" if cached is None or cached.dim is None else f"inside {names[cached.dim]}"


def _block_words(op: tensor.Computation, names: Sequence[str], schedule: tensor.ScheduleAttr) -> str:
    """The cache blocks of a schedule."""
    return ", ".join(f"{names[dim]} by {size}" for dim, size in schedule.on(op).blocks) or "none"


def _tiled(schedule: tensor.ScheduleAttr) -> list[int]:
    tile = schedule.find(Tile)
    return list(tile.register) if tile is not None else []


def _sizes_up_to(size: int, usual: Sequence[int]) -> list[int]:
    divisors = [each for each in range(1, min(size, 32) + 1) if size % each == 0]
    return sorted({*(each for each in usual if each <= size), *divisors})


def _tile(op: tensor.Computation, dim: int, size: int) -> Change:
    def change(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
        before = schedule.find(Tile)
        register = {} if before is None else dict(before.register)
        blocks = [] if before is None else [(d, s) for d, s in before.blocks if d != dim or s > size]
        old = register.get(dim, 1)
        register[dim] = size
        made = _with(schedule, Tile, Tile.of(register, blocks))
        return _repacked(op, made, dim, old, size)

    return change


def _repacked(
    op: tensor.Computation, schedule: tensor.ScheduleAttr, dim: int, old: int, new: int
) -> tensor.ScheduleAttr:
    """Lay constants out in blocks of `new` where they were in blocks of the register tile `old` along `dim`."""
    if old == 1 or old == new or not isinstance(op, tensor.ComputeOp):
        return schedule
    changed: list[tensor.Directive] = []
    for each in schedule:
        if isinstance(each, CacheRead) and each.is_packed and each.operand.data < len(op.reads):
            axes = _axes_along(op, each.operand.data, dim)
            each = CacheRead.packed(each.operand.data, [_reblocked(axis, axes, old, new) for axis in each.axes])
        changed.append(each)
    return tensor.ScheduleAttr.of(changed)


def _axes_along(op: tensor.ComputeOp, read: int, dim: int) -> set[int]:
    """The axes of a read that are indexed by `dim` alone."""
    results = op.read_accesses[read].map.data.results
    return {axis for axis, expr in enumerate(results) if set(expr.used_dims()) == {dim}}


def _reblocked(axis: tensor.PackedAxis, axes: set[int], old: int, new: int) -> tensor.PackedAxis:
    if len(axis.axes) != 1 or not axes.issuperset(axis.axes):
        return axis
    divisor = new if axis.divisor == old else axis.divisor
    return tensor.PackedAxis(axis.axes, divisor, new if axis.modulus == old else axis.modulus)


def _unroll(dim: int, steps: int) -> Change:
    def change(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
        before = schedule.find(Unroll)
        if before is None:
            return _with(schedule, Unroll, Unroll.of({dim: steps}))
        return _with(schedule, Unroll, Unroll.of({**dict(before.steps), dim: steps}, before.passes))

    return change


def _unroll_passes(dim: int, passes: int) -> Change:
    """Let the C compiler unroll `passes` passes of the loop over reduction `dim`, and of no other."""

    def change(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
        before = schedule.find(Unroll)
        return _with(schedule, Unroll, Unroll.of(dict(before.steps) if before is not None else {}, {dim: passes}))

    return change


def _orders(op: tensor.Computation, parallel: Sequence[int]) -> list[list[int]]:
    """Orders of all loops: the parallel ones vary, reductions stay inside as they are."""
    others = [dim for dim in range(op.rank) if dim not in parallel]
    inner = list(range(op.rank, len(op.sizes)))
    if len(parallel) <= MAX_PERMUTED:
        return [[*others, *outer, *inner] for outer in permutations(parallel)]
    return [[*others, *(each for each in parallel if each != dim), dim, *inner] for dim in parallel]


def _reorder(order: Sequence[int]) -> Change:
    return lambda schedule: _with(schedule, Reorder, Reorder.of(order))


def _words(names: Sequence[str], order: Sequence[int]) -> str:
    return " ".join(names[dim] for dim in order)


def _copy_of(schedule: tensor.ScheduleAttr) -> CacheRead | None:
    return next((each for each in schedule if isinstance(each, CacheRead) and not each.is_packed), None)


def _copy_nothing(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
    copy = _copy_of(schedule)
    return None if copy is None else tensor.ScheduleAttr.of(each for each in schedule if each is not copy)


def _copy_at(dim: int | None) -> Change:
    def change(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
        copy = _copy_of(schedule)
        if copy is None:
            return None
        moved = CacheRead.of(copy.operand.data, dim, widened=copy.form.data == "i16")
        return tensor.ScheduleAttr.of(moved if each is copy else each for each in schedule)

    return change


def _block(dim: int, size: int) -> Change:
    def change(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
        tile = schedule.find(Tile)
        if tile is None or tile.register.get(dim, 1) >= size:
            return None
        return _with(schedule, Tile, Tile.of(tile.register, [(dim, size)]))

    return change


def _unblocked(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr | None:
    tile = schedule.find(Tile)
    return None if tile is None else _with(schedule, Tile, Tile.of(tile.register))


def _with(
    schedule: tensor.ScheduleAttr, kind: type[tensor.Directive], new: tensor.Directive | None
) -> tensor.ScheduleAttr:
    """Replace the directive of a kind, or put it where the usual order of directives has it."""
    if new is None:
        return schedule.without(kind)
    if schedule.find(kind) is not None:
        return schedule.replacing(new)
    rest = list(schedule)
    front: dict[type[tensor.Directive], int] = {Tile: 0, Unroll: int(schedule.find(Tile) is not None)}
    place = front.get(kind, next((n for n, each in enumerate(rest) if isinstance(each, CacheRead)), len(rest)))
    return tensor.ScheduleAttr.of([*rest[:place], new, *rest[place:]])
