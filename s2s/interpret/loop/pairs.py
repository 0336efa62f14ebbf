"""Interpret loads of two neighbouring floats."""

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length


@MEANINGS.register(loop.LoadPairOp)
def load_pair(scope: Scope, op: loop.LoadPairOp) -> Step:
    """`loop.load_pair`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size = scope.place(op.buffer), length(op.buffer)
    low, high = scope.new(op.low), scope.new(op.high)

    def step(frame: Frame) -> None:
        first = at(frame)
        if first < 0 or first + 1 >= size:
            raise CompilerBug(f"{scope.where(op)}: index {first} is outside of {buffer_name(op.buffer)}")
        frame[low], frame[high] = frame[buffer][first], frame[buffer][first + 1]

    return step
