"""The knobs of a schedule: each changes one part of it, and its first value leaves that part as it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Generic, TypeVar

from s2s.analysis.structure.compute import names_of
from s2s.dialects import tensor
from s2s.dialects.tensor.directive import PREFIX
from s2s.schedules.directives import CacheRead, Parallel, Prefetch, Reorder, Rfactor, Tile, Unroll
from s2s.schedules.directives.legal import refusal
from s2s.schedules.directives.registered import registered_directives
from s2s.support.frozen import frozen
from s2s.targets import Target

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

Change = Callable[[tensor.ScheduleAttr], tensor.ScheduleAttr | None]
"""Changes a schedule; None where the change has no meaning for it."""


@frozen
class Knob(Generic[Value]):
    """One choice: its values, the first of which leaves the base as it is."""

    name: str
    values: tuple[Value, ...]
    words: tuple[str, ...]
    """The values for people."""
    word_of: Callable[[tensor.ScheduleAttr], str]
    """The word for the value that a schedule has."""

    def place_of(self, schedule: tensor.ScheduleAttr, base: tensor.ScheduleAttr) -> int | None:
        """The index of the value that turns the directives of `base` into the directives of `schedule`; None where
        there is none."""
        word = self.word_of(schedule)
        if word == self.word_of(base):
            return 0
        return self.words.index(word) if word in self.words else None


def knobs_of(
    op: tensor.Computation, bases: Sequence[tensor.ScheduleAttr], target: Target, threads: int = 1
) -> Iterator[Knob[Change]]:
    """Yield the knobs that change one of `bases`, schedules of `op`."""
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
    fused = [{tile.dim for tile in base.on(op).fused} for base in bases]
    blocked = [dim for dim in parallel if not all(dim in each for each in fused)]
    blocks = [(dim, size) for dim in blocked for size in BLOCKS if 2 * size <= op.sizes[dim]]
    blocks += [(dim, size) for dim in reductions for size in LONG_BLOCKS if 2 * size <= op.sizes[dim]]
    if blocks and any(base.find(Tile) is not None for base in bases):
        named = {f"{names[dim]} by {size}": _block(dim, size) for dim, size in blocks}
        yield _knob("block", {"none": _unblocked, **named}, lambda schedule: _block_words(op, names, schedule))
    if any(base.find(Prefetch) is not None for base in bases):
        nothing: dict[str, Change] = {"none": lambda schedule: schedule.without(Prefetch)}
        yield _knob("prefetch", nothing, lambda schedule: str(schedule.find(Prefetch) or "none"))
    for kind in (Rfactor, *((Parallel,) if threads > 1 else ()), *registered_directives()):
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
