"""The meaning of interleaved stores."""

import numpy as np

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length


@MEANINGS.register(loop.StoreInterleavedOp)
def store_interleaved(scope: Scope, op: loop.StoreInterleavedOp) -> Step:
    """`loop.store_interleaved`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size, values = scope.place(op.buffer), length(op.buffer), scope.operands(op.values)
    places = np.arange(op.active)[:, None] * op.lane_stride + np.arange(len(values))

    def step(frame: Frame) -> None:
        first = at(frame)
        if first < 0 or first + places[-1, -1] >= size:
            raise CompilerBug(f"{scope.where(op)}: index {first} is outside of {buffer_name(op.buffer)}")
        frame[buffer][first + places] = np.stack([frame[value][: len(places)] for value in values], axis=1)

    return step
