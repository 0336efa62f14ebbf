"""Lower loads of constants of four bits to calls of `s2s_dsp.h` and `s2s_nibbles.h`."""

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.neighbours import position
from s2s.passes.loop.lower_to_c.operations import LOWERINGS


@LOWERINGS.register(loop.LoadNibblesOp)
def load_nibbles(b: Builder, op: loop.LoadNibblesOp) -> SSAValue:
    """Lower to a vector load that widens."""
    place = pointer(b, op.buffer, position(b, op))
    name = "load_nibbles" if op.group.value.data == op.lanes else "load_nibbles_by_4"
    return b.vector_call(name, [place], op.result.type, reads=True)


@LOWERINGS.register(loop.LoadNibbleOp)
def load_nibble(b: Builder, op: loop.LoadNibbleOp) -> SSAValue:
    """Lower to a call with the buffer and the number's position."""
    return b.add(c.CallOp("s2s_nibble", [b.value(op.buffer), position(b, op)], i8, reads=True, header=headers.NIBBLES))


__all__ = ["load_nibble", "load_nibbles"]
