"""Emit the loop nest of one computation as its schedule says: the loops around its register tiles."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds, holds_all
from s2s.analysis.affine.pieces import Piece
from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.structure.overwriting import may_overwrite
from s2s.analysis.tile_and_fuse.tiles import ComputeTile
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.passes.tensor.lower_to_loop.operand_copies import CopyEmitter
from s2s.passes.tensor.lower_to_loop.products import check_zero_point
from s2s.passes.tensor.lower_to_loop.reductions import TileReduction, reduction_of
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import tile_points
from s2s.types.affine import bounds


class Nest(NestState):
    """The loops over the parallel dimensions of a computation, and the register tile inside of them."""

    @staticmethod
    def of(
        tile: ComputeTile,
        buffers: dict[SSAValue, SSAValue],
        emitter: Emitter,
        plan: CopyPlan | None = None,
        scratch: Sequence[SSAValue] = (),
    ) -> "Nest":
        """Return the nest of `tile`; `scratch` holds the copies that `plan` makes, and partial results."""
        if tile.op.schedule is None:
            raise CompilerBug("tensor-lower-to-loop needs a schedule on every tensor.compute; run tensor-pick-schedule")
        nest = Nest(tile, tile.op.schedule.on(tile.op), buffers, emitter, plan, scratch)
        if plan is not None:
            check_zero_point(nest.schedule, plan.products, plan.read)
        for directive in tile.op.schedule.directives:
            directive.lower(nest)
        return nest

    @cached_property
    def reduction(self) -> TileReduction:
        """The way to reduce the register tiles."""
        found = reduction_of(self)
        if not found.takes_varying_sizes and any(dim >= self.op.rank for dim in self.tile.varying):
            raise CompilerBug(
                "a reduction of varying size is done step by step or as a fold; the verifier refuses that"
            )
        if any(dim in self.tile.varying and dim >= self.op.rank for dim, _ in self.schedule.blocks):
            raise CompilerBug("tile blocks a reduction of varying size; the verifier refuses that")
        return found

    def emit(self, opened: Sequence[AffineExpr] = ()) -> None:
        """Emit the whole nest; `opened` are the positions of the first dimensions, set by the loops over blocks."""
        self.dims[: len(opened)] = opened
        with ExitStack() as stack:
            ends = {dim: end for dim in range(self.op.rank) if (end := self.end(dim)) is not None}
            opened_blocks = self.emitter.blocks(stack, self.schedule, self.names, ends)
            self.blocks = {block.dim: block for block in opened_blocks}
            self.partials.enter(opened_blocks)
            if self.plan is not None:
                self._copies(self.plan).fill_margins()
            self._parallel([dim for dim in self.schedule.order if len(opened) <= dim < self.op.rank])

    def _parallel(self, order: Sequence[int]) -> None:
        if self.plan is not None and self.op.rank - len(order) == self.plan.depth:
            start = [*self.dims[: self.op.rank], *self.block_start()]
            self.copied = self._copies(self.plan).emit(start, [piece.tile for piece in self.pieces])
        if not order:
            self._tile()
            return
        for piece in self._cut(order[0]):
            with self._piece(order[0], piece):
                self._parallel(order[1:])

    def _copies(self, plan: CopyPlan) -> CopyEmitter:
        return CopyEmitter(plan, self.emitter, self.reads[plan.read].buffer, self.scratch[0], self.names)

    def _cut(self, dim: int) -> list[Piece]:
        """Split a parallel dimension into pieces. Guards of reads matter only where a tile would straddle them.

        A tile may reach beyond a size that varies: there it computes from old values what nobody reads. Where old
        values do harm, as in divisions of integers, positions are taken one by one.
        """
        if dim in self.tile.varying and self.bodies.is_partial:
            return [Piece(0, self.op.sizes[dim], 1)]
        return self.cuts.along(dim, self.box, overlap=self._may_repeat(dim))

    def _may_repeat(self, dim: int) -> bool:
        """Return whether points along `dim` may be computed twice, by tiles at any position: no result overwrites an
        operand, and no operand is packed in tiles of this dimension."""
        if self.blocks or self._overwrites:
            return False
        along = moves(self.op, dim)
        return None not in (*along.reads, *along.epilogue)

    @cached_property
    def _overwrites(self) -> bool:
        """Whether the result may take the place of an operand."""
        whole = self.tile.whole
        return any(may_overwrite(whole, value) for value in whole.epilogue)

    @contextmanager
    def _piece(self, dim: int, piece: Piece) -> Generator[None]:
        before = self.dims[dim], self.box[dim], self.pieces[dim]
        self.pieces[dim] = piece
        self.box[dim] = (piece.start, piece.stop - 1)
        with ExitStack() as stack:
            if piece.count == 1 and dim not in self.blocks and not self._may_be_beyond(dim, piece):
                self.dims[dim] = AffineConstantExpr(piece.start)
            else:
                limits = self._loop_bounds(dim, piece)
                parallel = self.schedule.divides_tiles(dim)
                strips = dim == self.schedule.strip_dim
                around = self.emitter.loop(limits, self.names[dim], parallel=parallel, strips=strips)
                self.dims[dim] = stack.enter_context(around)
            yield
        self.dims[dim], self.box[dim], self.pieces[dim] = before

    def _loop_bounds(self, dim: int, piece: Piece) -> Bounds:
        limits, end = self._fixed_bounds(dim, piece), self.end(dim)
        return limits if end is None else limits._replace(upper=(*limits.upper, end))

    def _may_be_beyond(self, dim: int, piece: Piece) -> bool:
        """Return whether `piece` may begin beyond the end of a dimension of varying size."""
        end = self.end(dim)
        return end is not None and bounds(end, self.emitter.space.bound)[0] <= piece.start

    def _fixed_bounds(self, dim: int, piece: Piece) -> Bounds:
        if dim not in self.blocks:
            return Bounds(piece.start, piece.stop, piece.tile, *self.tile.inside(dim, self.dims))
        base, size = self.blocks[dim].base, self.blocks[dim].size
        first = base
        if piece.start % self.schedule.tiles[dim]:
            # A block computes the tiles that begin in it.
            first = (base - piece.start).ceil_div(piece.tile) * piece.tile + piece.start
        return Bounds(piece.start, piece.stop, piece.tile, (first,), (base + size,))

    def _tile(self) -> None:
        points = tile_points(self.pieces[: self.op.rank])
        accumulators = self.reduction.sums(points)
        sizes = self.op.sizes
        last = [Constraint(block.base + (block.size - sizes[block.dim])) for block in self.blocked_reductions()]
        if holds_all(last, self.emitter.space.bound) is Holds.ALWAYS:
            self.results.write(points, self.dims, accumulators)
            return
        then, otherwise = Block(), Block()
        with self.emitter.inside(then):
            self.results.write(points, self.dims, accumulators)
            then.add_op(loop.YieldOp())
        with self.emitter.inside(otherwise):
            self.partials.store(points, self.dims, accumulators)
            otherwise.add_op(loop.YieldOp())
        self.emitter.when(last, self.emitter.space.identity, Region(then), Region(otherwise), [])
