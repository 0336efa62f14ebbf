"""Numbers that describe a schedule of a computation, for the learned cost model: extents, reuse, footprints, registers.

pixel tile 2, channel tile 4, 8 steps of 64 products
-> log2 of each loop's trip count, 8 accumulators, 6 loads for 8 multiply-adds, 64 statements, …
"""

from collections.abc import Sequence
from math import log2, nan, prod

from s2s.dialects import tensor
from s2s.schedules.directives import CacheRead, Prefetch, Tile
from s2s.targets import Target

MAX_KNOBS = 24
MAX_DIMS = 8
"""Dimensions that have features of their own, the innermost ones."""
GUESSED_CACHE = 16 * 1024
"""Bytes of the first cache of targets that state none."""
FLOAT = 4
LEVELS = 3
"""Innermost loops whose footprints are features."""
WIDTH = 15 + 4 * MAX_DIMS + LEVELS + MAX_KNOBS
"""The number of features."""
FOR_ONE_TASK = (0, *range(WIDTH - MAX_KNOBS, WIDTH))
"""The numbers of the features that name values of knobs, which other tasks do not have."""


def features_of(
    op: tensor.Computation, schedule: tensor.ScheduleAttr, target: Target, places: Sequence[int]
) -> list[float]:
    """Return the features of a legal schedule, whose knobs have their values at `places`; the first is the base."""
    state = schedule.on(op)
    tiles = list(state.tiles)
    trips = [-(-size // tile) for size, tile in zip(op.sizes, tiles, strict=True)]
    outputs, steps = prod(tiles[: op.rank]), prod(tiles[op.rank :])
    loads = _loads(op, tiles)
    return [
        float(places[0]),
        *_padded([log2(each) for each in tiles]),
        *_padded([log2(each) for each in trips]),
        *_padded([float(each) for each in _positions(state.order, len(op.sizes))]),
        *_padded([float(size % tile) for size, tile in zip(op.sizes, tiles, strict=True)]),
        log2(outputs),
        log2(steps),
        log2(outputs * steps),
        outputs / state.lanes - target.registers,
        loads / (outputs * steps),
        log2(1 + loads),
        float(state.lanes),
        float(state.group),
        float(state.vector_dim if state.vector_dim is not None else -1),
        float(state.cache_depth if _copies(schedule) else -1),
        float(sum(isinstance(each, Prefetch) for each in schedule)),
        log2(state.passes_of_all),
        *_block(schedule),
        *_footprints(op, state.order, tiles, target),
        *_missing_after(places),
    ]


def _footprints(op: tensor.Computation, order: Sequence[int], tiles: Sequence[int], target: Target) -> list[float]:
    """The bytes that the innermost loops read, one loop more each, beside the bytes of the first cache.

    [56, 64 | 64] in tiles of [2, 16 | 1], order 0 1 2: 64 steps of the reduction read 64 x (2 + 16) floats, …
    """
    cache, grown, found = target.l1_bytes or GUESSED_CACHE, list(tiles), list[float]()
    for dim in [*reversed(order)][:LEVELS]:
        grown[dim] = op.sizes[dim]
        found.append(log2(max(1, _loads(op, grown)) * FLOAT / cache))
    return [*found, *[0.0] * (LEVELS - len(found))]


def _loads(op: tensor.Computation, tiles: Sequence[int]) -> int:
    """The different elements of the reads that one innermost block touches, if tiles do not overlap."""
    if not isinstance(op, tensor.ComputeOp):
        return prod(tiles)
    total = 0
    for access in op.read_accesses:
        used = {dim for expr in access.map.data.results for dim in expr.used_dims()}
        total += prod(tiles[dim] for dim in used)
    return total


def _positions(order: Sequence[int], count: int) -> list[int]:
    places = {dim: place for place, dim in enumerate(order)}
    return [places.get(dim, dim) for dim in range(count)]


def _missing_after(places: Sequence[int]) -> list[float]:
    """The values of the knobs, filled up to the same number for every task."""
    return [*map(float, places[:MAX_KNOBS]), *[nan] * (MAX_KNOBS - len(places))]


def _padded(values: Sequence[float]) -> list[float]:
    tail = list(values[-MAX_DIMS:])
    return [0.0] * (MAX_DIMS - len(tail)) + tail


def _copies(schedule: tensor.ScheduleAttr) -> bool:
    return any(isinstance(each, CacheRead) and not each.is_packed for each in schedule)


def _block(schedule: tensor.ScheduleAttr) -> list[float]:
    tile = schedule.find(Tile)
    blocks = tile.blocks if tile is not None else []
    return [float(blocks[0][0]), log2(blocks[0][1])] if blocks else [-1.0, 0.0]
