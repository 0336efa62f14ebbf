"""Four lanes of small integers as calls of `s2s_lanes.h`: bytes are carried as 32 bits, widened where they are read."""

from xdsl.dialects.builtin import MemRefType, VectorType, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.index import INDEX, index_expression

LANES = VectorType(i32, [loop.ROWS])


def is_in_lanes(vector: SSAValue) -> bool:
    """Whether a vector of bytes is one for arithmetic, and not one to be widened to 16 bits."""
    if vector.type != VectorType(i8, [loop.ROWS]):
        return False
    return not any(isinstance(use.operation, loop.WidenOp) for use in vector.uses)


def carried(type: Attribute) -> Attribute:
    """The type in which vectors of `type` are carried."""
    return LANES if type == VectorType(i8, [loop.ROWS]) else type


def load(b: Builder, op: loop.LoadOp, pointer: SSAValue) -> SSAValue:
    """Four neighbours."""
    _check(op)
    return b.vector_call("load_i8", [pointer], LANES, reads=True)


def store(b: Builder, op: loop.StoreOp, pointer: SSAValue, value: SSAValue) -> None:
    """Four neighbours."""
    _check(op)
    b.block.add_op(c.CallOp("s2s_i32x4_store_i8", [pointer, value]))


def _check(op: loop.LoadOp | loop.StoreOp) -> None:
    if op.lane_stride != 1 or op.lanes is not None:
        raise CompilerBug(f"{op.name}: lanes of bytes are four neighbours")


def dot_rows(b: Builder, op: loop.DotRowsOp) -> SSAValue:
    """A row against four rows of constants."""
    row, constants = (
        b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(buffer), index_expression(b, expr, op.indices)))))
        for buffer, expr in zip((op.x, op.w), op.map.data.results, strict=True)
    )
    assert isa(op.x.type, MemRefType[Attribute])
    bits = 16 if op.x.type.element_type == i16 else 8
    name = f"dot_i{bits}_by_{op.group.value.data}"
    steps = b.literal(op.steps.value.data, INDEX)
    return b.vector_call(name, [row, constants, steps], LANES, reads=True)


def cast(b: Builder, op: Operation) -> SSAValue:
    """Bytes are widened where they are read, and cut where they are written."""
    assert isinstance(op, loop.CastLanesOp)
    return b.value(op.x)


def rescale(b: Builder, op: Operation) -> SSAValue:
    """A rescale of each lane."""
    assert isinstance(op, loop.RescaleLanesOp)
    operands = [b.value(operand) for operand in op.operands]
    if op.rounding.data == "high":
        operands.pop()
    return b.vector_call(f"rescale_{op.rounding.data}", operands, LANES)


def saturate(b: Builder, op: Operation) -> SSAValue:
    """Each lane limited to what a byte holds."""
    assert isinstance(op, loop.SaturateLanesOp)
    return b.vector_call("saturate_i8", [b.value(op.x)], LANES)


__all__ = ["carried", "cast", "dot_rows", "is_in_lanes", "load", "rescale", "saturate", "store"]
