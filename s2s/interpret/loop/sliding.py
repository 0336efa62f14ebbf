"""Interpret windows that move through memory."""

from s2s.dialects import loop
from s2s.interpret.affine import Frame
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, length


@MEANINGS.register(loop.AdvanceOp)
def advance(scope: Scope, op: loop.AdvanceOp) -> Step:
    """`loop.advance`."""
    memory, size, by, slack = scope.place(op.memory), length(op.result), op.by.value.data, op.slack
    position = None if op.position is None else scope.place(op.position)
    result = scope.new(op.result)

    def step(frame: Frame) -> None:
        start = by + (0 if position is None else int(frame[position][0]))
        if start > slack:
            frame[memory][: size - by] = frame[memory][start : start + size - by].copy()
            start = 0
        if position is not None:
            frame[position][0] = start
        frame[result] = frame[memory][start : start + size]

    return step
