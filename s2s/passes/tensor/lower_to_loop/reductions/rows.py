"""Emit the reduction of a register tile as dot products of one operand's row with constant rows, four at a time."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.initial import by_block, starts
from s2s.passes.tensor.lower_to_loop.products import check_zero_point, products_of
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.reductions.step_range import StepRange
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.types.affine import delinearize


class RowReduction(TileReduction):
    """Reduces the tile by dot products of rows; each point is four neighbours along the constants' own dimension."""

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        products = products_of(nest)
        w = next((read for read in (products.left.read, products.right.read) if self._has_rows(read)), None)
        if w is None or self._has_rows(x := products.other(w).read):
            raise CompilerBug(
                "one factor of rows moves along the vector, the other one does not; the verifier refuses that"
            )
        if products.factor_of(w).offset:
            raise CompilerBug("the constants of rows have a zero point; the verifier refuses that")
        if nest.plan is not None and (nest.plan.read != x or not nest.plan.is_rows):
            raise CompilerBug(f"read {x} is no row in its copy; the verifier refuses that")
        check_zero_point(self.schedule, products, x)
        self.x, self.w = self.reads[x], self.reads[w]
        self.in_halves = nest.schedule.form == "dot_half_rows"
        if self.in_halves and (
            nest.blocks.keys() & set(range(self.op.rank, len(self.op.sizes))) or nest.plan is not None
        ):
            raise CompilerBug("rows of halves of bytes are not whole, or not in place; the verifier refuses that")

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.form in ("dot_rows", "dot_half_rows", "dot_group")

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        if self.schedule.form == "dot_group":
            return self._groups(points)
        return [self._sum(point, self.x, self.w) for point in points]

    def _groups(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        """Return the sums of rows of one group, whose constants the points of a tile share."""
        intrinsic, sums = self.schedule.intrinsic, starts(self.nest, points)
        assert intrinsic is not None
        loads: dict[tuple[SSAValue, str], SSAValue] = {}
        for number, (point, acc) in enumerate(zip(points, sums, strict=True)):
            factors: list[SSAValue] = []
            first = self._at(point, AffineConstantExpr(0))
            for operand, rows in ((self.x, 1), (self.w, self.schedule.lanes)):
                place = self.emitter.space.linear(operand.position(first))
                key = operand.buffer, str(place.to_expr())
                if key not in loads:
                    self._check_rows(operand, point, self.schedule.group, rows)
                    loads[key] = self.load_group(operand.buffer, place, rows * self.schedule.group)
                factors.append(loads[key])
            sums[number] = self.emitter.add(loop.IntrinsicOp(intrinsic, acc, *factors), acc.name_hint).result
        return sums

    def _has_rows(self, read: int) -> bool:
        """Return whether the lanes of a point read different rows of the operand, as they do of the constant."""
        results = self.op.read_accesses[read].map.data.results
        return any(self.schedule.vector_dim in expr.used_dims() for expr in results)

    def _sum(self, point: TilePoint, x: Operand, w: Operand) -> SSAValue:
        intrinsic, lanes = self.schedule.intrinsic, self.schedule.lanes
        if intrinsic is None:
            raise CompilerBug("sums of rows want an intrinsic; add tensorize to the schedule")
        block = StepRange.of(self.nest, range(self.op.rank, len(self.op.sizes)), self.schedule.group)
        first = self._at(point, block.start)
        steps = block.steps(prod(self.op.reduction_sizes))
        if self.copied is not None:
            buffer, start, steps = self.copied.buffer, self.copied.position(first), self.copied.plan.steps
        else:
            buffer, start = x.buffer, x.position(first)
            self._check_rows(x, point, steps, 1)
        self._check_rows(w, point, steps, lanes)
        affine_map, indices = self.emitter.space.emit(start, w.position(first))
        rows = loop.IntrinsicRowsOp(intrinsic, buffer, w.buffer, affine_map, indices, steps=steps, lanes=lanes)
        total = self.emitter.add(rows, f"acc{point.label}").result
        initial = None if self.schedule.init_from is None else self.nest.epilogue[self.schedule.init_from]
        parallel = first[: len(point.offsets)]

        def in_first_block() -> list[SSAValue]:
            if initial is None:
                return [total]
            return [self._added(total, Loads(self.emitter).load(initial, parallel, point))]

        def in_later_blocks() -> list[SSAValue]:
            return [self._added(total, *self.nest.partials.load([point], self.dims))]

        (acc,) = by_block(self.nest, in_first_block, in_later_blocks)
        return acc

    def _check_rows(self, operand: Operand, point: TilePoint, steps: int, rows: int) -> None:
        """Check that the steps of one row lie side by side, or of several in groups."""
        for row in range(rows):
            moved = point._replace(offsets=self._moved(point, row))
            self._check(operand, point, moved, range(steps) if rows == 1 else self._places(steps, row))

    def _places(self, steps: int, row: int) -> list[int]:
        """Return how far the constant of each step of a row lies behind the first one of the first row."""
        group, lanes = self.schedule.group, self.schedule.lanes
        count = steps // 2 if self.in_halves else steps
        return [k // group * lanes * group + row * group + k % group for k in (step % count for step in range(steps))]

    def _added(self, total: SSAValue, start: SSAValue) -> SSAValue:
        return self.emitter.add(arith.AddiOp(total, start), total.name_hint).result

    def _moved(self, point: TilePoint, lane: int) -> tuple[int, ...]:
        assert point.vector_dim is not None
        return tuple(offset + lane * (dim == point.vector_dim) for dim, offset in enumerate(point.offsets))

    def _at(self, point: TilePoint, k: AffineExpr) -> list[AffineExpr]:
        """Return the position of `point` in the domain at step `k`."""
        rank = len(point.offsets)
        parallel = [expr + offset for expr, offset in zip(self.dims[:rank], point.offsets, strict=True)]
        return [*parallel, *delinearize(k, self.op.reduction_sizes)]

    def _check(self, operand: Operand, start: TilePoint, point: TilePoint, places: Sequence[int]) -> None:
        """Check that step `k` of `point` is `places[k]` elements after the first element of `start`."""
        space = self.emitter.space
        origin = space.linear(operand.position(self._at(start, AffineConstantExpr(0))))
        for k, place in enumerate(places[: prod(self.op.reduction_sizes)]):
            behind = space.linear(operand.position(self._at(point, AffineConstantExpr(k)))).plus(origin, -1)
            if behind.terms or behind.constant != place:
                raise CompilerBug(
                    f"step {k} of a row is not {place} elements behind its first one; the verifier refuses that"
                )


__all__ = ["RowReduction"]
