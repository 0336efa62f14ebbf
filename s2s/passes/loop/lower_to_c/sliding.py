"""Lower windows that move through memory to a call of the runtime, or to a copy where memory has no slack.

    %w = loop.advance %memory at %at {by = 2} : memref<2448xf32> -> memref<2176xf32>
    %v = loop.advance %other {by = 2} : memref<2176xf32> -> memref<2176xf32>
->
    float *const x_1 = s2s_advance(a_f32 + 0, a_i32 + 2448, 8704, 8, 1088);
    s2s_move_down(a_f32 + 4096, 8704, 8);

Where memory has types, as MISRA C demands, the copy is `memmove`.
"""

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import SSAValue

from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import unique_identifiers
from s2s.dialects import c, loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.arena import PlainArena, element_of
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder
from s2s.types.dtypes import size_in_bytes

_VOID_POINTER = c.PtrType(c.VOID)


@STEP_LOWERINGS.register(loop.AdvanceOp)
def lower_advance(steps: StepBuilder, op: loop.AdvanceOp) -> None:
    """A pointer to the window, or the start of its memory."""
    b, element = steps.b, element_of(op.result.type)
    by, slack = (count * size_in_bytes(element) for count in (op.by.value.data, op.slack))
    memory, size = b.value(op.memory), buffer_bytes(op.result)
    if op.position is None:
        move_down(steps, op.memory, op.by.value.data)
        b.values[op.result] = memory
        return
    numbers = [b.literal(number, IndexType()) for number in (size, by, slack)]
    call = c.CallOp("s2s_advance", [memory, b.value(op.position), *numbers], _VOID_POINTER, header=headers.WINDOW)
    moved = b.add(call)
    if steps.tile is not None:
        call.discards = UnitAttr()
        return
    b.values[op.result] = b.add(c.LetOp(_name(steps, op), moved, c.PtrType(element)))


def move_down(steps: StepBuilder, buffer: SSAValue, by: int) -> None:
    """Move all elements of `buffer` but the first `by` to its start."""
    b, size, width = steps.b, buffer_bytes(buffer), size_in_bytes(element_of(buffer.type))
    memory = b.value(buffer)
    if isinstance(steps.arena, PlainArena):
        numbers = [b.literal(number, IndexType()) for number in (size, by * width)]
        b.block.add_op(c.CallOp("s2s_move_down", [memory, *numbers], header=headers.WINDOW))
        return
    source = b.binary("+", memory, b.literal(by, IndexType()))
    rest = b.literal(size - by * width, IndexType())
    b.block.add_op(c.CallOp("memmove", [memory, source, rest], header=headers.STRING))


def lower_window(steps: StepBuilder, op: loop.AdvanceOp) -> None:
    """Declare a pointer to a window as the last move has left it, for a step of a run."""
    b, memory = steps.b, steps.b.value(op.memory)
    b.values[op.result] = memory
    if op.position is not None:
        moved = b.call("s2s_window", [memory, b.value(op.position)], _VOID_POINTER, headers.WINDOW, reads=True)
        b.values[op.result] = b.add(c.LetOp(_name(steps, op), moved, c.PtrType(element_of(op.result.type))))


def _name(steps: StepBuilder, op: loop.AdvanceOp) -> str:
    """Return the name of the pointer: the state's name, unless a parameter has it."""
    block = op.parent_block()
    assert block is not None
    windows = [each for each in block.ops if isinstance(each, loop.AdvanceOp)]
    names = unique_identifiers((each.result.name_hint or "window" for each in windows), taken=steps.taken)
    return names[windows.index(op)]
