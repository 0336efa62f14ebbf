"""Bytes in lanes of 32 bits as calls of `s2s_simd_bytes.h` or `s2s_lanes.h`: widened where they are read."""

from xdsl.dialects.builtin import MemRefType, VectorType, i8, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.dialects import c, loop
from s2s.passes.loop.lower_to_c.builder import Builder, vector_name
from s2s.passes.loop.lower_to_c.index import INDEX, index_expression

LANES = VectorType(i32, [loop.ROWS])


def is_in_lanes(vector: SSAValue) -> bool:
    """Whether a vector of bytes is one for arithmetic, and not one to be widened to 16 bits."""
    if not isa(vector.type, VectorType) or vector.type.element_type != i8:
        return False
    return not any(isinstance(use.operation, loop.WidenOp) for use in vector.uses)


def carried(type: Attribute) -> Attribute:
    """The type in which vectors of `type` are carried."""
    if not isa(type, VectorType) or type.element_type != i8:
        return type
    return VectorType(i32, type.get_shape())


def load_groups(b: Builder, op: loop.LoadGroupsOp) -> SSAValue:
    """Groups of bytes: side by side, one for all lanes, or columns."""
    at = index_expression(b, op.map.data.results[0], op.indices)
    place = b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(op.buffer), at))))
    type = op.result.type
    match op.lane_stride.value.data:
        case 0:
            return b.vector_call("load_group", [place], type, reads=True)
        case 1:
            shape = [b.literal(each.value.data, INDEX) for each in (op.stride, op.count)]
            return b.vector_call("load_columns", [place, *shape], type, reads=True)
        case _:
            return b.vector_call("load_groups", [place], type, reads=True)


def store_interleaved(b: Builder, op: loop.StoreInterleavedOp) -> None:
    """Elements of several vectors in turn; where a turn takes more vectors than there are, the last one stands in."""
    at = index_expression(b, op.map.data.results[0], op.indices)
    place = b.add(c.AddressOfOp(b.add(c.SubscriptOp(b.value(op.buffer), at))))
    vectors = [b.value(value) for value in op.values]
    type = op.values[0].type
    assert isa(type, VectorType)
    if type.element_type == i8:
        name, shape = f"store_i8_by_{len(vectors)}", list[SSAValue]()
    else:
        name, shape = (
            "store_interleaved",
            [b.literal(each, INDEX) for each in (op.lane_stride, op.active, len(vectors))],
        )
        vectors += [vectors[-1]] * (type.get_shape()[0] - len(vectors))
    b.block.add_op(c.CallOp(f"{vector_name(vectors[0].type)}_{name}", [place, *shape, *vectors]))


def dot_groups(b: Builder, op: loop.DotGroupsOp) -> SSAValue:
    """Products of bytes added to accumulators."""
    name = "add_dot_i8" if op.unsigned_a is None else "add_dot_u8"
    return b.vector_call(name, [b.value(operand) for operand in op.operands], op.result.type)


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
    return b.vector_call(name, [row, constants, steps], LANES, reads=True)


def rescale(b: Builder, op: Operation) -> SSAValue:
    """A rescale of each lane."""
    assert isinstance(op, loop.RescaleLanesOp)
    operands = [b.value(operand) for operand in op.operands]
    if op.rounding.data == "high":
        operands.pop()
    return b.vector_call(f"rescale_{op.rounding.data}", operands, op.result.type)


def look_up(b: Builder, op: Operation) -> SSAValue:
    """The elements of a table at the positions in each lane."""
    assert isinstance(op, loop.LookUpLanesOp)
    return b.vector_call("look_up_i8", [b.value(op.table), b.value(op.index)], carried(op.result.type), reads=True)


def saturate(b: Builder, op: Operation) -> SSAValue:
    """Each lane limited to what a byte holds."""
    assert isinstance(op, loop.SaturateLanesOp)
    return b.vector_call("saturate_i8", [b.value(op.x)], carried(op.result.type))


__all__ = [
    "carried",
    "dot_groups",
    "dot_rows",
    "is_in_lanes",
    "load_groups",
    "look_up",
    "rescale",
    "saturate",
    "store_interleaved",
]
