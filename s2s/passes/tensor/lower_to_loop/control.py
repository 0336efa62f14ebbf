"""Lower operations that run networks (scan, loop, row tiles) to calls on buffers.

    %last, %all = graph.scan @body(%h, %x) {steps = 5, carried = 1, scanned = 1} : …
->
    loop.copy %last, %h : memref<4xf32>
    loop.call_for @body(%all, %last, %x) {steps = 5, starts = array<i64: 0, 0, 0>, strides = array<i64: 4, 0, 4>} : …

    %y = graph.row_tiles %x {bodies = [@top, @middle], steps = array<i64: 1, 7>, x_strides = array<i64: 0, 2>, …} : …
->
    loop.call_for @top(%y, %x) {steps = 1, starts = array<i64: 0, 0>, strides = array<i64: 0, 0>} : …
    loop.call_for @middle(%y, %x) {steps = 7, starts = array<i64: 8, 8>, strides = array<i64: 8, 16>} : …

Carried values stay in the buffer of the result: a body writes its results over its arguments.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph, loop
from s2s.errors import CompilerBug
from s2s.types.dtypes import as_tensor_type
from s2s.types.hints import isa


def lower_control(
    op: graph.NetworkOp | graph.RequireOp,
    outputs: Sequence[SSAValue],
    inputs: Sequence[SSAValue],
    flag: SSAValue | None,
) -> list[Operation]:
    """Return the operations that replace `op`, the main one last; `flag` is memory for the
    condition of a loop, or for the number of rows that have been handed over."""
    match op:
        case graph.RequireOp():
            return [loop.RequireOp(inputs[0])]
        case graph.IfOp():
            condition, *rest = inputs
            return [loop.CallIfOp(condition, op.then, op.otherwise, [*outputs, *rest])]
        case graph.WhileOp():
            assert flag is not None
            kept = inputs[len(outputs) :]
            return [*_copies(outputs, inputs), loop.CallWhileOp(op.condition, flag, op.body, [*outputs, *kept])]
        case graph.ScanOp():
            return _scan(op, outputs, inputs)
        case graph.RowTilesOp():
            return _row_tiles(op, outputs[0], inputs[0])
        case graph.LineBuffersOp():
            return _line_buffers(op, outputs, inputs, flag)
        case _:
            raise CompilerBug(f"{op.name} has no meaning over buffers")


def _scan(op: graph.ScanOp, outputs: Sequence[SSAValue], inputs: Sequence[SSAValue]) -> list[Operation]:
    carry, scan, keep = op.parts
    carried, stacked = outputs[: len(carry)], outputs[len(carry) :]
    moving = [*((len(scan) + at, buffer) for at, buffer in enumerate(stacked))]
    moving += [(-1, buffer) for buffer in carried]
    moving += [(at, inputs[number]) for at, number in enumerate(scan)]
    moving += [(-1, inputs[number]) for number in keep]
    slices = [_slices(op, number, buffer) for number, buffer in moving]
    call = loop.CallForOp(
        op.body,
        [buffer for _, buffer in moving],
        steps=op.steps.value.data,
        starts=[start for start, _ in slices],
        strides=[stride for _, stride in slices],
        size=op.extent,
    )
    return [*_copies(carried, inputs), call]


def _row_tiles(op: graph.RowTilesOp, y: SSAValue, x: SSAValue) -> list[Operation]:
    rows = [prod(as_tensor_type(value.type).get_shape()[2:]) for value in (op.y, op.x)]
    return [
        loop.CallForOp(
            piece.body,
            [y, x],
            steps=piece.steps,
            starts=[piece.y_start * rows[0], piece.x_start * rows[1]],
            strides=[piece.y_stride * rows[0], piece.x_stride * rows[1]],
        )
        for piece in op.pieces
    ]


def _line_buffers(
    op: graph.LineBuffersOp, rings: Sequence[SSAValue], inputs: Sequence[SSAValue], count: SSAValue | None
) -> list[Operation]:
    row = prod(op.row_type.get_shape())
    return [*_copies(rings, inputs[1:]), loop.CallRowsOp(op.pieces, [inputs[0], *rings], row=row, count=count)]


def _slices(op: graph.ScanOp, number: int, buffer: SSAValue) -> tuple[int, int]:
    """Start and stride, in elements, of a value that advances at each step; `number` is -1 for one that does not."""
    if number < 0:
        return 0, 0
    assert isa(buffer.type, MemRefType)
    size, steps = buffer.type.get_shape()[0], op.steps.value.data
    part = size // steps
    return (size - part, -part) if op.is_backward(number) else (0, part)


def _copies(carried: Sequence[SSAValue], inits: Sequence[SSAValue]) -> list[Operation]:
    """Copy initial values to the buffers of the carried values, unless they are there already."""
    return [loop.CopyOp(place, init) for place, init in zip(carried, inits, strict=False) if place is not init]
