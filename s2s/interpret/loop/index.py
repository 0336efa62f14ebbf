"""The meaning of index arithmetic and of constants."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType

from s2s.dialects import loop
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step
from s2s.interpret.scalar import number


@MEANINGS.register(loop.ApplyOp)
def apply(scope: Scope, op: loop.ApplyOp) -> Step:
    """`loop.apply`."""
    value, result = position(op.map.data.results[0], scope.operands(op.indices)), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = value(frame)

    return step


@MEANINGS.register(loop.SizeOp)
def size(scope: Scope, op: loop.SizeOp) -> None:
    """`loop.size`: the frame holds the size of this run from the start, the greatest one unless another is given."""
    scope.new(op.result, scope.options.sizes.get(op.size.data, op.bounds[1]))


@MEANINGS.register(loop.TileOp)
def tile(scope: Scope, op: loop.TileOp) -> None:
    """`loop.tile`: the frame holds the number from the start."""
    scope.new(op.result, 0)


@MEANINGS.register(arith.ConstantOp)
def constant(scope: Scope, op: arith.ConstantOp) -> None:
    """`arith.constant`: the frame holds the value from the start."""
    scope.new(op.result, int(number(op.value)) if isinstance(op.result.type, IndexType) else number(op.value))
