"""A row of small integers against four rows of constants, as a call of `s2s_lanes.h`."""

from xdsl.dialects.builtin import MemRefType, VectorType, i16, i32
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS

_SUMS = VectorType(i32, [loop.ROWS])


@LOWERINGS.register(loop.DotRowsOp)
def dot_rows(b: Builder, op: loop.DotRowsOp) -> SSAValue:
    """A row against four rows of constants."""
    row, constants = (
        b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(buffer), index_expression(b, expr, op.indices)))))
        for buffer, expr in zip((op.x, op.w), op.map.data.results, strict=True)
    )
    assert isa(op.x.type, MemRefType)
    bits = 16 if op.x.type.element_type == i16 else 8
    name = f"dot_i{bits}_by_{op.group.value.data}"
    steps = b.literal(op.steps.value.data, INDEX)
    return b.vector_call(name, [row, constants, steps], _SUMS, reads=True)
