"""Emit the reduction of a register tile as dot products: one loop over all reduction dimensions, several steps each.

One factor is a constant, packed so that the steps of a group are contiguous. The other one is cached in scratch, or is
contiguous as it is. Instructions that widen bytes may reorder them: two factors that are widened here are reordered
alike; if one factor is cached, its numbers are in natural order, and the constant is packed to match.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, i16, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.products import numbered
from s2s.analysis.tile_and_fuse.intrinsic_operands import INTERLEAVED, NATURAL
from s2s.dialects import loop
from s2s.dialects.loop.products import PAIR, WORD
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.emitter import Carried
from s2s.passes.tensor.lower_to_loop.initial import starts
from s2s.passes.tensor.lower_to_loop.products import IN_RANGE, accumulate, offset_of, products_of
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.reductions.step_range import StepRange
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint
from s2s.types.affine import Linear, at_dims, delinearize, simplify
from s2s.types.dtypes import vector_of
from s2s.types.hints import isa

HALVES = (0, 1)
"""The even and the odd factors of a group."""
AT_ONCE = 2
"""Groups of constants that one load takes."""

Made = dict[tuple[object, ...], SSAValue]
"""Values that have been loaded and widened for a group, by their key."""


class DotReduction(TileReduction):
    """Reduces the tile in one loop over all steps of the reduction: in groups, or one by one without an intrinsic."""

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        self.products = products_of(nest)
        self.x = nest.plan.read if nest.plan is not None else int(self.products.factor_of(1).offset != 0)
        self.w = self.products.other(self.x).read
        if self.size != 1 and self.products.factor_of(self.w).offset:
            raise CompilerBug("the constants of a dot product have a zero point; the verifier refuses that")
        if self.size > 1 and nest.plan is None and prod(self.op.reduction_sizes) % self.size:
            raise CompilerBug(
                f"{prod(self.op.reduction_sizes)} steps in place are no whole groups of {self.size}; the verifier "
                "refuses that"
            )

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        copies_rows = nest.plan is not None and nest.plan.is_rows
        return nest.schedule.is_dot or (nest.schedule.intrinsic is None and copies_rows)

    @property
    def steps(self) -> int:
        """Number of steps of the reduction, rounded up to whole groups."""
        return -(-prod(self.op.reduction_sizes) // self.size) * self.size

    @property
    def size(self) -> int:
        """Number of steps in a group."""
        return self.schedule.group

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        accumulators = Carried(starts(self.nest, points))
        wished = prod(self.schedule.tiles[self.op.rank :]) // self.size * self.size
        for k, count in StepRange.of(self.nest, range(self.op.rank, len(self.op.sizes)), self.size).emit(
            self.steps, max(wished, self.size), accumulators
        ):
            self._groups(k, count, points, accumulators)
        return [self._scaled(sum) for sum in accumulators.values]

    def _scaled(self, sum: SSAValue) -> SSAValue:
        """Return a sum of products from an accumulator, which is 256 times as large for pairs of bytes."""
        if not self.schedule.in_pairs:
            return sum
        return self.emitter.add(loop.PairsSumOp(sum), sum.name_hint).result

    def _groups(self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried) -> None:
        intrinsic = self.schedule.intrinsic
        ahead: Made = {}
        for offset in range(0, count, self.size):
            made: Made = {}
            if intrinsic is None:
                self._step(points, accumulators, k + offset, made)
                continue
            after = k + offset + self.size if offset + self.size < count else None
            for some in self._portions(points, k + offset):
                self._load_constants([points[number] for number in some], k + offset, after, made, ahead)
                for number in some:
                    acc = accumulators.values[number]
                    x = self._factor(points[number], k + offset, made)
                    w = made[self._key(self.w, self._place(self.w, points[number], k + offset))]
                    products = loop.IntrinsicOp(intrinsic, acc, x, w)
                    accumulators.values[number] = self.emitter.add(products, acc.name_hint).result

    def _portions(self, points: Sequence[TilePoint], k: AffineExpr) -> list[range]:
        """Return the points whose constants are loaded together. Where no two share a group, these are the points of
        one load, so that no constants wait in registers."""
        most = AT_ONCE if len(self._places(points, k)) == len(points) else len(points)
        return [range(first, min(first + most, len(points))) for first in range(0, len(points), most)]

    def _step(self, points: Sequence[TilePoint], accumulators: Carried, k: AffineExpr, made: Made) -> None:
        """Emit one step of the reduction in scalars."""
        for number, point in enumerate(points):
            acc = accumulators.values[number]
            x, w = (self._scalar(read, point, k, made) for read in (self.x, self.w))
            accumulators.values[number] = accumulate(self.emitter, self.products, acc, x, w)

    def _scalar(self, read: int, point: TilePoint, k: AffineExpr, made: Made) -> SSAValue:
        """Return a factor of one step, widened to 32 bits."""
        copied = self.copied if self.copied is not None and read == self.x else None
        if copied is None:
            position, buffer = self._place(read, point, k).to_expr(), self.reads[read].buffer
        else:
            position, buffer = copied.row(self._at(point, AffineConstantExpr(0))) + k, copied.buffer
        key = self._key(read, self.emitter.space.linear(position))
        if key not in made:
            assert isa(buffer.type, MemRefType)
            affine_map, indices = self.emitter.space.emit(position)
            load = loop.LoadOp(buffer, affine_map, indices, buffer.type.element_type)
            value = self.emitter.add(load, buffer.name_hint).result
            made[key] = self._shifted(self.emitter.add(arith.ExtSIOp(value, i32), buffer.name_hint).result, read)
        return made[key]

    def _shifted(self, value: SSAValue, read: int) -> SSAValue:
        """`value` plus the offset of its factor, unless the copy or the initial value of the sum includes that."""
        factor = self.products.factor_of(read)
        if not factor.offset or (self.copied is not None and read == self.x):
            return value
        amount = offset_of(self.emitter, factor)
        return self.emitter.add(arith.AddiOp(value, amount, overflow=IN_RANGE), value.name_hint).result

    # positions

    def _at(self, point: TilePoint, k: AffineExpr) -> list[AffineExpr]:
        """Return the position of `point` in the domain at step `k`."""
        parallel = [expr + offset for expr, offset in zip(self.dims, point.offsets, strict=False)]
        return [*parallel, *delinearize(k, self.op.reduction_sizes)]

    def _place(self, read: int, point: TilePoint, k: AffineExpr) -> Linear:
        """Return the flat index where the group of steps from `k` on begins, in an operand whose groups are
        contiguous."""
        space = self.emitter.space
        step = AffineDimExpr(len(space.loops))
        expr = simplify(self.reads[read].position(self._at(point, step)), [*space.bound, (0, self.steps - 1)])
        outer: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(space.loops))]
        places = [space.linear(at_dims(expr, [*outer, k + number])) for number in range(self.size)]
        order = tuple(place.plus(places[0], -1).constant for place in places)
        interleaved = self.copied is not None and self.copied.plan.widened and not self.schedule.in_pairs
        wanted = (INTERLEAVED if interleaved else NATURAL)[: self.size]
        if order != wanted or any(place.terms != places[0].terms for place in places):
            raise CompilerBug(
                f"the steps of a dot product lie at {order} in read {read}, not at {wanted}; the verifier refuses that"
            )
        return places[0]

    # loads

    def _key(self, read: int, place: Linear) -> tuple[object, ...]:
        return read, str(place.to_expr())

    def _factor(self, point: TilePoint, k: AffineExpr, made: Made) -> SSAValue:
        """Load the group of the non-constant factor."""
        if self.copied is None:
            place = self._place(self.x, point, k)
            key = self._key(self.x, place)
            if key not in made:
                vector = self._load(self.reads[self.x].buffer, place.to_expr(), WORD)
                made[key] = self._widen_factor(vector)
            return made[key]
        row = self.copied.row(self._at(point, AffineConstantExpr(0))) + k
        key = self._key(self.x, self.emitter.space.linear(row))
        if key not in made:
            made[key] = self._load(self.copied.buffer, row, WORD)
        return made[key]

    def _widen_factor(self, vector: SSAValue) -> SSAValue:
        """Widen a group of the non-constant factor that is read in place."""
        if self._as_stored:
            return vector
        if self.schedule.in_pairs:
            return self.emitter.add(loop.PairFactorsOp(vector), vector.name_hint).result
        factor = self.products.factor_of(self.x)
        extended = loop.ExtendOp(vector, offset=factor.offset)
        extended.attributes |= numbered(factor.number)
        return self.emitter.add(extended, vector.name_hint).result

    def _load_constants(
        self, points: Sequence[TilePoint], k: AffineExpr, after: AffineExpr | None, made: Made, ahead: Made
    ) -> None:
        """Load and widen the groups of the constant for all points; load two neighbouring groups together.

        Where all points share one group, its neighbour is the group of the steps `after` these. It is loaded too, and
        kept in `ahead`, but widened later, because two widened groups take four registers.
        """
        places = self._places(points, k)
        behind = self._places(points, after) if len(places) == 1 and after is not None else {}
        pending = list(places.items())
        while pending:
            key, place = pending.pop(0)
            if key in ahead:
                made[key] = self._widen(ahead.pop(key), 1)
                continue
            if behind and not self._as_stored and _is_next(place, *behind.values()):
                vector = self._load(self.reads[self.w].buffer, place.to_expr(), 2 * WORD)
                ahead[next(iter(behind))], made[key] = vector, self._widen(vector, 0)
                continue
            pair = bool(pending) and not self._as_stored and _is_next(place, pending[0][1])
            keys = [key, pending.pop(0)[0]] if pair else [key]
            vector = self._load(self.reads[self.w].buffer, place.to_expr(), WORD * len(keys))
            for part, each in enumerate(keys):
                made[each] = self._widen(vector, part)

    def _places(self, points: Sequence[TilePoint], k: AffineExpr) -> dict[tuple[object, ...], Linear]:
        """Return the groups of the constant from step `k` on that `points` read, by their keys."""
        return {self._key(self.w, place): place for place in (self._place(self.w, point, k) for point in points)}

    @property
    def _as_stored(self) -> bool:
        """Whether the intrinsic takes groups as they lie in memory, which fill what one load takes."""
        return self.reads[self.w].element == i16 or self.schedule.form == "dot_strips"

    def _widen(self, vector: SSAValue, part: int) -> SSAValue:
        if self._as_stored:
            return vector
        widened = loop.PairsOp(vector, part) if self.schedule.in_pairs else loop.ExtendOp(vector, part)
        return self.emitter.add(widened, vector.name_hint).result

    def _load(self, buffer: SSAValue, position: AffineExpr, lanes: int) -> SSAValue:
        affine_map, indices = self.emitter.space.emit(position)
        assert isa(buffer.type, MemRefType)
        vector = vector_of(buffer.type.element_type, lanes)
        return self.emitter.add(loop.LoadOp(buffer, affine_map, indices, vector), buffer.name_hint).result


class PointReduction(DotReduction):
    """Reduces the tile by halves of groups, which lie side by side: one half for all points, then the other.

        x  e0 e1 | e2 e3 | o0 o1 | o2 o3      a group of four points: words of even factors, then words of odd ones
        w  n0 | n1                            a word of constants for each channel, as they lie in memory

        acc[p][c] += e[p] * n[c]              for all points and channels
        n[c] = low bytes of n[c]
        acc[p][c] += o[p] * n[c]              for all points and channels

    So each word of constants needs one register, not two, and a load of two words serves two points: four points by two
    channels fit the registers of an Armv7-M core.
    """

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.by_points

    @property
    def rows(self) -> CopiedOperand:
        """The copy of the first factor."""
        assert self.copied is not None
        return self.copied

    def _groups(self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried) -> None:
        for offset in range(0, count, self.size):
            made: Made = {}
            step = k + offset
            self._load_constants(points, step, None, made, {})
            for half in HALVES:
                self._half(step, half, points, made, accumulators)

    def _half(self, k: AffineExpr, half: int, points: Sequence[TilePoint], made: Made, accumulators: Carried) -> None:
        """Add the products of one half of the group from step `k` on to all sums."""
        constants = {key: self._half_of(value, half) for key, value in made.items()}
        for first, pair in self._pairs(points):
            rows = len({self._row(points[number]) for number in pair})
            x = self._load_points(points[pair[0]], first, k, half, rows)
            for number in pair:
                point, acc = points[number], accumulators.values[number]
                factor = x if rows == 1 else self._half_of(x, self._row(point) % PAIR)
                w = constants[self._key(self.w, self._place(self.w, point, k))]
                assert self.schedule.intrinsic is not None
                products = loop.IntrinsicOp(self.schedule.intrinsic, acc, factor, w)
                accumulators.values[number] = self.emitter.add(products, acc.name_hint).result

    def _pairs(self, points: Sequence[TilePoint]) -> Iterator[tuple[int, list[int]]]:
        """Yield pairs of neighbouring rows: the first row, and the numbers of the points that read the two."""
        order = sorted(range(len(points)), key=lambda number: (self._row(points[number]), number))
        for pair, numbers in groupby(order, key=lambda number: self._row(points[number]) // PAIR):
            yield PAIR * pair, list(numbers)

    def _row(self, point: TilePoint) -> int:
        """Return the row of the copy that a point of the tile reads."""
        row = 0
        for dim in self.rows.plan.tile_dims:
            row = row * self.rows.plan.tiles[dim] + point.offsets[dim]
        return row

    def _load_points(self, point: TilePoint, first: int, k: AffineExpr, half: int, rows: int) -> SSAValue:
        """Load half a group of `rows` rows, one or two, from row `first` on; `point` reads one of them."""
        plan = self.rows.plan
        here = self.rows.row(self._at(point, AffineConstantExpr(0))) - PAIR * (self._row(point) - first)
        place = here + k * plan.side_by_side + half * PAIR * plan.side_by_side
        return self._load(self.rows.buffer, place, PAIR * rows)

    def _half_of(self, vector: SSAValue, half: int) -> SSAValue:
        """Return one half of four numbers."""
        return self.emitter.add(loop.HalfOp(vector, half), vector.name_hint).result


def _is_next(place: Linear, other: Linear) -> bool:
    """Return whether the group at `other` lies right behind that at `place`."""
    after = place.plus(Linear(WORD))
    return other.terms == after.terms and other.constant == after.constant
