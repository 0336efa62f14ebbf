"""Lower calls of routines of the runtime."""

from s2s.dialects import c, loop, tensor
from s2s.passes.loop.lower_to_c.affine import INDEX
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS


@LOWERINGS.register(loop.ExternOp)
def call(b: Builder, op: loop.ExternOp) -> None:
    """A call of a C function: `s2s_largest_f32(y, scratch, x, 4, 100, 5);`."""
    numbers = [b.literal(number, INDEX) for number in tensor.values_of(op.numbers)]
    b.block.add_op(c.CallOp(f"s2s_{op.routine.data}", [*(b.value(operand) for operand in op.operands), *numbers]))
