"""Random schedules of a computation: those of our heuristics with a few directives changed, or directives at random."""

from collections.abc import Callable, Sequence
from math import prod
from random import Random

from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import tensor
from s2s.schedules.byte_products import byte_products
from s2s.schedules.default import Choice, candidates, schedule_along
from s2s.schedules.directives import (
    CacheRead,
    InitFrom,
    Parallel,
    Prefetch,
    RawBytes,
    Reorder,
    Rfactor,
    Tensorize,
    Tile,
    TileAndFuse,
    Unroll,
    Vectorize,
)
from s2s.schedules.directives.legal import kinds
from s2s.schedules.directives.sizes import sizes_attribute
from s2s.schedules.integer_products import integer_products
from s2s.schedules.vector_products import vector_products
from s2s.targets import Target
from s2s.targets.intrinsics import INTRINSICS


def random_schedule(
    op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue], random: Random
) -> tensor.ScheduleAttr:
    """A schedule that may be legal."""
    start: list[tensor.Directive] = []
    if random.random() < 0.7:
        start = list(_one_of_ours(op, target, constants, random))
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            if start and random.random() < 0.5:
                start.pop(random.randrange(len(start)))
    if op.rank < len(op.sizes) and random.random() < 0.3:
        ours = _one_of_ours(op, target, constants, random)
        start = [_blocked_reduction(op, ours, random), *ours]
        if random.random() < 0.6:
            return tensor.ScheduleAttr.of(start)
    for _ in range(random.choice([0, 1, 1, 2, 4])):
        made = _worth_trying(op, target, random) if random.random() < 0.3 else random.choice(MAKERS)(op, target, random)
        if made is not None:
            start = [each for each in start if type(each) is not type(made) or random.random() < 0.1]
            start.insert(random.randint(0, len(start)) if random.random() < 0.2 else len(start), made)
    return tensor.ScheduleAttr.of(start)


def blocked_intrinsic(
    op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue], random: Random
) -> tensor.ScheduleAttr | None:
    """A schedule of our heuristics with an intrinsic, and blocks of a reduction around it; None without an
    intrinsic."""
    with_intrinsic = [each for each in _ours(op, target, constants) if each.find(Tensorize) is not None]
    wide = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
    if not with_intrinsic or not wide:
        return None
    ours = random.choice(with_intrinsic)
    dim = random.choice([*wide, *wide[:1] * 2])
    group, unit = ours.on(op).group, prod(op.sizes[each] for each in wide[wide.index(dim) + 1 :])
    sizes = [size for size in range(1, op.sizes[dim]) if random.random() < 0.2 or size * unit % group == 0]
    blocks = Tile(sizes_attribute([[dim, random.choice(sizes or [op.sizes[dim]]), 1]]))
    changed = [_reorder(op, target, random) or each if isinstance(each, Reorder) else each for each in ours]
    directives = [blocks, *(ours if random.random() < 0.7 else changed)]
    if random.random() < 0.5:  # as many steps at once as there are in a block
        directives = [each for each in directives if not isinstance(each, Unroll)]
    return tensor.ScheduleAttr.of(directives)


def _one_of_ours(
    op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue], random: Random
) -> tensor.ScheduleAttr:
    """A schedule of our heuristics; often the one with an intrinsic, which is one among many."""
    every = _ours(op, target, constants)
    with_intrinsic = [each for each in every if each.find(Tensorize) is not None]
    return random.choice(with_intrinsic if with_intrinsic and random.random() < 0.5 else every)


def _ours(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> list[tensor.ScheduleAttr]:
    found = [
        *(each(op, target, constants) for each in (vector_products, integer_products, byte_products)),
        *(schedule_along(op, target, each) for each in candidates(op, target, constants) if isinstance(each, Choice)),
    ]
    return [each for each in found if each is not None] or [tensor.ScheduleAttr.of()]


def _worth_trying(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    """One of the values that a kind of directives names for a computation."""
    found = list(random.choice(kinds()).values(op, target))
    return random.choice(found) if found else None


def _dim(op: tensor.ComputeOp, random: Random) -> int:
    return random.randrange(len(op.sizes))


def _tile(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    rows: list[list[int]] = []
    for dim in range(len(op.sizes)):
        if random.random() < (0.5 if dim < op.rank else 0.2):
            register = random.choice([1, 2, 3, 4, 8, 16])
            blocks = list(random.choice([(), (), (), (3,), (4,), (8,), (16,), (24,), (16, 8), (24, 12)]))
            rows.append([dim, *blocks, register])
    random.shuffle(rows)
    return Tile(sizes_attribute(rows)) if rows else None


def _blocked_reduction(op: tensor.ComputeOp, schedule: tensor.ScheduleAttr, random: Random) -> tensor.Directive:
    """Blocks of a reduction, mostly of the first one, to go before the directives of `schedule`."""
    dims = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1] or [op.rank]
    dim = random.choice([dims[0], *dims])
    around = [[random.randrange(op.rank), random.choice([4, 8, 16]), 1]] if random.random() < 0.3 else []
    step = schedule.on(op).tiles[dim]
    shorter = [size for size in (step, 2 * step, 3 * step, 4 * step, 8 * step) if size < op.sizes[dim]] or [step]
    return Tile(sizes_attribute([*around, [dim, random.choice(shorter), 1]]))


def _unroll(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return Unroll.of({dim: random.choice([1, 2, 3, 4, 8]) for dim in range(op.rank, len(op.sizes))})


def _vectorize(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return Vectorize.of(_dim(op, random), random.choice([2, 3, 4, 8, 16, 32, target.lanes]))


def _reorder(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    outer, inner = list(range(op.rank)), list(range(op.rank, len(op.sizes)))
    random.shuffle(outer)
    random.shuffle(inner)
    return Reorder.of([*outer, *inner])


def _parallel(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    dims = list(range(op.rank))
    if random.random() < 0.5:
        random.shuffle(dims)
    return Parallel.of(dims[: random.choice([1, 1, 2])])


def _rfactor(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return Rfactor.of(_dim(op, random), random.choice([2, 3, 4, 8]))


def _prefetch(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return Prefetch.of(random.randrange(max(1, len(op.reads))), _dim(op, random))


def _cache_read(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    at = random.choice([None, *range(op.rank)])
    return CacheRead.of(random.randrange(max(1, len(op.reads))), at, widened=random.random() < 0.5)


def _packed(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    number = random.randrange(len(op.operands))
    axes = list(range(len(shape_of(op.operands[number]))))
    random.shuffle(axes)
    block, axis = random.choice([2, 3, 4, 8, 16]), axes[0]
    around = [tensor.PackedAxis((each,)) for each in axes[1:]]
    return CacheRead.packed(
        number, [tensor.PackedAxis.blocks(axis, block), *around, tensor.PackedAxis.place(axis, block)]
    )


def _tensorize(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return Tensorize.of(random.choice([*INTRINSICS.values(), *target.intrinsics]))


def _init_from(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return InitFrom.of(random.randrange(max(1, len(op.epilogue))))


def _raw_bytes(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return RawBytes.of(random.randrange(max(1, len(op.reads))))


def _tile_and_fuse(op: tensor.ComputeOp, target: Target, random: Random) -> tensor.Directive | None:
    return TileAndFuse.of([(random.randrange(op.rank), random.choice([1, 2, 3, 8]))])


MAKERS: Sequence[Callable[[tensor.ComputeOp, Target, Random], tensor.Directive | None]] = (
    _tile,
    _tile,
    _unroll,
    _vectorize,
    _vectorize,
    _reorder,
    _parallel,
    _rfactor,
    _prefetch,
    _cache_read,
    _packed,
    _tensorize,
    _init_from,
    _raw_bytes,
    _tile_and_fuse,
)
