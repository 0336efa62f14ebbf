"""Lower kernel calls, and control flow around network calls.

    loop.call_for @body in %inner : … (%y, %h) {steps = 5, starts = array<i64: 8, 0>, strides = array<i64: -2, 0>} : …
->
    for (int32_t t = 0; t < 5; t++) {
        net_body(inner, y + (8 - 2 * t), h);
    }

Loops over rows call the networks that are due in a tick:

    loop.call_rows (%x, %ring, %whole) {bodies = [@rows, @padding, @rows_2], every = [1, 1, 2], firsts = [0, 8, 2], …}
->
    for (int32_t t = 0; t < 9; t++) {
        if (t < 8) {
            s2s_move_down(ring, 96, 32);
            net_rows(inner, ring + 64, x + t * 32);
        }
        if (t == 8) {
            s2s_move_down(ring, 96, 32);
            net_padding(inner, ring + 64);
        }
        if (t >= 2 && t % 2 == 0) {
            net_rows_2(inner, whole + (t - 2) / 2 * 16, ring);
        }
    }
"""

from collections.abc import Mapping, Sequence
from math import ceil

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i32
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, SSAValue

from s2s.analysis.network.arguments import SHAPE
from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.arena import element_of
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.names import specialised_calls
from s2s.passes.loop.lower_to_c.run_sizes import RunSizes, refuse
from s2s.passes.loop.lower_to_c.sliding import move_down
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder
from s2s.types.dtypes import size_in_bytes
from s2s.types.shapes.sliding import ROW_OF_X, RowBody, moving, ticks_of

_INDEX = IndexType()
ENDED = -1
"""The number of rows behind the end of a frame: whoever hands over more has to begin anew."""


@STEP_LOWERINGS.register(ReturnOp)
def lower_return(steps: StepBuilder, op: ReturnOp) -> None:
    """Lower a return to nothing: the results of a network are in its buffers."""


@STEP_LOWERINGS.register(CallOp)
def lower_call(steps: StepBuilder, op: CallOp) -> None:
    """Lower a kernel call; a divided kernel takes the thread pool first, any kernel the sizes that it asks for last and
    then the tile."""
    call = _kernel_call(steps, op, op.callee.string_value(), _comment(op))
    for callee, sizes in reversed(specialised_calls(op)):
        call = _choice(steps, op, callee, sizes, call)
    steps.b.block.add_op(call)


def _choice(
    steps: StepBuilder, op: CallOp, callee: str, sizes: Mapping[str, int], otherwise: c.CallOp | c.IfOp
) -> c.IfOp:
    """Call the clone `callee` in runs of its sizes, else do what `otherwise` does."""
    b = steps.b
    assert steps.sizes is not None
    test: SSAValue | None = None
    for name, size in sizes.items():
        equal = b.binary("==", steps.sizes.values[name], b.literal(size, _INDEX))
        test = equal if test is None else b.binary("&&", test, equal)
    assert test is not None
    return c.IfOp(test, Block([_kernel_call(steps, op, callee, _comment(op))]), Block([otherwise]))


def _kernel_call(steps: StepBuilder, op: CallOp, kernel: str, comment: str | None) -> c.CallOp:
    name = steps.names.kernels[kernel]
    pool = [steps.pool] if name in steps.names.divided and steps.pool is not None else []
    tile = [] if loop.tiles_of(op) is None or steps.tile is None else [steps.tile]
    arguments = [*pool, *(steps.b.value(argument) for argument in op.arguments), *_sizes(steps, name), *tile]
    return c.CallOp(name, arguments, comment=comment)


@STEP_LOWERINGS.register(loop.ReadSizeOp)
def lower_read_size(steps: StepBuilder, op: loop.ReadSizeOp) -> None:
    """Lower the reading of a size that a kernel has computed."""
    if not isinstance(steps.sizes, RunSizes):
        raise CompilerBug(f"{op.name} of {op.size.data}, which is no size of the network")
    steps.sizes.read(steps.b, op)


@STEP_LOWERINGS.register(loop.RequireOp)
def lower_require(steps: StepBuilder, op: loop.RequireOp) -> None:
    """Lower the check of what says whether a computed index was out of range."""
    b = steps.b
    outside = b.add(c.LoadOp(b.add(c.SubscriptOp(b.value(op.outside), b.literal(0, _INDEX)))))
    refuse(b, b.binary(">", outside, b.literal(0, outside.type)), "S2S_ERR_RANGE")


@STEP_LOWERINGS.register(loop.CallIfOp, loop.CallWhileOp, loop.CallForOp)
def lower_network_call(steps: StepBuilder, op: loop.CallIfOp | loop.CallWhileOp | loop.CallForOp) -> None:
    """Lower control flow around network calls."""
    b, callees = steps.b, [steps.names.kernels[name] for name in op.networks]
    if op.arena is None:
        raise CompilerBug(f"{op.name} has no arena; plan the memory first")
    arena, buffers = b.value(op.arena), [b.value(buffer) for buffer in op.buffers]
    comment = ", ".join(provenance(op))
    if comment:
        b.block.add_op(c.CommentOp(comment))
    match op:
        case loop.CallIfOp():
            then, otherwise = ([(name, [arena, *buffers, *_sizes(steps, name)])] for name in callees)
            b.block.add_op(c.IfOp(_first(b, op.condition), _calls(b, then), _calls(b, otherwise)))
        case loop.CallWhileOp():
            _while(steps, op, callees, arena, buffers)
        case loop.CallForOp():
            _for(steps, op, callees[0], arena, buffers)


def _comment(call: CallOp) -> str | None:
    """Return the comment on a call: the shape of its result and its source nodes, `[25][5][64] conv1, relu`."""
    shape, nodes = call.attributes.get(SHAPE), ", ".join(provenance(call))
    sizes = [int(size) for size in shape.get_values()] if isinstance(shape, DenseArrayBase) else []
    while len(sizes) > 1 and sizes[0] == 1:
        del sizes[0]
    return " ".join(filter(None, ["".join(f"[{size}]" for size in sizes), nodes])) or None


def _for(steps: StepBuilder, op: loop.CallForOp, body: str, arena: SSAValue, buffers: Sequence[SSAValue]) -> None:
    """Lower a loop, of a run in steps to some repetitions of it or a part of one."""
    b, tiles, last = steps.b, loop.tiles_of(op), _number_of_steps(steps, op)

    def call(step: SSAValue, *tile: SSAValue) -> None:
        moved = [
            _moved_back(b, buffer, -stride, last, step)
            if stride < 0 and op.size is not None
            else _moved(b, buffer, start, stride, step)
            for buffer, (start, stride) in zip(buffers, op.slices, strict=True)
        ]
        b.block.add_op(c.CallOp(body, [arena, *moved, *_sizes(steps, body), *tile]))

    first, end, count = b.literal(0, _INDEX), last, op.steps.value.data
    if tiles is not None and steps.tile is not None and tiles > count:
        parts = b.literal(tiles // count, _INDEX)
        step = b.binary("/", steps.tile, parts)
        step.name_hint = "t"
        now = b.block if op.size is None else Block()
        with b.inside(now):
            call(step, b.binary("%", steps.tile, parts))
        if now is not b.block:
            b.block.add_op(c.IfOp(b.binary("<", step, last), now))
        return
    if tiles is not None and steps.tile is not None:
        length = ceil(count / tiles)
        first = b.binary("*", steps.tile, b.literal(length, _INDEX))
        end = b.binary("+", first, b.literal(length, _INDEX))
        if count % length or op.size is not None:
            end = b.call("s2s_i32_min", [end, last], _INDEX, headers.MATH)
        end.name_hint = "t_end"
    block = c.ForOp.block(_INDEX)
    block.args[0].name_hint = "t"
    with b.inside(block):
        call(block.args[0])
    b.block.add_op(c.ForOp(first, end, block))


def _number_of_steps(steps: StepBuilder, op: loop.CallForOp) -> SSAValue:
    if op.size is None:
        return steps.b.literal(op.steps.value.data, _INDEX)
    if steps.sizes is None:
        raise CompilerBug(f"{op.name} of {op.size.data} steps, which is no size of the network")
    return steps.sizes.values[op.size.data]


def _moved_back(b: Builder, buffer: SSAValue, stride: int, steps: SSAValue, step: SSAValue) -> SSAValue:
    """`buffer + (steps - 1 - step) * stride`."""
    left = b.binary("-", b.binary("-", steps, b.literal(1, _INDEX)), step)
    return b.binary("+", buffer, left if stride == 1 else b.binary("*", left, b.literal(stride, _INDEX)))


def _moved(b: Builder, buffer: SSAValue, start: int, stride: int, step: SSAValue) -> SSAValue:
    """`buffer + start + stride * step`."""
    if stride == 0:
        return buffer if start == 0 else b.binary("+", buffer, b.literal(start, _INDEX))
    way = step if abs(stride) == 1 else b.binary("*", step, b.literal(abs(stride), _INDEX))
    if stride < 0:
        return b.binary("+", buffer, b.binary("-", b.literal(start, _INDEX), way))
    forward = way if start == 0 else b.binary("+", b.literal(start, _INDEX), way)
    return b.binary("+", buffer, forward)


def _while(
    steps: StepBuilder, op: loop.CallWhileOp, callees: Sequence[str], arena: SSAValue, buffers: Sequence[SSAValue]
) -> None:
    condition, body = callees
    b, block = steps.b, Block()
    with b.inside(block):
        block.add_op(c.CallOp(condition, [arena, b.value(op.flag), *buffers, *_sizes(steps, condition)]))
        stop = Block([c.BreakOp()])
        block.add_op(c.IfOp(b.unary("!", _first(b, op.flag)), stop))
        block.add_op(c.CallOp(body, [arena, *buffers, *_sizes(steps, body)]))
    b.block.add_op(c.LoopOp(block))


def _sizes(steps: StepBuilder, name: str) -> list[SSAValue]:
    """The sizes of this run that the C function `name` takes."""
    known = {} if steps.sizes is None else steps.sizes.values
    return [known[size] for size in steps.names.sizes.get(name, ())]


def _first(b: Builder, flag: SSAValue) -> SSAValue:
    """`flag[0]`."""
    return b.add(c.LoadOp(b.add(c.SubscriptOp(b.value(flag), b.literal(0, _INDEX)))))


def _calls(b: Builder, calls: Sequence[tuple[str, Sequence[SSAValue]]]) -> Block:
    block = Block()
    for name, arguments in calls:
        block.add_op(c.CallOp(name, list(arguments)))
    return block


@STEP_LOWERINGS.register(loop.CallRowsOp)
def lower_call_rows(steps: StepBuilder, op: loop.CallRowsOp) -> None:
    """Lower the loop as a whole."""
    b, block = steps.b, c.ForOp.block(_INDEX)
    block.args[0].name_hint = "t"
    comment = ", ".join(provenance(op))
    if comment:
        b.block.add_op(c.CommentOp(comment))
    first, end = b.literal(0, _INDEX), b.literal(ticks_of(op.pieces), _INDEX)
    with b.inside(block):
        way = b.binary("*", block.args[0], b.literal(op.row_sizes[ROW_OF_X], _INDEX))
        lower_tick(steps, op, block.args[0], b.binary("+", b.value(op.buffers[ROW_OF_X]), way))
    b.block.add_op(c.ForOp(first, end, block))


@STEP_LOWERINGS.register(loop.EndRowsOp)
def lower_end_rows(steps: StepBuilder, op: loop.EndRowsOp) -> None:
    """`count[0] = -1;`"""
    set_count(steps.b, op.count, steps.b.literal(ENDED, i32))


def lower_tick(steps: StepBuilder, op: loop.CallRowsOp, tick: SSAValue, row: SSAValue) -> None:
    """Call the bodies that are due in `tick`, whose row of the input is at `row`."""
    b = steps.b
    if op.arena is None:
        raise CompilerBug(f"{op.name} has no arena; plan the memory first")
    for piece in op.pieces:
        then = Block()
        with b.inside(then):
            rows = [_next_row(steps, op, piece, number, tick) for number in piece.gets]
            read = [row if number == ROW_OF_X else b.value(op.buffers[number]) for number in piece.reads]
            then.add_op(c.CallOp(steps.names.kernels[piece.body], [b.value(op.arena), *rows, *read]))
        b.block.add_op(c.IfOp(_is_due(b, piece, tick, ticks_of(op.pieces)), then))


def _next_row(steps: StepBuilder, op: loop.CallRowsOp, piece: RowBody, number: int, tick: SSAValue) -> SSAValue:
    """Return where a body writes its row to buffer `number`: the end of a ring, whose other rows move up, or the place
    of the row in a buffer that keeps all of them."""
    b, buffer, row = steps.b, op.buffers[number], op.row_sizes[number]
    if number in moving(op.pieces):
        size = buffer_bytes(buffer) // size_in_bytes(element_of(buffer.type))
        if size > row:
            move_down(steps, buffer, row)
        return b.value(buffer) if size == row else b.binary("+", b.value(buffer), b.literal(size - row, _INDEX))
    if piece.steps == 1:
        return b.value(buffer)
    step = b.binary("-", tick, b.literal(piece.first, _INDEX)) if piece.first else tick
    step = step if piece.every == 1 else b.binary("/", step, b.literal(piece.every, _INDEX))
    return b.binary("+", b.value(buffer), step if row == 1 else b.binary("*", step, b.literal(row, _INDEX)))


def count_of(b: Builder, count: SSAValue) -> SSAValue:
    """`count[0]`: the number of rows that have arrived."""
    return b.add(c.LoadOp(_place(b, count)))


def set_count(b: Builder, count: SSAValue, value: SSAValue) -> None:
    """`count[0] = value;`"""
    b.block.add_op(c.AssignOp(_place(b, count), value))


def _place(b: Builder, count: SSAValue) -> SSAValue:
    return b.add(c.SubscriptOp(b.value(count), b.literal(0, _INDEX)))


def _is_due(b: Builder, piece: RowBody, tick: SSAValue, ticks: int) -> SSAValue:
    """`t >= 2 && t < 98 && t % 2 == 0`, without what always holds."""
    if piece.steps == 1:
        return b.binary("==", tick, b.literal(piece.first, _INDEX))
    tests: list[SSAValue] = []
    if piece.first:
        tests.append(b.binary(">=", tick, b.literal(piece.first, _INDEX)))
    if piece.last < ticks - 1:
        tests.append(b.binary("<", tick, b.literal(piece.last + 1, _INDEX)))
    if piece.every > 1:
        rest = b.binary("%", tick, b.literal(piece.every, _INDEX))
        tests.append(b.binary("==", rest, b.literal(piece.first % piece.every, _INDEX)))
    return all_of(b, tests) if tests else b.literal(1, IntegerType(1))


def all_of(b: Builder, tests: Sequence[SSAValue]) -> SSAValue:
    """`a && b && c`."""
    result = tests[0]
    for test in tests[1:]:
        result = b.binary("&&", result, test)
    return result
