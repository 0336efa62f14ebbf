"""Interpret calls of routines of the runtime by their numpy meanings."""

from s2s.dialects import loop, tensor
from s2s.interpret.affine import Frame
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step
from s2s.interpret.routines import run_routine
from s2s.interpret.scalar import signless


@MEANINGS.register(loop.ExternOp)
def extern(scope: Scope, op: loop.ExternOp) -> Step:
    """`loop.extern`: sets its outputs, and leaves its scratch alone."""
    inputs, outputs = scope.operands(op.inputs), scope.operands(op.outputs)
    name, numbers = op.routine.data, tensor.values_of(op.numbers)

    def step(frame: Frame) -> None:
        found = run_routine(name, [frame[place] for place in inputs], numbers)
        for place, value in zip(outputs, found, strict=True):
            frame[place][:] = signless(value)

    return step
