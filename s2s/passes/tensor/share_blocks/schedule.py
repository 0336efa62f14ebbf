"""The size of blocks, and the schedules of computations that run in them."""

from collections.abc import Sequence
from math import prod

from s2s.analysis.dtypes import size_in_bytes
from s2s.analysis.kernel_blocks import Group
from s2s.analysis.kernel_parts import first_parts
from s2s.analysis.shared_walk import Walk
from s2s.dialects import tensor
from s2s.schedules.default import default
from s2s.targets import Target

SMALL_CACHE = 16 * 1024
"""Bytes that a block may take where the target states no cache."""
MOST_VECTORS = 4
SCALAR_ROWS = 16
"""Rows of a block at most: in vectors, and where there are none."""


def schedule_blocks(computes: Sequence[tensor.ComputeOp], outer: Sequence[Walk], rows: Walk, target: Target) -> None:
    """Give each computation its schedule: one position of the `outer` dimensions and a block of `rows` at a time."""
    schedule_in_blocks(computes, outer, rows, _block_size(computes, outer, rows, target), target)


def schedule_in_blocks(
    computes: Sequence[tensor.ComputeOp], outer: Sequence[Walk], rows: Walk, size: int, target: Target
) -> None:
    """Give each computation its schedule for blocks of `size` rows."""
    for op in computes:
        shared = [*((walk[op], 1) for walk in outer), (rows[op], size)]
        plain = tensor.ScheduleAttr.of([1] * len(op.sizes), list(range(len(op.sizes))), shared=shared)
        op.properties["schedule"] = plain
    parts = first_parts(Group(tuple(computes)))
    chosen = [default(part.op, target, frozenset()) for part in parts]
    for part in reversed(parts):
        part.op.erase(safe_erase=False)
    for op, schedule in zip(computes, chosen, strict=True):
        assert op.schedule is not None
        op.properties["schedule"] = _of_whole(schedule, op.schedule.shared_blocks)


def _block_size(computes: Sequence[tensor.ComputeOp], outer: Sequence[Walk], rows: Walk, target: Target) -> int:
    """The most rows, in whole vectors, of which everything between the computations fits half of the nearest cache
    that can hold it."""
    per_row = 0
    for op in computes[:-1]:
        elements = prod(op.parallel_sizes) // prod(op.sizes[walk[op]] for walk in [*outer, rows])
        per_row += elements * sum(size_in_bytes(tensor.element_type(result)) for result in op.res)
    cache = (target.l2_bytes or target.l1_bytes or 2 * SMALL_CACHE) // 2
    sizes = [vectors * target.lanes for vectors in range(MOST_VECTORS, 0, -1)]
    if target.lanes == 1:
        sizes = [SCALAR_ROWS, SCALAR_ROWS // 2, SCALAR_ROWS // 4]
    fitting = [size for size in sizes if size * per_row <= cache]
    return min(rows_size(computes, rows), max(fitting, default=sizes[-1]))


def rows_size(computes: Sequence[tensor.ComputeOp], rows: Walk) -> int:
    """How many rows there are."""
    return computes[-1].sizes[rows[computes[-1]]]


def _of_whole(schedule: tensor.ScheduleAttr, shared: Sequence[tuple[int, int]]) -> tensor.ScheduleAttr:
    """The schedule of a part, without the dimensions of the blocks that come first, as that of the whole."""
    first = len(shared)
    return tensor.ScheduleAttr.of(
        schedule.tiles[first:],
        [dim - first for dim in schedule.loop_order if dim >= first],
        vector=None if schedule.vector_dim is None else schedule.vector_dim - first,
        lanes=schedule.lanes.data,
        blocks=[(dim - first, size) for dim, size in schedule.block_sizes],
        shared=shared,
    )
