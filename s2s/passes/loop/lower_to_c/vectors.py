"""Operations on vectors as calls of `s2s_simd.h`, which has a form for every compiler.

There are no vectors of `i1`: `arith` compares scalars only.
"""

from collections.abc import Sequence
from math import copysign

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.analysis.structure.lanes import LANE_FUNCTIONS, is_byte
from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder, carried, header_of_bytes, literal_value, value_type
from s2s.passes.loop.lower_to_c.floats import LIBM
from s2s.passes.loop.lower_to_c.integers import Lowering
from s2s.types.dtypes import from_dense

_HEADERS: dict[str, str] = {
    **dict.fromkeys(
        ("cos", "erf", "exp", "exp_nonpositive", "exp_plus_one", "log", "round_quotient", "sin", "tanh"),
        headers.SIMD_FUNCTIONS,
    ),
    **dict.fromkeys(
        ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan"), headers.SIMD_TRIGONOMETRY
    ),
}
"""The headers of functions that `s2s_simd.h` does not declare: compilers take as long to read them as all others."""
_SHIFTS: dict[type[Operation], str] = {arith.ShLIOp: "shift_left", arith.ShRSIOp: "shift_right"}


def _by_name(name: str) -> Lowering:
    """Return the lowering to the function `name` for the operand type."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        return _call(b, name, [b.value(operand) for operand in op.operands])

    return lower


def _call(b: Builder, name: str, operands: Sequence[SSAValue]) -> SSAValue:
    """Call the function `name` of the type of its operands and result."""
    return b.vector_call(name, operands, operands[0].type, header=_HEADERS.get(name))


def splat(b: Builder, scalar: SSAValue, type: Attribute) -> SSAValue:
    """Broadcast `scalar` to every lane of a vector of `type`."""
    value, type = literal_value(scalar), carried(type)
    if value == 0 and copysign(1.0, value) > 0:
        return b.vector_call("zero", [], type)
    return b.vector_call("splat", [scalar], type)


def _constant(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, DenseIntOrFPElementsAttr):
        raise CompilerBug(f"{op.value} is not a vector constant")
    type = value_type(op.result.type)
    values = from_dense(op.value)
    if not (values == values.flat[0]).all():
        raise CompilerBug("vector constants with different lanes have no C")
    return splat(b, b.literal(values.flat[0].item(), op.value.get_element_type()), type)


def _extreme(name: str) -> Lowering:
    """Return the lowering of a minimum or maximum. A constant comes first, which allows one machine instruction."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = (b.value(operand) for operand in op.operands)
        pair = [rhs, lhs] if _is_splat_of_literal(rhs) else [lhs, rhs]
        return b.vector_call(name, pair, lhs.type)

    return lower


def _is_splat_of_literal(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, c.CallOp) and all(literal_value(argument) is not None for argument in op.arguments)


def _add(b: Builder, op: Operation) -> SSAValue:
    """Add floats. `exp(x) + 1` is one function, since what the sum loses of the power need not be computed."""
    lhs, rhs = op.operands
    for power, number in ((lhs, rhs), (rhs, lhs)):
        if isinstance(power.owner, math.ExpOp) and power.has_one_use() and _is_splat_of_one(b.value(number)):
            return _call(b, "exp_plus_one", [b.value(power.owner.operand)])
    return _by_name("add")(b, op)


def _is_splat_of_one(value: SSAValue) -> bool:
    return number_in_lanes(value) == 1.0


def number_in_lanes(value: SSAValue) -> int | float | None:
    """Return the number that a constant vector has in all lanes; None if `value` is none."""
    op = value.owner
    if not isinstance(op, c.CallOp) or len(op.arguments) != 1:
        return None
    return literal_value(op.arguments[0])


def _select(b: Builder, op: Operation) -> SSAValue:
    """Select one of two vectors by a scalar condition, with C's conditional operator."""
    assert isinstance(op, arith.SelectOp)
    return b.add(c.ConditionalOp(b.value(op.cond), b.value(op.lhs), b.value(op.rhs)))


def _exclusive_or(b: Builder, op: Operation) -> SSAValue:
    lhs, rhs = (b.value(operand) for operand in op.operands)
    inner = rhs.owner
    if isinstance(inner, c.CallOp) and [literal_value(argument) for argument in inner.arguments] == [-1]:
        return b.vector_call("bit_not", [lhs], lhs.type)
    return b.vector_call("bit_xor", [lhs, rhs], lhs.type)


def _shift(b: Builder, op: Operation) -> SSAValue:
    value, count = b.value(op.operands[0]), b.value(op.operands[1])
    inner = count.owner
    if not isinstance(inner, c.CallOp) or len(inner.arguments) != 1:
        raise CompilerBug(f"{op.name} by another number of bits in each lane has no vector function")
    return b.vector_call(_SHIFTS[type(op)], [value, inner.arguments[0]], value.type)


def _reciprocal_root(b: Builder, op: Operation) -> SSAValue:
    value = b.value(op.operands[0])
    one = splat(b, b.literal(1.0, f32), value.type)
    return b.vector_call("div", [one, b.vector_call("sqrt", [value], value.type)], value.type)


def from_integers(b: Builder, op: Operation) -> SSAValue:
    """Convert integer lanes to floats."""
    value = b.value(op.operands[0])
    return b.vector_call("from_i32", [value], value_type(op.results[0].type))


def to_integers(b: Builder, op: Operation) -> SSAValue:
    """Convert float lanes to integers, saturating unless the operands are known to be in range."""
    value, type = b.value(op.operands[0]), op.results[0].type
    wide = carried(type)
    if is_byte(op.operands[0]) or is_byte(op.operands[0], unsigned=True):
        return b.vector_call("to_i32_inside", [value], wide, of=value.type, header=headers.BYTES)
    number = b.vector_call("to_i32", [value], wide, of=value.type)
    return number if wide == type else b.vector_call("saturate_i8", [number], wide, header=header_of_bytes(wide))


def _widened(b: Builder, op: Operation) -> SSAValue:
    """Convert halves to floats, as which lanes carry them."""
    return b.value(op.operands[0])


def _narrowed(b: Builder, op: Operation) -> SSAValue:
    """Round floats to halves, unless they are only stored, which rounds them."""
    value = b.value(op.operands[0])
    if all(isinstance(use.operation, loop.StoreOp) for use in op.results[0].uses):
        return value
    return b.vector_call("round_f16", [value], value.type, header=headers.SIMD_HALF)


def _each_lane(b: Builder, op: Operation) -> SSAValue:
    """Call a scalar function for each lane."""
    if len(op.operands) != 1:
        raise CompilerBug(f"{op.name} of two vectors has no vector function")
    value = b.value(op.operands[0])
    function = b.add(c.SymbolOp(f"{LIBM[type(op)]}f", c.NamedType("function"), header=headers.LIBM))
    return b.vector_call("map", [function, value], value.type)


def _round_to_even(b: Builder, op: Operation) -> SSAValue:
    """Round to integers. A quotient by one number in all lanes is rounded with the division, which may save it."""
    divided = op.operands[0].owner
    if isinstance(divided, arith.DivfOp) and isinstance(divided.rhs.owner, loop.BroadcastOp | arith.ConstantOp):
        return _call(b, "round_quotient", [b.value(operand) for operand in divided.operands])
    return _each_lane(b, op)


VECTORS: dict[type[Operation], Lowering] = {
    **dict.fromkeys(LIBM, _each_lane),
    **dict.fromkeys(_SHIFTS, _shift),
    **{kind: _by_name(name) for kind, name in LANE_FUNCTIONS.items()},
    arith.AddfOp: _add,
    arith.ConstantOp: _constant,
    arith.ExtFOp: _widened,
    arith.TruncFOp: _narrowed,
    arith.MaximumfOp: _extreme("max"),
    arith.MinimumfOp: _extreme("min"),
    arith.SelectOp: _select,
    arith.XOrIOp: _exclusive_or,
    arith.SIToFPOp: from_integers,
    arith.FPToSIOp: to_integers,
    math.RoundEvenOp: _round_to_even,
    math.RsqrtOp: _reciprocal_root,
}
