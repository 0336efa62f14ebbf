"""Lower integer operations of `arith` and `math` to C.

They wrap around, and C's signed integers must not overflow: where the operation does not promise that it stays in range
(`overflow<nsw>`), a function of `s2s_math.h` computes it. Index arithmetic always stays in range.
"""

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.analysis.structure.products import has_flag
from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.dialects.c.conversions import is_unsigned, promote
from s2s.dialects.tensor import SHORT_ROUNDINGS, RescaleOp, SaturateOp
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder, literal_value, signed_type
from s2s.types.hints import isa

Lowering = Callable[[Builder, Operation], SSAValue]


def _narrowed(b: Builder, value: SSAValue, type: Attribute) -> SSAValue:
    """Convert `value`, which C has promoted, back to `type`."""
    return b.cast(value, type)


def _plain(operator: str) -> Callable[[Builder, SSAValue, SSAValue], SSAValue]:
    """Return the lowering to a C operator whose result is converted back to the operand type."""
    return lambda b, lhs, rhs: _narrowed(b, b.binary(operator, lhs, rhs), lhs.type)


def is_unsigned_word(type: Attribute) -> bool:
    """Return whether C computes modulo a power of two in `type`, without widening it to `int`."""
    return is_unsigned(type) and promote(type) == type


def _stays_in_range(op: Operation, type: Attribute) -> bool:
    """Return whether the C operator is exact: for an index, an unsigned word, or an operation with a no-overflow
    flag."""
    if isinstance(type, IndexType) or is_unsigned_word(type):
        return True
    return has_flag(op, arith.IntegerOverflowFlag.NSW)


def _in_range(b: Builder, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Write an operation that cannot overflow; adding a negative number becomes a subtraction."""
    number, type = literal_value(rhs), rhs.type
    if (
        operator == "+"
        and isinstance(number, int)
        and isa(type, IntegerType)
        and 0 < -number < 2 ** (type.width.data - 1)
    ):
        return _plain("-")(b, lhs, b.literal(-number, type))
    return _plain(operator)(b, lhs, rhs)


def _wrapping(operator: str, function: str) -> Lowering:
    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = b.same_sign(*op.operands)
        if lhs.type == i1:
            return b.binary("!=" if operator in "+-" else "&&", lhs, rhs)
        if operator == "+" and literal_value(lhs) == 0:
            return rhs
        if _stays_in_range(op, lhs.type):
            return _in_range(b, operator, lhs, rhs)
        if any(is_unsigned_word(b.value(operand).type) for operand in op.operands):
            return _plain(operator)(b, *(b.unsigned(operand) for operand in op.operands))
        return b.scalar_call(function, [lhs, rhs], lhs.type)

    return lower


def _division(operator: str, function: str, *, unsigned: bool = False) -> Lowering:
    """Return the lowering of a division: the C operator for a safe constant divisor, else a runtime function."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = (b.unsigned(value) if unsigned else b.signed(value) for value in op.operands)
        if isinstance(lhs.type, IndexType) or literal_value(rhs) not in (None, 0, -1):
            return _plain(operator)(b, lhs, rhs)
        return b.scalar_call(function, [lhs, rhs], lhs.type)

    return lower


def _rounded_division(*, up: bool) -> Lowering:
    """Return the lowering of a division that rounds up or down, by a positive number: `a / b - (a % b < 0)`."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = map(b.signed, op.operands)
        divisor = literal_value(rhs)
        if divisor is None or divisor <= 0:
            raise CompilerBug(f"{op.name} by what is not a positive constant has no C")
        zero = b.literal(0, lhs.type)
        rest = b.binary("%", lhs, rhs)
        beyond = b.cast(b.binary(">" if up else "<", rest, zero), signed_type(lhs.type))
        return _narrowed(b, b.binary("+" if up else "-", b.binary("/", lhs, rhs), beyond), lhs.type)

    return lower


def _unsigned_ceil(b: Builder, op: Operation) -> SSAValue:
    lhs, rhs = map(b.unsigned, op.operands)
    if literal_value(rhs) in (None, 0):
        raise CompilerBug(f"{op.name} by what is not a positive constant has no C")
    rest = b.binary("!=", b.binary("%", lhs, rhs), b.literal(0, lhs.type))
    return _narrowed(b, b.binary("+", b.binary("/", lhs, rhs), b.cast(rest, lhs.type)), lhs.type)


def _function(name: str, *, unsigned: bool = False) -> Lowering:
    """Return the lowering to a runtime function for the operand type."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        operands = [b.unsigned(value) if unsigned else b.signed(value) for value in op.operands]
        if operands[0].type == i1:
            return _on_bools(b, name, operands, unsigned=unsigned)
        type = IntegerType(32) if isinstance(operands[0].type, IndexType) else operands[0].type
        result = b.scalar_call(name, [b.cast(operand, type) for operand in operands], type)
        return b.cast(result, operands[0].type)

    return lower


def _on_bools(b: Builder, name: str, operands: list[SSAValue], *, unsigned: bool) -> SSAValue:
    """Lower minimum and maximum of booleans; a signed true is -1, less than false."""
    operator = {"min": "&&", "max": "||"}.get(name)
    if operator is None:
        raise CompilerBug(f"{name} of booleans has no C")
    if not unsigned:
        operator = "||" if operator == "&&" else "&&"
    return b.binary(operator, *operands)


def is_negation(op: Operation) -> bool:
    """Return whether `op` is the exclusive or of a boolean with true."""
    if not isinstance(op, arith.XOrIOp) or op.result.type != i1:
        return False
    constant = op.rhs.owner
    return (
        isinstance(constant, arith.ConstantOp) and isa(constant.value, IntegerAttr) and bool(constant.value.value.data)
    )


def _bits(operator: str, logical: str) -> Lowering:
    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = b.same_sign(*op.operands)
        if lhs.type == i1:
            if logical != "!=" and isinstance(
                rhs.owner, c.LoadOp
            ):  # C compilers do not vectorise a load that && may skip
                return _plain(operator)(b, lhs, rhs)
            return b.unary("!", lhs) if is_negation(op) else b.binary(logical, lhs, rhs)
        if operator == "^" and literal_value(rhs) == -1:
            return _narrowed(b, b.unary("~", lhs), lhs.type)
        return _plain(operator)(b, lhs, rhs)

    return lower


def _shift(operator: str, function: str, *, unsigned: bool = False) -> Lowering:
    """Return the lowering of a shift: the C operator for a right shift by a constant in range, else a runtime
    function, since a left shift may overflow in C."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = (b.unsigned(value) if unsigned else b.signed(value) for value in op.operands)
        count = literal_value(rhs)
        width = lhs.type.width.data if isa(lhs.type, IntegerType) else 32
        if operator == ">>" and count is not None and 0 <= count < width:
            return _plain(operator)(b, lhs, rhs)
        return b.scalar_call(function, [lhs, rhs], lhs.type)

    return lower


_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _compare(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.CmpiOp)
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    operator = _COMPARISONS[predicate[-2:]]
    if predicate in ("eq", "ne"):
        return b.binary(operator, *b.same_sign(*op.operands))
    if predicate[0] == "u":
        return b.binary(operator, *map(b.unsigned, op.operands))
    lhs, rhs = map(b.signed, op.operands)
    return b.binary(operator, rhs, lhs) if lhs.type == i1 else b.binary(operator, lhs, rhs)


def _extend_signed(b: Builder, op: Operation) -> SSAValue:
    value = b.signed(op.operands[0])
    widened = b.cast(value, op.results[0].type)
    return b.unary("-", widened) if value.type == i1 else widened


def _extend_unsigned(b: Builder, op: Operation) -> SSAValue:
    return b.cast(b.unsigned(op.operands[0]), op.results[0].type)


def _truncate(b: Builder, op: Operation) -> SSAValue:
    value, type = b.value(op.operands[0]), op.results[0].type
    if type != i1:
        return b.cast(value, type)
    lowest = b.binary("&", value, b.literal(1, value.type))
    return b.binary("!=", lowest, b.literal(0, value.type))


def _index_cast(b: Builder, op: Operation) -> SSAValue:
    return b.cast(b.signed(op.operands[0]), op.results[0].type)


def _rescale(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, RescaleOp)
    sum, name = op.x.owner, f"s2s_rescale_{op.rounding.data}"
    operands = list(op.operands)
    if isinstance(sum, loop.PairsSumOp) and op.rounding.data in SHORT_ROUNDINGS:
        name, operands[0] = f"{name}_of_pairs", sum.acc
    if op.rounding.data == "high":
        operands.pop()
    arguments = [b.signed(operand) for operand in operands]
    if op.rounding.data in SHORT_ROUNDINGS:
        arguments.append(b.zero_point(op, op.added, i32))
    return b.call(name, arguments, i32, headers.QUANTIZE)


def _saturate(b: Builder, op: Operation) -> SSAValue:
    return b.call("s2s_saturate_i8", [b.signed(op.operands[0])], op.results[0].type, headers.QUANTIZE)


INTEGERS: dict[type[Operation], Lowering] = {
    arith.AddiOp: _wrapping("+", "add"),
    arith.SubiOp: _wrapping("-", "sub"),
    arith.MuliOp: _wrapping("*", "mul"),
    arith.DivSIOp: _division("/", "div"),
    arith.RemSIOp: _division("%", "rem"),
    arith.DivUIOp: _division("/", "div", unsigned=True),
    arith.RemUIOp: _division("%", "rem", unsigned=True),
    arith.FloorDivSIOp: _rounded_division(up=False),
    arith.CeilDivSIOp: _rounded_division(up=True),
    arith.CeilDivUIOp: _unsigned_ceil,
    arith.MinSIOp: _function("min"),
    arith.MaxSIOp: _function("max"),
    arith.MinUIOp: _function("min", unsigned=True),
    arith.MaxUIOp: _function("max", unsigned=True),
    arith.AndIOp: _bits("&", "&&"),
    arith.OrIOp: _bits("|", "||"),
    arith.XOrIOp: _bits("^", "!="),
    arith.ShLIOp: _shift("<<", "shift_left"),
    arith.ShRSIOp: _shift(">>", "shift_right"),
    arith.ShRUIOp: _shift(">>", "shift_right", unsigned=True),
    arith.CmpiOp: _compare,
    arith.ExtSIOp: _extend_signed,
    arith.ExtUIOp: _extend_unsigned,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    math.AbsIOp: _function("abs"),
    math.IPowIOp: _function("pow"),
    math.CountLeadingZerosOp: _function("leading_zeros", unsigned=True),
    RescaleOp: _rescale,
    SaturateOp: _saturate,
}
