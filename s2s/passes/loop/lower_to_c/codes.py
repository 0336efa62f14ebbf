"""Lower loads of constants by their codes to calls of `s2s_look_up.h` and `s2s_look_up_groups.h`."""

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.neighbours import position
from s2s.passes.loop.lower_to_c.operations import LOWERINGS


@LOWERINGS.register(loop.LookUpOp)
def look_up(b: Builder, op: loop.LookUpOp) -> SSAValue:
    """Lower to a call with the buffer, the number's position, and its table."""
    arguments = [b.value(op.buffer), position(b, op), _table(b, op)]
    return b.add(c.CallOp("s2s_look_up", arguments, i8, reads=True, header=headers.LOOK_UP))


@LOWERINGS.register(loop.LookUpGroupOp)
def look_up_group(b: Builder, op: loop.LookUpGroupOp) -> SSAValue:
    """Lower to a load of a vector of 16 bits."""
    arguments = [pointer(b, op.buffer, position(b, op)), _table(b, op)]
    name = "look_up" if op.pairs is None else "look_up_pairs"
    return b.vector_call(name, arguments, op.result.type, header=headers.LOOK_UP_GROUPS, reads=True)


def _table(b: Builder, op: loop.LookUpOp | loop.LookUpGroupOp) -> SSAValue:
    """Return a pointer to the table."""
    return pointer(b, op.buffer, index_expression(b, op.map.data.results[1], op.indices))


__all__ = ["look_up", "look_up_group"]
