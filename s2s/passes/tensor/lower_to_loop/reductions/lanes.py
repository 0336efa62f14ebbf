"""Emit the reduction of a register tile with instructions that multiply and add a group of elements per lane.

    acc[o] += x[k] * w[o][k] + … + x[k + 3] * w[o][k + 3]        for every lane o

The constant is packed so that the groups of neighbouring lanes are contiguous. The other factor is either the same for
all lanes, with its group contiguous (a convolution, a fully connected layer), or differs by lane, with lanes
contiguous (a depthwise convolution). If the last group of a run is partial, the constant holds zeros in it.

The zero point of a constant is subtracted from its elements where these are widened to 16 bits. Elsewhere the sum of
the other factor, times that offset, is added at the end.

    sum over k of x[k] * (w[o][k] + offset)  =  sum over k of x[k] * w[o][k]  +  offset * sum over k of x[k]
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried
from s2s.passes.tensor.lower_to_loop.initial import by_block
from s2s.passes.tensor.lower_to_loop.reductions.lane_operands import LaneOperands, Made
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.reductions.step_range import StepRange
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import Loads, TilePoint, in_turn

ONES = {4: 0x01010101, 2: 0x00010001}
"""1 in each element of a group, by their number."""


class LaneReduction(TileReduction):
    """Reduces the tile by dot products of groups; each point is a vector of results."""

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        if self.schedule.intrinsic is None:
            raise CompilerBug("sums in groups want an intrinsic; add tensorize to the schedule")
        self.intrinsic = self.schedule.intrinsic
        self.operands = LaneOperands(nest)

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.form == "dot_lanes"

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        factors = dict.fromkeys(map(self.operands.factor_of, points)) if self.operands.offset else {}
        load = self.nest.partials.load
        first = by_block(self.nest, lambda: self._starts(points), lambda: load(points, self.dims))
        accumulators = Carried([*first, *self._zeros(points[0].lanes, len(factors))])
        inner = set(self.operands.grouped)
        outer = [dim for dim in self.schedule.order if dim >= self.op.rank and dim not in inner]
        self._outer([dim for dim in outer if self.op.sizes[dim] > 1], points, accumulators, {})
        sums = accumulators.values[: len(points)]
        if not factors:
            return sums
        totals = dict(zip(factors, accumulators.values[len(points) :], strict=True))
        offset = self.emitter.splat(self.emitter.constant(IntegerAttr(self.operands.offset, i32)), points[0].lanes)
        for factor, total in totals.items():
            totals[factor] = self.emitter.add(arith.MuliOp(total, offset), "more").result
        return [
            self.emitter.add(arith.AddiOp(acc, totals[self.operands.factor_of(point)]), f"acc{point.label}").result
            for acc, point in zip(sums, points, strict=True)
        ]

    def _zeros(self, lanes: int, count: int) -> list[SSAValue]:
        return [self.emitter.splat(self.emitter.constant(IntegerAttr(0, i32)), lanes) for _ in range(count)]

    def _starts(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        loads = Loads(self.emitter)
        values: list[SSAValue] = []
        for point in points:
            if self.schedule.init_from is None:
                zero = self.emitter.constant(IntegerAttr(0, i32))
                value = loads.splat(zero, point.lanes)
            else:
                dims = self.operands.at(point)[: len(point.offsets)]
                value = loads.load(self.nest.epilogue[self.schedule.init_from], dims, point)
            value.name_hint = value.name_hint or "acc"
            values.append(value)
        return values

    # the loops over the other reduction dimensions

    def _outer(self, dims: Sequence[int], points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        if not dims:
            self._groups(points, accumulators, made)
            return
        dim, before = dims[0], self.dims[dims[0]]
        if self.schedule.tiles[dim] >= self.op.sizes[dim] and dim not in self.nest.blocks:
            for step in range(self.op.sizes[dim]):
                self.dims[dim] = AffineConstantExpr(step)
                self._outer(dims[1:], points, accumulators, made)
        else:
            bounds = self.nest.in_block(dim, Bounds(0, self.op.sizes[dim]))
            with self.emitter.loop(bounds, f"k{dim}", accumulators) as variable:
                self.dims[dim] = variable
                self._outer(dims[1:], points, accumulators, {})
        self.dims[dim] = before

    # the groups

    def _groups(self, points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        """Emit the whole groups in a loop, unrolled as the tiles say, and the rest after it."""
        group = self.operands.group
        wished = prod(self.schedule.tiles[dim] for dim in self.operands.grouped) // group * group
        steps = StepRange.of(self.nest, self.operands.grouped, group)
        for k, count in steps.emit(self.operands.steps, max(wished, group), accumulators):
            inside = made if isinstance(k, AffineConstantExpr) and steps.block is None else {}
            for offset in range(0, count, group):
                self._group(k + offset, min(group, count - offset), points, accumulators, inside)

    def _group(self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        for number in in_turn(points):
            point = points[number]
            constants = self.operands.constants(point, k, count, made)
            x = self.operands.factor(point, k, count, made)
            acc = accumulators.values[number]
            dot = loop.IntrinsicOp(self.intrinsic, acc, x, constants)
            accumulators.values[number] = self.emitter.add(dot, f"acc{point.label}").result
        if self.operands.offset:
            self._add_factors(k, count, points, accumulators, made)

    def _add_factors(
        self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried, made: Made
    ) -> None:
        """Sum the non-constant factor itself, as products with ones."""
        group = self.operands.group
        ones = self.emitter.constant(IntegerAttr(ONES[group] & ((1 << 32 // group * count) - 1), i32))
        ones.name_hint = "ones"
        ones = self.emitter.splat(ones, points[0].lanes)
        first = {self.operands.factor_of(point): point for point in reversed(points)}
        for number, factor in enumerate(dict.fromkeys(map(self.operands.factor_of, points)), len(points)):
            x = self.operands.factor(first[factor], k, count, made)
            dot = loop.IntrinsicOp(self.intrinsic, accumulators.values[number], x, ones)
            accumulators.values[number] = self.emitter.add(dot, f"sum{first[factor].label}").result
