"""Rows of small integers against rows of constants."""

import numpy as np

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length


@MEANINGS.register(loop.DotRowsOp)
def dot_rows(scope: Scope, op: loop.DotRowsOp) -> Step:
    """`loop.dot_rows`."""
    places = scope.operands(op.indices)
    at = [position(result, places) for result in op.map.data.results]
    x, w, result = scope.place(op.x), scope.place(op.w), scope.new(op.result)
    steps, group = op.steps.value.data, op.group.value.data
    sizes = ((op.x, steps), (op.w, steps * loop.ROWS))

    def step(frame: Frame) -> None:
        starts = [each(frame) for each in at]
        for start, (buffer, count) in zip(starts, sizes, strict=True):
            if start < 0 or start + count > length(buffer):
                raise CompilerBug(f"{scope.where(op)}: index {start} is outside of {buffer_name(buffer)}")
        row = frame[x][starts[0] : starts[0] + steps].astype(np.int32)
        groups = frame[w][starts[1] : starts[1] + steps * loop.ROWS].astype(np.int32)
        constants = groups.reshape(-1, loop.ROWS, group).transpose(1, 0, 2).reshape(loop.ROWS, steps)
        frame[result] = (constants * row).sum(axis=1, dtype=np.int32)

    return step
