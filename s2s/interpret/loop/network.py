"""Interpret the steps of a network: kernel calls, copies, and control flow around network functions."""

from xdsl.dialects.func import CallOp

from s2s.dialects import loop
from s2s.errors import CompilerBug, InputError
from s2s.interpret.affine import Frame
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step
from s2s.types.dtypes import Array
from s2s.types.shapes.sliding import ROW_OF_X, moving, ticks_of


@MEANINGS.register(CallOp)
def call(scope: Scope, op: CallOp) -> Step:
    """`func.call`."""
    callee = scope.callee(op.callee.string_value())
    places = scope.operands(op.operands)
    called = scope.called

    def step(frame: Frame) -> None:
        buffers = [frame[place] for place in places]
        callee(buffers)
        if called is not None:
            called(op, buffers)

    return step


@MEANINGS.register(
    loop.WaitDeviceCopyOp,
    loop.EnterDeviceOp,
    loop.LeaveDeviceOp,
    loop.StartDeviceCallsOp,
    loop.WaitDeviceCallsOp,
)
def wait(scope: Scope, op: loop.WaitDeviceCopyOp | loop.AroundDeviceCalls) -> Step:
    """`loop.wait_device_copy`: the copy was made when it was started. What stands around the kernels of a device: there
    is one device only."""

    def step(frame: Frame) -> None:
        del frame

    return step


@MEANINGS.register(loop.CopyOp, loop.DeviceCopyOp, loop.StartDeviceCopyOp)
def copy(scope: Scope, op: loop.CopyOp | loop.DeviceCopyOp | loop.StartDeviceCopyOp) -> Step:
    """`loop.copy`, `loop.device_copy`, `loop.start_device_copy`."""
    target, source = scope.place(op.target), scope.place(op.source)

    def step(frame: Frame) -> None:
        frame[target][:] = frame[source]

    return step


@MEANINGS.register(loop.ReadSizeOp)
def read_size(scope: Scope, op: loop.ReadSizeOp) -> Step:
    """`loop.read_size`: all sizes of a run are given to the interpreter; this one has to be what the network finds."""
    source, size = scope.place(op.source), scope.options.sizes.get(op.size.data, op.most.value.data)
    where = scope.where(op)

    def step(frame: Frame) -> None:
        if frame[source][0] != size:
            raise CompilerBug(f"{where}: {op.size.data} is {frame[source][0]} and was given as {size}")

    return step


@MEANINGS.register(loop.RequireOp)
def require(scope: Scope, op: loop.RequireOp) -> Step:
    """`loop.require`."""
    outside = scope.place(op.outside)

    def step(frame: Frame) -> None:
        if frame[outside][0] > 0:
            raise InputError("an index that the network computes: is out of range; give inputs that keep it within")

    return step


@MEANINGS.register(loop.CallIfOp)
def call_if(scope: Scope, op: loop.CallIfOp) -> Step:
    """`loop.call_if`."""
    condition, places = scope.place(op.condition), _places(scope, op)
    then, otherwise = (scope.callee(name) for name in op.networks)

    def step(frame: Frame) -> None:
        (then if frame[condition][0] else otherwise)([frame[place] for place in places])

    return step


@MEANINGS.register(loop.CallWhileOp)
def call_while(scope: Scope, op: loop.CallWhileOp) -> Step:
    """`loop.call_while`."""
    places, flag = _places(scope, op), scope.place(op.flag)
    condition, body = (scope.callee(name) for name in op.networks)
    first = len(places) - len(op.buffers)

    def step(frame: Frame) -> None:
        buffers = [frame[place] for place in places]
        while True:
            condition([*buffers[:first], frame[flag], *buffers[first:]])
            if not frame[flag][0]:
                break
            body(buffers)

    return step


@MEANINGS.register(loop.CallForOp)
def call_for(scope: Scope, op: loop.CallForOp) -> Step:
    """`loop.call_for`."""
    body, most = scope.callee(op.body.string_value()), op.steps.value.data
    steps = most if op.size is None else scope.options.sizes.get(op.size.data, most)
    arena = [] if op.arena is None else [scope.place(op.arena)]
    first = [start + stride * (most - steps) if stride < 0 else start for start, stride in op.slices]
    strides = [stride for _, stride in op.slices]
    slices = list(zip(scope.operands(op.buffers), zip(first, strides, strict=True), strict=True))

    def step(frame: Frame) -> None:
        for index in range(steps):
            buffers = [frame[place] for place in arena]
            buffers += [frame[place][start + index * stride :] for place, (start, stride) in slices]
            body(buffers)

    return step


@MEANINGS.register(loop.CallRowsOp)
def call_rows(scope: Scope, op: loop.CallRowsOp) -> Step:
    """`loop.call_rows`."""
    pieces, rows, rings = op.pieces, op.row_sizes, moving(op.pieces)
    bodies = [scope.callee(piece.body) for piece in pieces]
    arena = [] if op.arena is None else [scope.place(op.arena)]
    places = scope.operands(op.buffers)

    def step(frame: Frame) -> None:
        x = _in_rows(frame[places[ROW_OF_X]], op)
        for tick in range(ticks_of(pieces)):
            buffers = [frame[place] for place in places]
            buffers[ROW_OF_X] = x[tick * rows[ROW_OF_X] :]
            for piece, body in zip(pieces, bodies, strict=True):
                if piece.is_due(tick):
                    written = [
                        _next_row(buffers[number], rows[number], None if number in rings else piece.step(tick))
                        for number in piece.gets
                    ]
                    body([*(frame[place] for place in arena), *written, *(buffers[number] for number in piece.reads)])

    return step


def _in_rows(x: Array, op: loop.CallRowsOp) -> Array:
    """Return the input with its rows one after the other, as a caller hands them over."""
    if op.row_parts == 1:
        return x
    return x.reshape(op.row_parts, op.rows, -1).swapaxes(0, 1).reshape(-1)


@MEANINGS.register(loop.EndRowsOp)
def end_rows(scope: Scope, op: loop.EndRowsOp) -> Step:
    """`loop.end_rows`: only callers who hand over rows look at their number."""

    def step(frame: Frame) -> None:
        del frame

    return step


def _next_row(buffer: Array, row: int, step: int | None) -> Array:
    """Return the memory of row `step`; without one, of the last row of a ring, after its others have moved up."""
    if step is not None:
        return buffer[step * row :]
    buffer[:-row] = buffer[row:].copy()
    return buffer[-row:]


def _places(scope: Scope, op: loop.NetworkCall) -> list[int]:
    """Return the places of the buffers of the called networks, after the place of their arena."""
    return scope.operands([*([] if op.arena is None else [op.arena]), *op.buffers])
