"""State which computations of a kernel share a loop over blocks: the chooser completes their schedules."""

from collections.abc import Sequence
from math import prod

from s2s.analysis.tile_and_fuse.candidates import CommonDim
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup
from s2s.dialects import tensor
from s2s.passes.tensor.lower_to_loop.buffers import written_over
from s2s.schedules.directives import TileAndFuse
from s2s.types.dtypes import size_in_bytes


def fuse_in_blocks(
    computes: Sequence[tensor.ComputeOp], outer: Sequence[CommonDim], rows: CommonDim, size: int
) -> None:
    """Tile `computes` in blocks of `size` rows, at one position of the `outer` dimensions at a time."""
    for op in computes:
        fused = [*((each[op], 1) for each in outer), (rows[op], size)]
        op.properties["schedule"] = tensor.ScheduleAttr.of([TileAndFuse.of(fused)])


def bytes_per_row(computes: Sequence[tensor.ComputeOp], outer: Sequence[CommonDim], rows: CommonDim) -> int:
    """Bytes of the intermediate tensors for one of the `rows`, at one position of the `outer` dimensions."""
    per_row, over = 0, written_over([FusedGroup(tuple(computes))])
    for op in computes[:-1]:
        elements = prod(op.parallel_sizes) // prod(op.sizes[each[op]] for each in [*outer, rows])
        per_row += elements * sum(size_in_bytes(tensor.element_type(value)) for value in op.res if value not in over)
    return per_row
