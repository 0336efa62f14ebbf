"""Emit the reduction of a register tile step by step: one loop for each reduction, in the order of the schedule.

Each step tests the guards that are still open, loads each operand once for all points of the tile, and updates the
accumulators. Loops over reductions are clipped to the steps whose reads are in bounds, and to the current cache block.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.bodies import point_dims
from s2s.passes.tensor.lower_to_loop.clip import clip
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried
from s2s.passes.tensor.lower_to_loop.initial import starts
from s2s.passes.tensor.lower_to_loop.prefetch import Place, Prefetcher
from s2s.passes.tensor.lower_to_loop.products import add_product, cached_element, padding, products_of
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import Loads, TilePoint, in_turn
from s2s.types.affine import at_dims


class Steps:
    """Emits single steps of the reduction of one computation, and the prefetches that go with them."""

    def __init__(self, nest: NestState) -> None:
        self.nest, self.emitter = nest, nest.emitter
        self.prefetcher = Prefetcher(nest.op, nest.schedule, nest.reads, nest.emitter)
        self.clipped: set[Constraint] = set()
        """Guards that hold because the bounds of an enclosing loop are clipped."""

    def head(self, dim: int, points: Sequence[TilePoint]) -> None:
        """Emit what comes first in the body of the loop over reduction `dim`."""
        self.prefetcher.head(dim, points, self._place)

    def step(self, points: Sequence[TilePoint], accumulators: Carried) -> None:
        """Emit the step at the current position for the `points` of the tile."""
        for add in self.nest.before_step:
            add()
        self.prefetcher.step(self._place)
        loads, width = Loads(self.emitter), len(self.nest.op.inits)
        for number in in_turn(points):
            mine = slice(number * width, (number + 1) * width)
            here = point_dims(points[number], self.nest.dims)
            accumulators.values[mine] = self._guarded(points[number], here, loads, accumulators.values[mine])

    @property
    def _place(self) -> Place:
        return Place(self.nest.dims, self.nest.pieces, self.nest.blocks)

    def _guarded(
        self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]
    ) -> list[SSAValue]:
        emitter = self.emitter
        here = [
            Constraint(at_dims(constraint.expr, dims), constraint.modulus)
            for constraint in self.nest.read_guards
            if constraint not in self.clipped
        ]
        states = [constraint.holds(emitter.space.bound) for constraint in here]
        if Holds.NEVER in states:
            return self._outside(point, dims, loads, values)
        undecided = [constraint for constraint, state in zip(here, states, strict=True) if state is Holds.MAYBE]
        if not undecided:
            return self._reduce(point, dims, loads, values)
        then, otherwise = Block(), Block()
        with emitter.inside(then):
            then.add_op(loop.YieldOp(*self._reduce(point, dims, loads.nested(), values)))
        with emitter.inside(otherwise):
            otherwise.add_op(loop.YieldOp(*self._outside(point, dims, loads.nested(), values)))
        identity: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(emitter.space.loops))]
        types = [value.type for value in values]
        results = emitter.when(undecided, identity, Region(then), Region(otherwise), types)
        return _named_as(values, results)

    def _reduce(self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]) -> list[SSAValue]:
        nest, emitter = self.nest, self.emitter
        region, copied, raw = nest.op.reduce, nest.copied, nest.schedule.raw
        assert region is not None
        if copied is not None:
            return self._product(point, dims, loads, (copied.plan.read, cached_element(copied, loads, dims)), values)
        if raw is not None:
            return self._product(point, dims, loads, (raw, loads.load(nest.reads[raw], dims, point)), values)
        arguments = region.block.args
        body = nest.bodies.body(loads, point, dims, arguments, {})
        for argument, operand in zip(arguments, nest.reads, strict=False):
            body.values[argument] = loads.load(operand, dims, point)
        body.values.update(zip(arguments[len(nest.reads) :], values, strict=False))
        return _named_as(values, [emitter.splat(value, point.lanes) for value in body.run(region)])

    def _outside(
        self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]
    ) -> list[SSAValue]:
        """Emit a step whose reads miss an operand: none, unless padding counts as a zero point."""
        raw = self.nest.schedule.raw
        if raw is None:
            return values
        zero_point = padding(self.emitter, products_of(self.nest), raw)
        return self._product(point, dims, loads, (raw, zero_point), values)

    def _product(
        self,
        point: TilePoint,
        dims: list[AffineExpr],
        loads: Loads,
        x: tuple[int, SSAValue],
        values: list[SSAValue],
    ) -> list[SSAValue]:
        return [add_product(self.nest, loads, (dims, point), products_of(self.nest), x, values[0])]


class StepReduction(TileReduction):
    """Reduces the tile in loops over the reductions; any computation can be done so."""

    takes_varying_sizes = True

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        self.steps = Steps(nest)

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return True

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        accumulators = Carried(starts(self.nest, points))
        if self.op.reduce is not None:
            self._loops([dim for dim in self.schedule.order if dim >= self.op.rank], points, accumulators)
        return accumulators.values

    def _loops(self, order: Sequence[int], points: Sequence[TilePoint], accumulators: Carried) -> None:
        """Emit the loops over the reductions `order`, outermost first."""
        if not order:
            self.steps.step(points, accumulators)
            return
        dim, before = order[0], self.dims[order[0]]
        size, tile = self.op.sizes[dim], min(self.schedule.tiles[dim], self.op.sizes[dim])
        if self._decides_fixed(dim):
            tile = size
        end = self.nest.end(dim)
        if end is not None and tile > 1:
            self._counted(dim, tile, end, order[1:], points, accumulators)
            self.dims[dim] = before
            return
        if tile == 1 and size > 1:
            nest = self.nest
            guards = nest.read_guards if nest.schedule.raw is None else []
            bounds, clipped = clip(self.op, dim, guards, nest.box, nest.dims, nest.pieces)
            bounds = self.nest.in_block(dim, bounds)
            if end is not None:
                bounds = bounds._replace(upper=(*bounds.upper, end))
            self.steps.clipped |= clipped
            with self.emitter.loop(bounds, nest.names[dim], accumulators, unroll=self._passes(dim)) as variable:
                self.dims[dim] = variable
                self.steps.head(dim, points)
                self._loops(order[1:], points, accumulators)
            self.steps.clipped -= clipped
        else:
            self._tiled(dim, tile, order[1:], points, accumulators)
        self.dims[dim] = before

    def _counted(
        self,
        dim: int,
        tile: int,
        end: AffineExpr,
        order: Sequence[int],
        points: Sequence[TilePoint],
        accumulators: Carried,
    ) -> None:
        """Emit the loop over a reduction of varying size, `tile` steps at a time up to `end`, and the rest one by
        one."""
        size, name = self.op.sizes[dim], self.nest.names[dim]
        whole = Bounds(0, size // tile * tile, tile, (), (end - (tile - 1),))
        for bounds in (whole, Bounds(0, size, 1, (end // tile * tile,), (end,))):
            with self.emitter.loop(bounds, name, accumulators, unroll=self._passes(dim)) as variable:
                self._unrolled(dim, variable, bounds.step, order, points, accumulators)

    def _tiled(
        self, dim: int, tile: int, order: Sequence[int], points: Sequence[TilePoint], accumulators: Carried
    ) -> None:
        """Emit the loop over reduction `dim` with `tile` steps in its body, and the steps that are left over."""
        size, name = self.op.sizes[dim], self.nest.names[dim]
        full = size // tile * tile
        if full > tile or dim in self.nest.blocks:
            bounds = self.nest.in_block(dim, Bounds(0, full, tile))
            with self.emitter.loop(bounds, name, accumulators, unroll=self._passes(dim)) as variable:
                self._unrolled(dim, variable, tile, order, points, accumulators)
        else:
            self._unrolled(dim, AffineConstantExpr(0), full, order, points, accumulators)
        if dim in self.nest.blocks and full < size:
            rest = self.nest.in_block(dim, Bounds(full, size))
            with self.emitter.loop(rest, name, accumulators) as variable:
                self._unrolled(dim, variable, 1, order, points, accumulators)
        else:
            self._unrolled(dim, AffineConstantExpr(full), size - full, order, points, accumulators)

    def _passes(self, dim: int) -> int:
        """Return the passes of the loop over reduction `dim` that the C compiler is asked to unroll."""
        return self.schedule.passes.get(dim, 1)

    def _unrolled(
        self,
        dim: int,
        base: AffineExpr,
        count: int,
        order: Sequence[int],
        points: Sequence[TilePoint],
        accumulators: Carried,
    ) -> None:
        for offset in range(count):
            self.dims[dim] = base + offset
            self._loops(order, points, accumulators)

    def _decides_fixed(self, dim: int) -> bool:
        """Return whether guards of a fixed piece depend on reduction `dim`, which is then unrolled to decide each
        step."""
        fixed = {d for d, piece in enumerate(self.nest.pieces) if piece.fixed}
        return any(
            dim in used and used & fixed and constraint.holds(self.nest.box) is Holds.MAYBE
            for constraint in self.nest.read_guards
            if (used := constraint.expr.used_dims())
        )


def _named_as(values: Sequence[SSAValue], results: list[SSAValue]) -> list[SSAValue]:
    for result, value in zip(results, values, strict=True):
        result.name_hint = value.name_hint
    return results
