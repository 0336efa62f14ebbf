"""Lower loads of constants of four bits to calls of `s2s_dsp.h`."""

from xdsl.ir import SSAValue

from s2s.dialects import loop
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


__all__ = ["load_nibbles"]
