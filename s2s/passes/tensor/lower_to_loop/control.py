"""Lower operations that run networks (scan, loop, line buffers) to calls on buffers.

    %last, %all = graph.scan @body(%h, %x) {steps = 5, carried = 1, scanned = 1} : …
->
    loop.copy %last, %h : memref<4xf32>
    loop.call_for @body(%all, %last, %x) {steps = 5, starts = array<i64: 0, 0, 0>, strides = array<i64: 4, 0, 4>} : …

    %ring, %y = graph.line_buffers %x(%begin) {bodies = [@rows, @rows_2], rows = array<i64: 3, 8>, …} : …
->
    loop.copy %ring, %begin : memref<96xi8>
    loop.call_rows (%x, %ring, %y) {bodies = [@rows, @rows_2], sizes = array<i64: 32, 32, 16>, …} : …

Carried values stay in the buffer of the result: a body writes its results over its arguments.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from s2s.dialects import graph, loop
from s2s.errors import CompilerBug
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


def _line_buffers(
    op: graph.LineBuffersOp, rings: Sequence[SSAValue], inputs: Sequence[SSAValue], count: SSAValue | None
) -> list[Operation]:
    call = loop.CallRowsOp(op.pieces, [inputs[0], *rings], row_sizes=op.row_sizes, parts=op.row_parts, count=count)
    return [*_copies(rings, inputs[1:]), call]


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
