"""Keep the partial results of a reduction that is done block by block until its next block.

    loop.for %r_block = 0 to 512 step 128 {
      loop.for %i = 0 to 64 {
        acc = 0 in the first block, else partial[i]
        …                                                  // the 128 steps of the block
        partial[i] = acc, but y[i] = apply(acc) in the last block

A single accumulator of the type of the only result waits in that result. Others, like the 32-bit sums of 8-bit results,
wait in scratch: one buffer for each accumulator, with room for the points that a block of the reduction computes. Where
blocks of 16 rows are outside of those of the reduction, these are 16 rows and all columns.
"""

from collections.abc import Sequence
from dataclasses import field
from itertools import takewhile
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.analysis.structure.overwriting import waits_in_result
from s2s.analysis.tile_and_fuse.tiles import ComputeTile
from s2s.dialects import loop, tensor
from s2s.dialects.tensor.compute import attribute_type
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.bodies import Bodies, point_dims
from s2s.passes.tensor.lower_to_loop.emitter import OpenBlock
from s2s.passes.tensor.lower_to_loop.tile import TilePoint
from s2s.support.mutable import mutable
from s2s.types.affine import at_dims, coefficient, flat_index
from s2s.types.dtypes import flat_buffer, vector_of


def blocks_around(schedule: tensor.ScheduleState) -> dict[int, int]:
    """Return the sizes of the innermost blocks of dimensions that are outside of all blocks of reductions. Dimensions
    that threads share are left out, because each thread wants a place of its own."""
    around = takewhile(lambda block: block[0] < schedule.rank, schedule.blocks)
    return {dim: size for dim, size in around if dim not in schedule.parallel}


class PartialPlan(NamedTuple):
    """The scratch buffers of partial results."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    skipped: int
    """The first dimensions, which loop over fused tiles and have one position each."""

    @staticmethod
    def of(tile: ComputeTile) -> "PartialPlan | None":
        """Return the plan of `tile`; None if it needs no scratch for partial results."""
        schedule = None if tile.op.schedule is None else tile.op.schedule.on(tile.op)
        if schedule is None or not schedule.blocked_reductions or waits_in_result(tile.op):
            return None
        return PartialPlan(tile.op, schedule, tile.blocks)

    @property
    def dims(self) -> list[int]:
        """The dimensions along which partial results differ, the one that runs in vectors last."""
        dims = range(self.skipped, self.op.rank)
        return sorted(dims, key=lambda dim: dim == self.schedule.vector_dim)

    @property
    def extents(self) -> list[int]:
        """The room along each of `dims`. Tiles that begin in a block may end behind it where borders cut them."""
        around, tiles, sizes = blocks_around(self.schedule), self.schedule.tiles, self.op.sizes
        return [min(around.get(dim, sizes[dim]) + tiles[dim] - 1, sizes[dim]) for dim in self.dims]

    @property
    def scratch(self) -> list[MemRefType[Attribute]]:
        """The type of the buffer of each accumulator."""
        room = prod(self.extents)
        return [flat_buffer(attribute_type(init), room) for init in self.op.inits]


@mutable
class Partials:
    """Stores and loads the partial results of tiles: in the result if there is no plan, else in `scratch`."""

    bodies: Bodies
    plan: PartialPlan | None
    scratch: Sequence[SSAValue]
    bases: dict[int, AffineExpr] = field(default_factory=dict[int, AffineExpr])
    """The starts of the blocks that are outside of all blocks of reductions."""

    def enter(self, blocks: Sequence[OpenBlock]) -> None:
        """Take note of the current `blocks`, outermost first."""
        if self.plan is not None:
            around = blocks_around(self.plan.schedule)
            rank = self.plan.op.rank
            outside = takewhile(lambda block: block.dim < rank, blocks)
            self.bases = {block.dim: block.base for block in outside if block.dim in around}

    def store(self, points: Sequence[TilePoint], dims: Sequence[AffineExpr], accumulators: Sequence[SSAValue]) -> None:
        """Store the accumulators of a tile for the next block of the reduction."""
        emitter, count = self.bodies.emitter, len(self.bodies.tile.op.inits)
        for number, value in enumerate(accumulators):
            point = points[number // count]
            buffer, place, stride = self._place(number % count, point, dims)
            affine_map, indices = emitter.space.emit(place)
            if point.vector_dim is None:
                emitter.add(loop.StoreOp(value, buffer, affine_map, indices))
            else:
                vector, lanes = emitter.splat(value, point.lanes), _active(point)
                emitter.add(loop.StoreOp(vector, buffer, affine_map, indices, stride=stride, lanes=lanes))

    def load(self, points: Sequence[TilePoint], dims: Sequence[AffineExpr]) -> list[SSAValue]:
        """Load what `store` has stored."""
        emitter, values = self.bodies.emitter, list[SSAValue]()
        for point in points:
            for number, init in enumerate(self.bodies.tile.op.inits):
                buffer, place, stride = self._place(number, point, dims)
                affine_map, indices = emitter.space.emit(place)
                if point.vector_dim is None:
                    load = loop.LoadOp(buffer, affine_map, indices, attribute_type(init))
                else:
                    vector, lanes = vector_of(attribute_type(init), point.lanes), _active(point)
                    load = loop.LoadOp(buffer, affine_map, indices, vector, stride=stride, lanes=lanes)
                values.append(emitter.add(load, f"acc{point.label}").result)
        return values

    def _place(self, number: int, point: TilePoint, dims: Sequence[AffineExpr]) -> tuple[SSAValue, AffineExpr, int]:
        """Return the buffer and the position of accumulator `number` of `point`, and the distance of its lanes."""
        here, tile = point_dims(point, dims), self.bodies.tile
        if self.plan is not None:
            indices = [here[dim] - self.bases[dim] if dim in self.bases else here[dim] for dim in self.plan.dims]
            return self.scratch[number], flat_index(indices, self.plan.extents), 1
        stride = 1 if point.vector_dim is None else coefficient(tile.places[0], point.vector_dim, tile.box)
        if stride is None:
            raise CompilerBug("the lanes of a result are not equally far apart; the verifier refuses that")
        return self.bodies.buffers[tile.op.res[0]], at_dims(tile.places[0], here), stride


def _active(point: TilePoint) -> int | None:
    """Return the number of lanes with a result; None if all have one."""
    return point.active if point.active < point.lanes else None
