"""Emit the values that accumulators have before a reduction."""

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Region, SSAValue

from s2s.analysis.affine.guards import Constraint, Holds, holds_all
from s2s.dialects import loop
from s2s.passes.tensor.lower_to_loop.bodies import point_dims
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint


def starts(nest: NestState, points: Sequence[TilePoint]) -> list[SSAValue]:
    """Return the accumulators of `points` before the reduction: initial values, or partial results of earlier
    blocks."""
    return by_block(nest, lambda: initial(nest, points), lambda: nest.partials.load(points, nest.dims))


def by_block(
    nest: NestState, first: Callable[[], list[SSAValue]], later: Callable[[], list[SSAValue]]
) -> list[SSAValue]:
    """Return the values that `first` emits in the first block of a reduction, and `later` in the other ones."""
    emitter = nest.emitter
    start = [Constraint(block.base * -1) for block in nest.blocked_reductions()]
    if holds_all(start, emitter.space.bound) is Holds.ALWAYS:
        return first()
    then, otherwise = Block(), Block()
    with emitter.inside(then):
        values = first()
        then.add_op(loop.YieldOp(*values))
    with emitter.inside(otherwise):
        otherwise.add_op(loop.YieldOp(*later()))
    types = [value.type for value in values]
    found = emitter.when(start, emitter.space.identity, Region(then), Region(otherwise), types)
    for result, value in zip(found, values, strict=True):
        result.name_hint = value.name_hint
    return found


def initial(nest: NestState, points: Sequence[TilePoint]) -> list[SSAValue]:
    """Return the initial values of the accumulators of `points`: constants, or elements of an operand of the
    epilogue."""
    if nest.schedule.init_from is not None:
        return _loaded(nest, nest.epilogue[nest.schedule.init_from], points)
    if nest.bias is not None:
        return _biases(nest, nest.epilogue[nest.bias.number], points)
    values: list[SSAValue] = []
    vectors: dict[tuple[object, int], SSAValue] = {}
    several = len(nest.op.inits) > 1
    for point in points:
        for number, init in enumerate(nest.op.inits):
            key = (init, point.lanes)
            if key not in vectors or not several:
                vectors[key] = nest.emitter.splat(nest.emitter.constant(init), point.lanes)
            value = vectors[key]
            value.name_hint = f"acc{'abcdefgh'[number] if several else ''}{point.label}"
            values.append(value)
    return values


def _loaded(nest: NestState, operand: Operand, points: Sequence[TilePoint]) -> list[SSAValue]:
    loads, values = Loads(nest.emitter), list[SSAValue]()
    for point in points:
        value = loads.load(operand, point_dims(point, nest.dims)[: nest.op.rank], point)
        values.append(nest.emitter.splat(value, point.lanes))
        values[-1].name_hint = f"acc{point.label}"
    return values


def _biases(nest: NestState, operand: Operand, points: Sequence[TilePoint]) -> list[SSAValue]:
    values: list[SSAValue] = []
    for point in points:
        value = Loads(nest.emitter).load(operand, point_dims(point, nest.dims[: nest.op.rank]), point)
        value.name_hint = f"acc{point.label}"
        values.append(value)
    return values
