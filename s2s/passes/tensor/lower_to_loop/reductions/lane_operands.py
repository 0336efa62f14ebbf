"""Load the operands of instructions that multiply and add a group per lane: four bytes, or two numbers of 16 bits.

The constant is packed so that the groups of neighbouring lanes are contiguous; its bytes are widened where the
instruction takes 16 bits. The other factor is either the same for all lanes, with its group contiguous, or differs by
lane, with lanes contiguous.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i8, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.dot_groups import run_of, strides
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.products import check_zero_point, products_of
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint
from s2s.types.affine import Linear, at_dims, coefficient, delinearize, linear, simplify
from s2s.types.hints import isa

FLIP = -0x7F7F7F80
"""128 in each byte of a group."""
LOWER = {loop.GROUP: 0x0F0F0F0F, loop.PAIR: 0x000F000F}
"""The lower half of each byte of a group, widened where two fill a lane."""

Made = dict[tuple[object, ...], SSAValue]
"""Groups that have been loaded, by their key."""


class LaneOperands:
    """Both factors of a sum of products, of which groups of steps are loaded."""

    def __init__(self, nest: NestState) -> None:
        self.nest, self.op, self.schedule, self.reads = nest, nest.op, nest.schedule, nest.reads
        self.emitter = nest.emitter
        products = products_of(nest)
        self.group = self.schedule.group
        """The steps of a group."""
        half = None if products.half is None else nest.tile.blocks + products.half
        w = next((read for read in (0, 1) if self._lane_distance(read) == self.group), None)
        if w is None:
            raise CompilerBug(
                f"no factor holds the {self.group} elements of a group, lane by lane, along dimension "
                f"{self.schedule.vector_dim}; the verifier refuses that"
            )
        self.x, self.w = products.other(w).read, w
        if nest.plan is not None and nest.plan.read != self.x:
            raise CompilerBug("the copy is of the constant; the verifier refuses that")
        check_zero_point(self.schedule, products, self.x)
        if nest.plan is not None and nest.plan.is_rows:
            self.grouped, self.step = tuple(range(self.op.rank, len(self.op.sizes))), 1
        else:
            extents = shape_of(self.op.reads[self.x]) if nest.plan is None else nest.plan.extents
            moves = strides(self.op, self.x, extents)
            order = [dim for dim in self.schedule.order if dim != half]
            self.grouped = run_of(self.op, order, moves)
            self.step = moves[self.grouped[-1]] if self.grouped else 1
        offset = products.factor_of(w).offset
        adds = self.group == loop.PAIR and half is None
        self.added = offset if adds else 0
        """What is added to each element of the constant as it is widened to 16 bits."""
        self.offset = offset - self.added
        """What each element of the constant lacks of the factor."""
        self.half = half
        """The dimension that says which half of each byte of the constant is taken."""
        if products.factor_of(w).half != products.half:
            raise CompilerBug("halves of bytes are no constant; the verifier refuses that")

    @property
    def copied(self) -> CopiedOperand | None:
        """The copy of the factor that is no constant."""
        return self.nest.copied

    @property
    def steps(self) -> int:
        """Number of steps in the dimensions that are reduced by groups."""
        return prod(self.op.sizes[dim] for dim in self.grouped)

    def _lane_distance(self, read: int) -> int | None:
        """Distance in elements of neighbouring lanes in the first vector: a group, for the packed constant."""
        dim, lanes = self.schedule.vector_dim, self.schedule.lanes
        box = [(0, lanes - 1) if each == dim else (0, 0) for each in range(len(self.op.sizes))]
        operand = self.reads[read]
        here: list[AffineExpr] = [AffineDimExpr(each) for each in range(len(self.op.sizes))]
        assert dim is not None
        return coefficient(operand.position(here), dim, box)

    def factor_of(self, point: TilePoint) -> tuple[int, ...]:
        """Return a key that differs for points of a tile that read different elements of the non-constant factor."""
        results = self.op.read_accesses[self.x].map.data.results
        used = {dim for expr in results for dim in expr.used_dims()}
        return tuple(offset if dim in used else 0 for dim, offset in enumerate(point.offsets))

    def at(self, point: TilePoint) -> list[AffineExpr]:
        """Return the position in the domain of the first step, for the first lane of `point`."""
        offsets = [*point.offsets, *[0] * (len(self.nest.dims) - len(point.offsets))]
        return [expr + offset if offset else expr for expr, offset in zip(self.nest.dims, offsets, strict=True)]

    def _step_at(self, point: TilePoint, k: AffineExpr, lane: int = 0) -> list[AffineExpr]:
        """Return the position in the domain of step `k`."""
        dims = self.at(point)
        for dim, expr in zip(self.grouped, delinearize(k, [self.op.sizes[dim] for dim in self.grouped]), strict=True):
            dims[dim] = expr
        if lane:
            assert point.vector_dim is not None
            dims[point.vector_dim] = dims[point.vector_dim] + lane
        return dims

    def constants(self, point: TilePoint, k: AffineExpr, count: int, made: Made) -> SSAValue:
        """Load the groups of the constant for the lanes of `point`, whose first `count` steps count."""
        read = self.w
        place = self._constant_place(point, k)
        key = (read, str(place.to_expr()))
        if key not in made:
            if not any(known[0] == read for known in made):
                self._check(point, k, place)
            groups = self._load(self.reads[read].buffer, place.to_expr(), point.lanes, self.group, 1, self.group)
            made[key] = self._plus_offset(groups, point.lanes, count) if self.added else groups
        return made[key] if self.half is None else self._half_bytes(made[key], point.lanes)

    def _plus_offset(self, pairs: SSAValue, lanes: int, count: int) -> SSAValue:
        """Add the offset to the first `count` numbers of each pair; behind them the constant holds zeros."""
        low = self.added & 0xFFFF
        both = low | (self.added << 16 if count == loop.PAIR else 0)
        amount = self.emitter.constant(IntegerAttr(both, i32))
        amount.name_hint = "offsets"
        offsets = self.emitter.splat(amount, lanes)
        return self.emitter.add(loop.AddPairsOp(pairs, offsets), self.reads[self.w].buffer.name_hint).result

    def _half_bytes(self, groups: SSAValue, lanes: int) -> SSAValue:
        """Return one half of each byte of the groups."""
        assert self.half is not None
        part = self.nest.dims[self.half]
        if not isinstance(part, AffineConstantExpr):
            raise CompilerBug(f"dimension {self.half} takes halves of bytes in a loop; the verifier refuses that")
        if part.value:
            count = self.emitter.splat(self.emitter.constant(IntegerAttr(4 * part.value, i32)), lanes)
            groups = self.emitter.add(arith.ShRSIOp(groups, count)).result
        mask = self.emitter.splat(self.emitter.constant(IntegerAttr(LOWER[self.group], i32)), lanes)
        return self.emitter.add(arith.AndIOp(groups, mask), self.reads[self.w].buffer.name_hint).result

    def _constant_place(self, point: TilePoint, k: AffineExpr, lane: int = 0, step: int = 0) -> Linear:
        space = self.emitter.space
        variable = AffineDimExpr(len(space.loops))
        rounded = -(-self.steps // self.group) * self.group
        expr = self.reads[self.w].position(self._step_at(point, variable, lane))
        expr = simplify(expr, [*space.bound, (0, rounded - 1)])
        outer: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(space.loops))]
        return space.linear(at_dims(expr, [*outer, k + step]))

    def _check(self, point: TilePoint, k: AffineExpr, place: Linear) -> None:
        """Check that the groups of all lanes are contiguous."""
        for lane, step in ((point.lanes - 1, 0), (0, self.group - 1), (min(1, point.lanes - 1), 0)):
            behind = self._constant_place(point, k, lane, step).plus(place, -1)
            if behind.terms or behind.constant != lane * self.group + step:
                raise CompilerBug(
                    f"step {step} of lane {lane} is not {lane * self.group + step} bytes behind the first of a "
                    "group; the verifier refuses that"
                )

    def factor(self, point: TilePoint, k: AffineExpr, count: int, made: Made) -> SSAValue:
        """Load the groups of the non-constant factor."""
        dims = self._step_at(point, AffineConstantExpr(0))
        operand = self.reads[self.x]
        if self.copied is not None:
            buffer, position = self.copied.buffer, self.copied.position(dims) + k * self.step
        else:
            buffer, position = operand.buffer, operand.position(dims) + k * self.step
        between = self._between(point, dims)
        if (between, self.step) == (0, 1) and self.copied is None and count < self.group:
            raise CompilerBug(
                f"{self.steps} steps in place are no whole groups of {self.group}; the verifier refuses that"
            )
        form = self.emitter.space.linear(position)
        key = (self.x, str(form.to_expr()))
        if key not in made:
            columns = (self.step, count) if between else (1, self.group)
            made[key] = self._load(buffer, form.to_expr(), point.lanes, between, *columns)
            if self.schedule.is_unsigned and self.copied is None:
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
        position = self.reads[self.x].position(along) if self.copied is None else self.copied.position(along)
        between = linear(position, [*space.bound, (0, point.lanes - 1)]).terms.get(lane, 0)
        if between == 1 and self.group == loop.PAIR:
            raise CompilerBug(f"lanes of read {self.x} differ, and columns are of bytes; the verifier refuses that")
        if between not in (0, 1) or (between == 0 and self.step != 1):
            raise CompilerBug(
                f"lanes {between} and steps {self.step} elements apart in read {self.x} make no groups; the "
                "verifier refuses that"
            )
        return between

    def _load(
        self, buffer: SSAValue, position: AffineExpr, lanes: int, between: int, stride: int, count: int
    ) -> SSAValue:
        last = self.emitter.space.highest(position) + (lanes - 1) * between + (count - 1) * stride
        assert isa(buffer.type, MemRefType)
        if last >= buffer.type.get_shape()[0]:
            raise CompilerBug(f"groups of {lanes} lanes reach behind {buffer.name_hint}; the verifier refuses that")
        affine_map, indices = self.emitter.space.emit(position)
        groups = loop.LoadGroupsOp(
            buffer,
            affine_map,
            indices,
            lanes,
            lane_stride=between,
            stride=stride,
            count=count,
            widened=self.group == loop.PAIR and buffer.type.element_type == i8,
        )
        return self.emitter.add(groups, buffer.name_hint).result
