"""Choose the cache blocks and prefetches around a register tile.

A matrix product reads one panel of its packed constant again for every tile of the other operand's rows. The panel
stays in the L1 cache meanwhile. The rows come from L2 if a block of them fits there beside the streams. The next panel
is prefetched, since hardware prefetchers cannot guess where it begins. `reduction_blocks.py` ranks what is done where a
panel exceeds L2.
"""

from collections.abc import Sequence
from math import ceil, prod

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import tensor
from s2s.schedules.directives import Prefetch
from s2s.targets import Target

SHARES = (8, 2)
"""A block of rows takes one of these parts (1/8 or 1/2) of the L2 cache: a small part leaves room for streams, a large
part reads the constants from L3 or memory fewer times."""
FLOAT = 4
"""Bytes of an element."""


def cache_blocks(
    op: tensor.ComputeOp, target: Target, tile: list[int], order: list[int], panel: int | None, packed: set[int]
) -> list[tuple[int, int]]:
    """Block the dimension inside the panels' if this reduces the bytes from beyond L2. Without blocks the rows
    are read again for every panel; with blocks the constants are read again for every block, if they exceed half of
    L2."""
    inside = [] if panel is None else dims_inside(op, tile, order, panel)
    if not target.l2_bytes or panel is None or len(inside) != 1 or op.sizes[panel] <= tile[panel]:
        return []
    (dim,) = inside
    moving = [number for number in range(len(op.reads)) if number not in packed and moves(op, dim).reads[number] != 0]
    rows, constants = (sum(bytes_used(op, number) for number in numbers) for numbers in (moving, packed))
    if rows <= target.l2_bytes // 4:
        return []
    whole = rows * ceil(op.sizes[panel] / tile[panel]) + constants
    best: tuple[int, list[tuple[int, int]]] = (whole, [])
    for share in SHARES:
        wanted = min(ceil(rows * share / target.l2_bytes), ceil(op.sizes[dim] / tile[dim]))
        size = ceil(op.sizes[dim] / wanted / tile[dim]) * tile[dim]
        times = ceil(op.sizes[dim] / size) if 2 * constants > target.l2_bytes else 1
        if rows + constants * times < best[0]:
            best = (rows + constants * times, [(dim, size)])
    return best[1]


def prefetches(
    op: tensor.ComputeOp, target: Target, tile: list[int], order: list[int], panel: int | None, packed: set[int]
) -> list[Prefetch]:
    """Return the reads to prefetch."""
    if not target.l2_bytes or op.reduce is None:
        return []
    found: list[Prefetch] = []
    if panel is not None and op.sizes[panel] > tile[panel] and max(_rows(op, tile, order, panel)) > 1:
        found += [
            Prefetch.of(read, panel)
            for read in sorted(packed)
            if _is_large(op, read, target) and stays_in_l2(op, target, tile, order, panel, read)
        ]
    for read in range(len(op.reads)):
        leap = _leap(op, order, read)
        if read not in packed and leap is not None and _is_large(op, read, target):
            found.append(Prefetch.of(read, leap))
    return found


def bytes_used(op: tensor.ComputeOp, read: int) -> int:
    """Return the bytes of a read that the computation accesses: a strided one does not access all."""
    dims = {dim for expr in op.read_accesses[read].map.data.results for dim in expr.used_dims()}
    return FLOAT * min(prod(shape_of(op.reads[read])), prod(op.sizes[dim] for dim in dims))


def stays_in_l2(op: tensor.ComputeOp, target: Target, tile: list[int], order: list[int], panel: int, read: int) -> bool:
    """Return whether a panel stays in L2 from one tile of rows to the next, beside the prefetched part of the next
    panel."""
    inside = dims_inside(op, tile, order, panel)
    size = panel_bytes(op, read, tile, panel, [dim for dim in range(op.rank) if dim != panel and dim not in inside])
    tiles = prod(ceil(op.sizes[dim] / tile[dim]) for dim in dims_inside(op, tile, order, panel))
    return size + size // tiles <= target.l2_bytes


def panel_bytes(op: tensor.ComputeOp, read: int, tile: Sequence[int], panel: int, outside: Sequence[int]) -> int:
    """Return the bytes of one panel of a read, at one position of the dimensions `outside` of the loop over panels.

    A constant `[16][512][512]` (f, oc, ic) in panels of 16 oc has 32 KB a panel, as `f` is the loop outside.
    """
    used = {dim for expr in op.read_accesses[read].map.data.results for dim in expr.used_dims()}
    matrices = prod(op.sizes[dim] for dim in outside if dim in used)
    return bytes_used(op, read) * tile[panel] // op.sizes[panel] // matrices


def dims_inside(op: tensor.ComputeOp, tile: list[int], order: list[int], panel: int) -> list[int]:
    """Return the parallel dimensions whose loops are inside of the panel loop."""
    return [dim for dim in order[order.index(panel) + 1 :] if dim < op.rank and op.sizes[dim] > tile[dim]]


def _rows(op: tensor.ComputeOp, tile: list[int], order: list[int], panel: int) -> list[int]:
    """Return the tile sizes of the parallel dimensions inside of the panel loop; 1 where there are none."""
    return [1, *(min(tile[dim], op.sizes[dim]) for dim in order[order.index(panel) + 1 :] if dim < op.rank)]


def _is_large(op: tensor.ComputeOp, read: int, target: Target) -> bool:
    """Return whether a read exceeds half of the L1 cache."""
    return 2 * FLOAT * prod(shape_of(op.reads[read])) > target.l1_bytes


def _leap(op: tensor.ComputeOp, order: list[int], read: int) -> int | None:
    """Return the outer reduction of two at whose next step the read jumps to another address, after a contiguous row;
    else None."""
    if op.read_accesses[read].is_guarded:
        return None
    dims = [dim for dim in order if dim >= op.rank and op.sizes[dim] > 1]
    if len(dims) != 2:
        return None
    far, near = (moves(op, dim).reads[read] for dim in dims)
    return dims[0] if near == 1 and far not in (None, 0, op.sizes[dims[1]]) else None
