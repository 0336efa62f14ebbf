"""Emit one step of a reduction for every point of a tile: test guards, load each operand once, update accumulators."""

from collections.abc import Sequence
from dataclasses import field

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.bodies import Bodies, point_dims
from s2s.passes.tensor.lower_to_loop.emitter import Carried
from s2s.passes.tensor.lower_to_loop.guards import Constraint, Holds
from s2s.passes.tensor.lower_to_loop.products import add_product
from s2s.passes.tensor.lower_to_loop.stage_plan import StagedOperand
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint, in_turn
from s2s.support.dataclass import dataclass


@dataclass
class Steps:
    """Emits the steps of one computation; `guards` say when its `reads` are in bounds."""

    bodies: Bodies
    reads: Sequence[Operand]
    guards: Sequence[Constraint]
    staged: StagedOperand | None = None
    clipped: set[Constraint] = field(default_factory=set[Constraint])
    """Guards that hold because the bounds of an enclosing loop are clipped."""

    def step(self, points: Sequence[TilePoint], dims: Sequence[AffineExpr], accumulators: Carried) -> None:
        """Emit the step at `dims` for the `points` of the tile."""
        loads, width = Loads(self.bodies.emitter), len(self.bodies.part.op.inits)
        for number in in_turn(points):
            mine = slice(number * width, (number + 1) * width)
            here = point_dims(points[number], dims)
            accumulators.values[mine] = self._guarded(points[number], here, loads, accumulators.values[mine])

    def _guarded(
        self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]
    ) -> list[SSAValue]:
        emitter = self.bodies.emitter
        here = [
            Constraint(constraint.expr.replace_dims_and_symbols(dims, ()), constraint.modulus)
            for constraint in self.guards
            if constraint not in self.clipped
        ]
        states = [constraint.holds(emitter.space.bound) for constraint in here]
        if Holds.NEVER in states:
            return values
        undecided = [constraint for constraint, state in zip(here, states, strict=True) if state is Holds.MAYBE]
        if not undecided:
            return self._reduce(point, dims, loads, values)
        then, otherwise = Block(), Block([loop.YieldOp(*values)])
        with emitter.inside(then):
            then.add_op(loop.YieldOp(*self._reduce(point, dims, loads.nested(), values)))
        identity: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(emitter.space.loops))]
        types = [value.type for value in values]
        results = emitter.when(undecided, identity, Region(then), Region(otherwise), types)
        return _named_as(values, results)

    def _reduce(self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]) -> list[SSAValue]:
        region, emitter = self.bodies.part.op.reduce, self.bodies.emitter
        assert region is not None
        if self.staged is not None:
            constant = self.reads[self.staged.plan.products.other(self.staged.plan.read).read]
            return [add_product(emitter, self.staged, constant, loads, (dims, point), values[0])]
        arguments = region.block.args
        body = self.bodies.body(loads, point, dims, arguments, {})
        for argument, operand in zip(arguments, self.reads, strict=False):
            body.values[argument] = loads.load(operand, dims, point)
        body.values.update(zip(arguments[len(self.reads) :], values, strict=False))
        return _named_as(values, [emitter.splat(value, point.lanes) for value in body.run(region)])


def _named_as(values: Sequence[SSAValue], results: list[SSAValue]) -> list[SSAValue]:
    for result, value in zip(results, values, strict=True):
        result.name_hint = value.name_hint
    return results
