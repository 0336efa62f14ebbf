"""Emit the reduction of a register tile with instructions that multiply and add groups of four bytes per lane.

    acc[o] += x[k] * w[o][k] + … + x[k + 3] * w[o][k + 3]        for every lane o

The constant is packed so that the groups of neighbouring lanes are contiguous. The other factor is either the same for
all lanes, with its four bytes contiguous (a convolution, a fully connected layer), or differs by lane, with lanes
contiguous (a depthwise convolution). If the last group of a run is partial, the constant holds zeros in it.

The zero point of a constant is not subtracted from its elements; the sum of the other factor, times that offset, is
added at the end.

    sum over k of x[k] * (w[o][k] + offset)  =  sum over k of x[k] * w[o][k]  +  offset * sum over k of x[k]
"""

from collections.abc import Sequence
from dataclasses import field
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.utils.hints import isa

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.dot_groups import run_of, strides
from s2s.analysis.structure.products import ProductSum
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug, ScheduleError
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried, Emitter
from s2s.passes.tensor.lower_to_loop.products import check_zero_point
from s2s.passes.tensor.lower_to_loop.stage_plan import StagedOperand
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.support.dataclass import dataclass
from s2s.types.affine import Linear, bounds, coefficient, delinearize, linear, simplify

GROUP = loop.GROUP
FLIP = -0x7F7F7F80
"""128 in each byte of a group."""
ONES = 0x01010101
"""1 in each byte of a group."""

Made = dict[tuple[object, ...], SSAValue]
"""Groups that have been loaded, by their key."""


@dataclass
class GroupReduction:
    """Emits the sums of products of the points of a tile, where each point is a vector of results."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    emitter: Emitter
    products: ProductSum
    reads: Sequence[Operand]
    points: Sequence[Operand]
    staged: StagedOperand | None
    dims: list[AffineExpr]
    """The position of the tile; reduction dimensions are at 0."""
    intrinsic: loop.IntrinsicAttr = field(init=False)
    run: tuple[int, ...] = field(init=False)
    x: int = field(init=False)

    def __post_init__(self) -> None:
        if self.schedule.intrinsic is None:
            raise CompilerBug("sums in groups want an intrinsic; add tensorize to the schedule")
        self.intrinsic = self.schedule.intrinsic
        w = next((read for read in (0, 1) if self._lane_distance(read) == GROUP), None)
        if w is None:
            raise ScheduleError(
                f"no factor holds the {GROUP} bytes of a group, lane by lane, along dimension "
                f"{self.schedule.vector_dim}; pack the constant so with cache_read"
            )
        self.x = self.products.other(w).read
        if self.staged is not None and self.staged.plan.read != self.x:
            raise ScheduleError(f"the copy is of the constant; copy read {self.x}")
        check_zero_point(self.schedule, self.products, self.x)
        x = self.op.reads[self.x]
        order = list(self.schedule.order)
        if self.staged is not None and self.staged.plan.is_rows:
            self.run, self.step = tuple(dim for dim in range(self.op.rank, len(self.op.sizes))), 1
        else:
            extents = shape_of(x) if self.staged is None else self.staged.plan.extents
            moves = strides(self.op, self.x, extents)
            self.run = run_of(self.op, order, moves)
            self.step = moves[self.run[-1]] if self.run else 1
        self.offset = self.products.factor_of(w).offset

    def _lane_distance(self, read: int) -> int | None:
        """Distance in elements of neighbouring lanes in the first vector: a group, for the packed constant."""
        dim, lanes = self.schedule.vector_dim, self.schedule.lanes
        box = [(0, lanes - 1) if each == dim else (0, 0) for each in range(len(self.op.sizes))]
        operand = self.reads[read]
        here: list[AffineExpr] = [AffineDimExpr(each) for each in range(len(self.op.sizes))]
        assert dim is not None
        return coefficient(operand.position(here), dim, box)

    @property
    def steps(self) -> int:
        """Number of steps in a run, the dimensions that are reduced by groups."""
        return prod(self.op.sizes[dim] for dim in self.run)

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        """Emit the reduction; return one vector of sums per point."""
        factors = dict.fromkeys(map(self._factor_of, points)) if self.offset else {}
        accumulators = Carried([*self._starts(points), *self._zeros(points[0].lanes, len(factors))])
        inner = set(self.run)
        outer = [dim for dim in self.schedule.order if dim >= self.op.rank and dim not in inner]
        self._outer([dim for dim in outer if self.op.sizes[dim] > 1], points, accumulators, {})
        sums = accumulators.values[: len(points)]
        if not factors:
            return sums
        totals = dict(zip(factors, accumulators.values[len(points) :], strict=True))
        offset = self.emitter.splat(self.emitter.constant(IntegerAttr(self.offset, i32)), points[0].lanes)
        for factor, total in totals.items():
            totals[factor] = self.emitter.add(arith.MuliOp(total, offset), "more").result
        return [
            self.emitter.add(arith.AddiOp(acc, totals[self._factor_of(point)]), f"acc{point.label}").result
            for acc, point in zip(sums, points, strict=True)
        ]

    def _factor_of(self, point: TilePoint) -> tuple[int, ...]:
        """A key that differs for points of a tile that read different elements of the non-constant factor."""
        results = self.op.read_accesses[self.x].map.data.results
        used = {dim for expr in results for dim in expr.used_dims()}
        return tuple(offset if dim in used else 0 for dim, offset in enumerate(point.offsets))

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
                dims = self._at(point)[: len(point.offsets)]
                value = loads.load(self.points[self.schedule.init_from], dims, point)
            value.name_hint = value.name_hint or "acc"
            values.append(value)
        return values

    # the loops over the other reduction dimensions

    def _outer(self, dims: Sequence[int], points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        if not dims:
            self._run(points, accumulators, made)
            return
        dim, before = dims[0], self.dims[dims[0]]
        if self.schedule.tiles[dim] >= self.op.sizes[dim]:
            for step in range(self.op.sizes[dim]):
                self.dims[dim] = AffineConstantExpr(step)
                self._outer(dims[1:], points, accumulators, made)
        else:
            with self.emitter.loop(Bounds(0, self.op.sizes[dim]), f"k{dim}", accumulators) as variable:
                self.dims[dim] = variable
                self._outer(dims[1:], points, accumulators, {})
        self.dims[dim] = before

    # one run

    def _run(self, points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        """Emit the whole groups in a loop, unrolled as the tiles say, and the rest after it."""
        wished = prod(self.schedule.tiles[dim] for dim in self.run) // GROUP * GROUP
        whole = self.steps // GROUP * GROUP
        at_once = min(max(wished, GROUP), max(whole, GROUP))
        looped = whole // at_once * at_once
        if looped > at_once:
            with self.emitter.loop(Bounds(0, looped, at_once), "k", accumulators) as k:
                inside: Made = {}
                for offset in range(0, at_once, GROUP):
                    self._group(k + offset, GROUP, points, accumulators, inside)
        else:
            looped = 0
        for start in range(looped, self.steps, GROUP):
            count = min(GROUP, self.steps - start)
            self._group(AffineConstantExpr(start), count, points, accumulators, made)

    def _group(self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried, made: Made) -> None:
        w = self.products.other(self.x).read
        for number, point in enumerate(points):
            constants = self._constants(w, point, k, made)
            x = self._factor(point, k, count, made)
            acc = accumulators.values[number]
            dot = loop.IntrinsicOp(self.intrinsic, acc, x, constants)
            accumulators.values[number] = self.emitter.add(dot, f"acc{point.label}").result
        if self.offset:
            self._add_factors(k, count, points, accumulators, made)

    def _add_factors(
        self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried, made: Made
    ) -> None:
        """Sum the non-constant factor itself, as products with ones."""
        ones = self.emitter.constant(IntegerAttr(ONES & ((1 << 8 * count) - 1), i32))
        ones.name_hint = "ones"
        ones = self.emitter.splat(ones, points[0].lanes)
        first = {self._factor_of(point): point for point in reversed(points)}
        for number, factor in enumerate(dict.fromkeys(map(self._factor_of, points)), len(points)):
            x = self._factor(first[factor], k, count, made)
            dot = loop.IntrinsicOp(self.intrinsic, accumulators.values[number], x, ones)
            accumulators.values[number] = self.emitter.add(dot, f"sum{first[factor].label}").result

    # positions

    def _at(self, point: TilePoint) -> list[AffineExpr]:
        """The position in the domain of the first step of the run, for the first lane of `point`."""
        offsets = [*point.offsets, *[0] * (len(self.dims) - len(point.offsets))]
        return [expr + offset if offset else expr for expr, offset in zip(self.dims, offsets, strict=True)]

    def _step_at(self, point: TilePoint, k: AffineExpr, lane: int = 0) -> list[AffineExpr]:
        """The position in the domain of step `k`."""
        dims = self._at(point)
        for dim, expr in zip(self.run, delinearize(k, [self.op.sizes[dim] for dim in self.run]), strict=True):
            dims[dim] = expr
        if lane:
            assert point.vector_dim is not None
            dims[point.vector_dim] = dims[point.vector_dim] + lane
        return dims

    # loads

    def _constants(self, read: int, point: TilePoint, k: AffineExpr, made: Made) -> SSAValue:
        """Load the groups of the constant for the lanes of `point`."""
        place = self._constant_place(read, point, k)
        key = (read, str(place.to_expr()))
        if key not in made:
            if not any(known[0] == read for known in made):
                self._check(read, point, k, place)
            made[key] = self._load(self.reads[read].buffer, place.to_expr(), point.lanes, GROUP)
        return made[key]

    def _constant_place(self, read: int, point: TilePoint, k: AffineExpr, lane: int = 0, step: int = 0) -> Linear:
        space = self.emitter.space
        variable = AffineDimExpr(len(space.loops))
        rounded = -(-self.steps // GROUP) * GROUP
        expr = self.reads[read].position(self._step_at(point, variable, lane))
        expr = simplify(expr, [*space.bound, (0, rounded - 1)])
        outer: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(space.loops))]
        return space.linear(expr.replace_dims_and_symbols([*outer, k + step], ()))

    def _check(self, read: int, point: TilePoint, k: AffineExpr, place: Linear) -> None:
        """Check that the groups of all lanes are contiguous."""
        for lane, step in ((point.lanes - 1, 0), (0, GROUP - 1), (min(1, point.lanes - 1), 0)):
            behind = self._constant_place(read, point, k, lane, step).plus(place, -1)
            if behind.terms or behind.constant != lane * GROUP + step:
                raise ScheduleError(
                    f"step {step} of lane {lane} is not {lane * GROUP + step} bytes behind the first of a group; pack "
                    "the constant so with cache_read"
                )

    def _factor(self, point: TilePoint, k: AffineExpr, count: int, made: Made) -> SSAValue:
        """Load the groups of the non-constant factor."""
        dims = self._step_at(point, AffineConstantExpr(0))
        operand = self.reads[self.x]
        if self.staged is not None:
            buffer, position = self.staged.buffer, self.staged.position(dims) + k * self.step
        else:
            buffer, position = operand.buffer, operand.position(dims) + k * self.step
        between = self._between(point, dims)
        if (between, self.step) == (0, 1) and self.staged is None and count < GROUP:
            raise ScheduleError(
                f"{self.steps} steps in place are no whole groups of {GROUP}; copy read {self.x} with cache_read"
            )
        form = self.emitter.space.linear(position)
        key = (self.x, str(form.to_expr()))
        if key not in made:
            columns = (self.step, count) if between else (1, GROUP)
            made[key] = self._load(buffer, form.to_expr(), point.lanes, between, *columns)
            if self.schedule.is_unsigned and self.staged is None:
                flip = self.emitter.constant(IntegerAttr(FLIP, i32))
                flip.name_hint = "flip"
                flip = self.emitter.splat(flip, point.lanes)
                made[key] = self.emitter.add(arith.XOrIOp(made[key], flip), operand.buffer.name_hint).result
        return made[key]

    def _between(self, point: TilePoint, dims: Sequence[AffineExpr]) -> int:
        """Distance of neighbouring lanes in the non-constant factor: 0 for the same element, 1 if contiguous."""
        space = self.emitter.space
        lane = AffineDimExpr(len(space.loops))
        along = [expr + lane if dim == point.vector_dim else expr for dim, expr in enumerate(dims)]
        position = self.reads[self.x].position(along) if self.staged is None else self.staged.position(along)
        between = linear(position, [*space.bound, (0, point.lanes - 1)]).terms.get(lane, 0)
        if between not in (0, 1) or (between == 0 and self.step != 1):
            raise ScheduleError(
                f"lanes {between} and steps {self.step} elements apart in read {self.x} make no groups; reorder the "
                "reductions, or copy it with cache_read"
            )
        return between

    def _load(
        self, buffer: SSAValue, position: AffineExpr, lanes: int, between: int, stride: int = 1, count: int = GROUP
    ) -> SSAValue:
        last = bounds(position, self.emitter.space.bound)[1] + (lanes - 1) * between + (count - 1) * stride
        assert isa(buffer.type, MemRefType)
        if last >= buffer.type.get_shape()[0]:
            raise ScheduleError(
                f"groups of {lanes} lanes reach behind {buffer.name_hint}; pack it in blocks of whole vectors, or "
                "copy it"
            )
        affine_map, indices = self.emitter.space.emit(position)
        groups = loop.LoadGroupsOp(buffer, affine_map, indices, lanes, lane_stride=between, stride=stride, count=count)
        return self.emitter.add(groups, buffer.name_hint).result


__all__ = ["GroupReduction"]
