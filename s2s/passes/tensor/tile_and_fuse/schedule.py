"""Choose the schedules of computations that share a loop over blocks."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.tile_and_fuse.candidates import CommonDim
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup
from s2s.analysis.tile_and_fuse.tiles import ComputeTile, first_tiles
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.buffers import written_over
from s2s.schedules.default import default
from s2s.schedules.directives import CacheRead, Prefetch, TileAndFuse
from s2s.schedules.directives.tile_and_fuse import in_tiles
from s2s.targets import Target
from s2s.types.dtypes import size_in_bytes


def schedule_in_blocks(
    computes: Sequence[tensor.ComputeOp],
    outer: Sequence[CommonDim],
    rows: CommonDim,
    size: int,
    target: Target,
    constants: frozenset[SSAValue] = frozenset(),
) -> None:
    """Set the schedule of each computation for blocks of `size` rows; `constants` may be packed."""
    for op in computes:
        fused = [*((each[op], 1) for each in outer), (rows[op], size)]
        op.properties["schedule"] = tensor.ScheduleAttr.of([TileAndFuse.of(fused)])
    tiles = first_tiles(FusedGroup(tuple(computes)))
    chosen = [_of_whole(tile, default(tile.op, target, frozenset())) for tile in tiles if isinstance(tile, ComputeTile)]
    for tile in reversed(tiles):
        tile.op.erase(safe_erase=False)
    for op, schedule in zip(computes, chosen, strict=True):
        assert op.schedule is not None
        packs = _packs(op, rows[op], constants) if target.lanes > 1 else []
        op.properties["schedule"] = in_tiles(schedule, op.schedule.on(op).fused).adding(*packs)


def _packs(op: tensor.ComputeOp, row: int, constants: frozenset[SSAValue]) -> list[CacheRead]:
    """Packed layouts with contiguous rows for the constants that `op` reads, a mask for example."""
    packs: list[CacheRead] = []
    for number, (value, access) in enumerate(zip(op.epilogue, op.epilogue_accesses, strict=True)):
        results = access.map.data.results
        along = [axis for axis, expr in enumerate(results) if row in expr.used_dims()]
        last = [axis for axis, size in enumerate(shape_of(value)) if size > 1][-1:]
        if value not in constants or not value.has_one_use() or access.is_guarded or len(along) != 1 or along == last:
            continue
        order = [*(axis for axis in range(len(results)) if axis not in along), *along]
        packs.append(CacheRead.packed(len(op.reads) + number, [tensor.PackedAxis((axis,)) for axis in order]))
    return packs


def bytes_per_row(computes: Sequence[tensor.ComputeOp], outer: Sequence[CommonDim], rows: CommonDim) -> int:
    """Bytes of the intermediate tensors for one of the `rows`, at one position of the `outer` dimensions."""
    per_row, over = 0, written_over([FusedGroup(tuple(computes))])
    for op in computes[:-1]:
        elements = prod(op.parallel_sizes) // prod(op.sizes[each[op]] for each in [*outer, rows])
        per_row += elements * sum(size_in_bytes(tensor.element_type(value)) for value in op.res if value not in over)
    return per_row


def _of_whole(tile: ComputeTile, schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr:
    """Convert the schedule of one block, whose first dimensions are the tiles, to one of the whole computation."""
    mapping = tensor.Renumbering.removing(tile.blocks, tile.op.sizes, tile.op.rank)
    return schedule.without(Prefetch).renumbered(mapping)
