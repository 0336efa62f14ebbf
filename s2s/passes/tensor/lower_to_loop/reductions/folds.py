"""Emit reductions in vectors along the reduction itself, and in several partial accumulators (rfactor)."""

from collections.abc import Sequence
from contextlib import ExitStack

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.structure.folds import Fold, combining, folds_of
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried
from s2s.passes.tensor.lower_to_loop.initial import by_block, initial
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.reductions.steps import Steps
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint


class FoldReduction(TileReduction):
    """Reduces the tile by a fold whose order is free: a sum, product, maximum or minimum."""

    takes_varying_sizes = True

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        self.steps = Steps(nest)

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        schedule = nest.schedule
        in_lanes = schedule.vector_dim is not None and schedule.vector_dim >= nest.op.rank
        return schedule.partials is not None or in_lanes

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        if self.schedule.partials is not None:
            return self._emit(points, *self.schedule.partials).values
        assert self.schedule.vector_dim is not None
        return self._emit(points, self.schedule.vector_dim, 1).values

    def _emit(self, points: Sequence[TilePoint], dim: int, parts: int) -> Carried:
        """Reduce dimension `dim` in vectors of `lanes`, interleaved over `parts` accumulators.

        Steps that do not fill all accumulators go to one of them, and steps that do not fill a vector go to shorter
        vectors: before each shorter one, the two halves of the accumulator are combined. The last elements are scalars.
        For example, 107 steps in vectors of 16 and 4 parts are 64 steps in four vectors, 32 in one, 8 in half a vector
        and 3 scalars.
        """
        folds = folds_of(self.op)
        if folds is None:
            raise CompilerBug(f"dimension {dim} is no fold that vectors can take in parts; the verifier refuses that")
        whole, lanes = self.op.sizes[dim], self.schedule.lanes
        size = min(whole, self.schedule.block_of.get(dim, whole))
        while lanes > size:
            lanes //= 2
        lanes = lanes if lanes >= loop.MIN_LANES else 1
        if (end := self.nest.end(dim)) is not None:
            return self._emit_varying(points, dim, end, lanes, folds)
        wide = self._along(points, dim, lanes) if lanes > 1 else list(points)
        accumulators, start = self._fold_in_parts(wide, dim, size, lanes, min(parts, size // lanes), folds)
        while lanes >= loop.MIN_LANES:
            stop = size - (size - start) % lanes
            self._fold_range(dim, Bounds(start, stop, lanes), 1, self._along(points, dim, lanes), accumulators)
            start, last = stop, size - stop < loop.MIN_LANES or lanes == loop.MIN_LANES
            combine = loop.ReduceOp if last else loop.HalveOp
            accumulators.values = [
                self.emitter.add(combine(folds[number % len(folds)].kind, value), value.name_hint).result
                for number, value in enumerate(accumulators.values)
            ]
            lanes = 1 if last else lanes // 2
        self._fold_range(dim, Bounds(start, size, 1), 1, points, accumulators)
        self.dims[self.op.rank :] = [AffineConstantExpr(0)] * len(self.op.reduction_sizes)
        return self._with_partials(points, accumulators, folds)

    def _emit_varying(
        self, points: Sequence[TilePoint], dim: int, end: AffineExpr, lanes: int, folds: Sequence[Fold]
    ) -> Carried:
        """Reduce a dimension that ends at `end` in whole vectors, then the rest in scalars."""
        size = self.op.sizes[dim]
        wide = self._along(points, dim, lanes) if lanes > 1 else list(points)
        accumulators = Carried(initial(self.nest, wide))
        if lanes > 1:
            vectors = Bounds(0, size // lanes * lanes, lanes, (), (end - (lanes - 1),))
            self._fold_range(dim, vectors, 1, wide, accumulators)
            accumulators.values = [
                self.emitter.add(loop.ReduceOp(folds[number % len(folds)].kind, value), value.name_hint).result
                for number, value in enumerate(accumulators.values)
            ]
        self._fold_range(dim, Bounds(0, size, 1, (end // lanes * lanes,), (end,)), 1, points, accumulators)
        self.dims[self.op.rank :] = [AffineConstantExpr(0)] * len(self.op.reduction_sizes)
        return accumulators

    def _with_partials(self, points: Sequence[TilePoint], accumulators: Carried, folds: Sequence[Fold]) -> Carried:
        """Combine the results of a block with the results of the blocks before."""

        def combined() -> list[SSAValue]:
            before = self.nest.partials.load(points, self.dims)
            return [
                self.emitter.add(combining(folds[number % len(folds)], *pair), pair[0].name_hint).results[0]
                for number, pair in enumerate(zip(before, accumulators.values, strict=True))
            ]

        return Carried(by_block(self.nest, lambda: accumulators.values, combined))

    def _fold_in_parts(
        self, points: Sequence[TilePoint], dim: int, size: int, lanes: int, parts: int, folds: Sequence[Fold]
    ) -> tuple[Carried, int]:
        """Reduce the steps that fill `parts` vectors, and combine the parts; return the result and the step count."""
        if parts < 2:
            return Carried(initial(self.nest, points)), 0
        apart = [
            point._replace(label=f"{point.label}{'abcdefgh'[part % 8]}") for part in range(parts) for point in points
        ]
        accumulators, width = Carried(initial(self.nest, apart)), len(points) * len(folds)
        stop = size // (lanes * parts) * lanes * parts
        self._fold_range(dim, Bounds(0, stop, lanes * parts), parts, points, accumulators)
        values = accumulators.values
        while len(values) > width:
            count = len(values) // width
            left, right = values[: count // 2 * width], values[-(count // 2) * width :]
            joined = [
                self.emitter.add(combining(folds[number % len(folds)], *pair), pair[0].name_hint).results[0]
                for number, pair in enumerate(zip(left, right, strict=True))
            ]
            values = [*joined, *values[count // 2 * width : len(values) - count // 2 * width]]
        return Carried(values), stop

    def _along(self, points: Sequence[TilePoint], dim: int, lanes: int) -> list[TilePoint]:
        """`points` as vectors along the reduction `dim`."""
        return [point._replace(vector_dim=dim, lanes=lanes, active=lanes) for point in points]

    def _fold_range(
        self, dim: int, steps: Bounds, parts: int, points: Sequence[TilePoint], accumulators: Carried
    ) -> None:
        """Emit `steps` of reduction `dim`, inside loops over the other reductions, each into `parts` accumulators."""
        if steps.start == steps.stop:
            return
        passes = self.schedule.passes
        outer = [other for other in self.schedule.order if other >= self.op.rank and other != dim]
        ranges = [self.nest.in_block(other, self._all_of(other)) for other in outer]
        loops = [*zip(outer, ranges, strict=True), (dim, steps)]
        with ExitStack() as stack:
            for each, bounds in loops:
                self.dims[each] = AffineConstantExpr(bounds.start)
                if bounds.stop - bounds.start > bounds.step or each in self.nest.tile.varying:
                    self.dims[each] = stack.enter_context(
                        self.emitter.loop(bounds, self.nest.names[each], accumulators, unroll=passes.get(each, 1))
                    )
                if each != dim:
                    self.steps.head(each, points)
            if dim in self.nest.blocks:
                self.dims[dim] = self.dims[dim] + self.nest.blocks[dim].base
            base, width = self.dims[dim], len(accumulators.values) // parts
            for part in range(parts):
                own = Carried(accumulators.values[part * width : (part + 1) * width])
                self.dims[dim] = base + part * (steps.step // parts) if part else base
                self.steps.step(points, own)
                accumulators.values[part * width : (part + 1) * width] = own.values

    def _all_of(self, dim: int) -> Bounds:
        """Return the bounds of a whole reduction."""
        end = self.nest.end(dim)
        return Bounds(0, self.op.sizes[dim], 1, (), () if end is None else (end,))
