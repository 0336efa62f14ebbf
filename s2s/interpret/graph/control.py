"""Interpret the operations that call network functions."""

from collections.abc import Callable, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.errors import CompilerBug
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.shapes.sliding import ROW_OF_X, moving, ticks_of

Runner = Callable[[str, Sequence[Array]], list[Array]]
"""Runs the network function of a given name."""


def run_control(op: graph.NetworkOp, operands: Sequence[Array], run: Runner) -> list[Array]:
    """Compute the results of `op`; `run` runs its networks."""
    match op:
        case graph.IfOp():
            condition, *inputs = operands
            return run(op.then.string_value() if condition.any() else op.otherwise.string_value(), inputs)
        case graph.WhileOp():
            return _while(op, operands, run)
        case graph.ScanOp():
            return _scan(op, operands, run)
        case graph.LineBuffersOp():
            return _line_buffers(op, operands, run)
        case _:
            raise CompilerBug(f"{op.name} has no meaning")


def _while(op: graph.WhileOp, operands: Sequence[Array], run: Runner) -> list[Array]:
    count = len(op.outputs)
    carried, kept = list(operands[:count]), operands[count:]
    while run(op.condition.string_value(), [*carried, *kept])[0].any():
        carried = run(op.body.string_value(), [*carried, *kept])
    return carried


def _scan(op: graph.ScanOp, operands: Sequence[Array], run: Runner) -> list[Array]:
    carry, scan, keep = op.parts
    steps, count = op.steps.value.data, len(carry)
    carried = [operands[number] for number in carry]
    parts: list[list[Array]] = [[] for _ in op.outputs[count:]]
    for step in range(steps):
        slices = [operands[number][_place(op, at, step)] for at, number in enumerate(scan)]
        results = run(op.body.string_value(), [*carried, *slices, *(operands[number] for number in keep)])
        carried = results[:count]
        for part, value in zip(parts, results[count:], strict=True):
            part.append(value)
    order = [[_place(op, len(scan) + at, step) for step in range(steps)] for at in range(len(parts))]
    stacked = [np.stack([part[place] for place in places]) for part, places in zip(parts, order, strict=True)]
    return [*carried, *stacked]


def _line_buffers(op: graph.LineBuffersOp, operands: Sequence[Array], run: Runner) -> list[Array]:
    x, *begins = operands
    axis, pieces, rings = op.axis.value.data, op.pieces, moving(op.pieces)
    types = [as_tensor_type(output.type) for output in op.outputs[len(begins) :]]
    results = [np.zeros(type.get_shape(), to_numpy(type.element_type)) for type in types]
    tensors = [x, *(begin.copy() for begin in begins), *results]
    for tick in range(ticks_of(pieces)):
        for piece in pieces:
            if piece.is_due(tick):
                reads = [x.take([tick], axis) if number == ROW_OF_X else tensors[number] for number in piece.reads]
                for number, row in zip(piece.gets, run(piece.body, reads), strict=True):
                    rows = tensors[number].reshape(-1, row.size)
                    if number in rings:
                        rows[:-1] = rows[1:].copy()
                    rows[-1 if number in rings else piece.step(tick)] = row.reshape(-1)
    return tensors[1:]


def _place(op: graph.ScanOp, number: int, step: int) -> int:
    """Return the slice that a step of a scan reads or writes."""
    return op.steps.value.data - 1 - step if op.is_backward(number) else step
