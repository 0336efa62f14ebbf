"""Lower casts, rescales, quantisation and table look-ups lane by lane. Loads extend bytes to lanes of 32 bits."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, f32, i32
from xdsl.ir import Attribute, SSAValue

from s2s.c_syntax import headers
from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.builder import Builder, carried, header_of_bytes
from s2s.passes.loop.lower_to_c.floats import quantisation_call
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.passes.loop.lower_to_c.vectors import from_integers, number_in_lanes, to_integers
from s2s.types.hints import isa


@LOWERINGS.register(loop.RescaleLanesOp)
def rescale(b: Builder, op: loop.RescaleLanesOp) -> SSAValue:
    """Rescale each lane."""
    operands = [b.value(operand) for operand in op.operands]
    if op.rounding.data == "high":
        operands.pop()
    header, name = header_of_bytes(op.result.type), f"rescale_{op.rounding.data}"
    if header == headers.LANES and op.rounding.data in ("negative", "upward") and not _fills_registers(op.x):
        numbers = [number for factor in operands[1:] if (number := number_in_lanes(factor)) is not None]
        if len(numbers) == len(operands[1:]):
            operands, name = [operands[0], *(b.literal(number, i32) for number in numbers)], f"{name}_by"
    return b.vector_call(name, operands, op.result.type, header=header)


def _fills_registers(value: SSAValue) -> bool:
    """Return whether `value` is a sum of rows in memory, whose pointers and sums fill the integer registers, so that
    factors of it are vectors."""
    op = value.owner
    if isinstance(op, arith.AddiOp):
        return any(map(_fills_registers, op.operands))
    return isinstance(op, loop.IntrinsicRowsOp)


@LOWERINGS.register(loop.LookUpLanesOp)
def look_up(b: Builder, op: loop.LookUpLanesOp) -> SSAValue:
    """Gather the elements of a table at the positions in each lane."""
    arguments, type = [b.value(op.table), b.value(op.index)], carried(op.result.type)
    return b.vector_call("look_up_i8", arguments, type, header=headers.BYTES, reads=True)


@LOWERINGS.register(loop.SaturateLanesOp)
def saturate(b: Builder, op: loop.SaturateLanesOp) -> SSAValue:
    """Saturate each lane to a byte."""
    type = carried(op.result.type)
    return b.vector_call("saturate_i8", [b.value(op.x)], type, header=header_of_bytes(type))


@LOWERINGS.register(loop.QuantizeLanesOp)
def quantize(b: Builder, op: loop.QuantizeLanesOp) -> SSAValue:
    """Round each lane, add the zero point, and saturate to a byte."""
    name, numbers = quantisation_call(b, op)
    return b.vector_call(name, [b.value(op.x), *numbers], carried(op.result.type), header=headers.ROUND_LANES)


@LOWERINGS.register(loop.CastLanesOp)
def cast(b: Builder, op: loop.CastLanesOp) -> SSAValue:
    """Cast each lane; loads extend bytes and stores truncate them, so that casts of bytes are free."""
    if _element(op.x) == f32:
        return to_integers(b, op)
    return from_integers(b, op) if _element(op.result) == f32 else b.value(op.x)


def _element(vector: SSAValue) -> Attribute:
    assert isa(vector.type, VectorType)
    return vector.type.element_type
