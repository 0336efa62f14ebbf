"""The reduction of a register tile as dot products: every dimension of it in one loop, several steps at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine import delinearize, simplify
from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried, Emitter
from s2s.passes.tensor.lower_to_loop.stage import StagedOperand
from s2s.passes.tensor.lower_to_loop.tile import Operand, TilePoint

WIDE_ORDER = {4: (0, 2, 1, 3)}
"""Where the elements of a group lie among the bytes that are widened together."""


@dataclass
class DotReduction:
    """Sums of products of a staged read and a packed constant."""

    emitter: Emitter
    staged: StagedOperand
    constant: Operand
    dims: Sequence[AffineExpr]
    """Where the tile stands; the reduction is yet to come."""

    def emit(self, points: Sequence[TilePoint], accumulators: Carried, at_once: int) -> None:
        """All steps, `at_once` of them in the body of the loop."""
        steps = self.staged.plan.steps
        full = steps // at_once * at_once
        if full > at_once:
            with self.emitter.loop(Bounds(0, full, at_once), "k", accumulators) as k:
                self._groups(k, at_once, points, accumulators)
        else:
            self._groups(AffineConstantExpr(0), full, points, accumulators)
        self._groups(AffineConstantExpr(full), steps - full, points, accumulators)

    def _groups(self, k: AffineExpr, count: int, points: Sequence[TilePoint], accumulators: Carried) -> None:
        size = self.staged.plan.schedule.dot_size
        for offset in range(0, count, size):
            made: dict[tuple[SSAValue, str], SSAValue] = {}
            for number, point in enumerate(points):
                acc = accumulators.values[number]
                x = self._load(self.staged.buffer, self._row(point) + (k + offset), point, made)
                w = self._constant(point, k + offset, made)
                accumulators.values[number] = self.emitter.add(loop.DotOp(acc, x, w), acc.name_hint).result

    def _at(self, point: TilePoint, k: AffineExpr) -> list[AffineExpr]:
        """The position in the domain of step `k` for `point`."""
        rank = len(point.offsets)
        parallel = [expr + offset for expr, offset in zip(self.dims[:rank], point.offsets, strict=True)]
        return [*parallel, *delinearize(k, self.staged.plan.op.reduction_sizes)]

    def _row(self, point: TilePoint) -> AffineExpr:
        return self.staged.row(self._at(point, AffineConstantExpr(0)))

    def _constant(self, point: TilePoint, k: AffineExpr, made: dict[tuple[SSAValue, str], SSAValue]) -> SSAValue:
        space = self.emitter.space
        flat = AffineDimExpr(len(space.loops))
        bound = [*space.bound, (0, self.staged.plan.steps - 1)]
        expr = simplify(self.constant.position(self._at(point, flat)), bound)
        outer: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(space.loops))]
        places = [
            space.linear(expr.replace_dims_and_symbols([*outer, k + step], ()))
            for step in range(self.staged.plan.schedule.dot_size)
        ]
        order = tuple(place.plus(places[0], -1).constant for place in places)
        if order != WIDE_ORDER.get(len(order)) or any(place.terms != places[0].terms for place in places):
            raise CompilerBug(f"the constant of a dot product lies at {order}; pack it for its groups")
        vector = self._load(self.constant.buffer, places[0].to_expr(), point, made)
        key = (vector, "wide")
        if key not in made:
            made[key] = self.emitter.add(loop.WidenOp(vector), self.constant.buffer.name_hint).result
        return made[key]

    def _load(
        self, buffer: SSAValue, position: AffineExpr, point: TilePoint, made: dict[tuple[SSAValue, str], SSAValue]
    ) -> SSAValue:
        space = self.emitter.space
        key = (buffer, str(space.linear(position).to_expr()))
        if key not in made:
            affine_map, indices = space.emit(position)
            element = self.staged.element if buffer is self.staged.buffer else self.constant.element
            vector = VectorType(element, [self.staged.plan.schedule.dot_size])
            made[key] = self.emitter.add(loop.LoadOp(buffer, affine_map, indices, vector), buffer.name_hint).result
        return made[key]


def steps_at_once(tiles: Sequence[int], dot_size: int, steps: int) -> int:
    """Steps of the reduction in one pass of its loop: what its tiles ask for, in whole groups."""
    return min(max(prod(tiles) // dot_size * dot_size, dot_size), steps)
