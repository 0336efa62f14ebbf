"""The types that C gives to its expressions: integer promotions and usual arithmetic conversions (C99 6.3.1).

`index` stands for one integer type chosen by the target (`int32_t` unless told otherwise); beside narrower integers
and `i32` it stays `index`. A comparison has type `int` in C; here it is `i1`, as it holds only 0 and 1.
Vectors have no operators: without GNU extensions they are structures, and functions of the runtime compute with them.
"""

from typing import Final

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute

from s2s.dialects.c.types import STATUS, VOID, PtrType
from s2s.types.hints import isa

ARITHMETIC: Final = ("+", "-", "*", "/")
INTEGER_ONLY: Final = ("%", "&", "|", "^")
SHIFTS: Final = ("<<", ">>")
COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL: Final = ("&&", "||")
BINARY_OPERATORS: Final = ARITHMETIC + INTEGER_ONLY + SHIFTS + COMPARISONS + LOGICAL
UNARY_OPERATORS: Final = ("-", "~", "!")
ASSIGNMENT_OPERATORS: Final = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")

_UI32 = IntegerType(32, Signedness.UNSIGNED)
_UI64 = IntegerType(64, Signedness.UNSIGNED)


def is_integer(type: Attribute) -> bool:
    """One of C's integer types: `bool` and the counting type are among them."""
    return isinstance(type, IntegerType | IndexType)


def is_float(type: Attribute) -> bool:
    """One of C's floating types; half precision is none of them."""
    return isinstance(type, Float32Type | Float64Type)


def is_half(type: Attribute) -> bool:
    """A format that C only stores; the runtime converts it."""
    return isinstance(type, Float16Type | BFloat16Type)


def is_unsigned(type: Attribute) -> bool:
    """An unsigned integer. Signless integers are C's signed ones, `i1` is `bool`."""
    return isa(type, IntegerType) and (type.signedness.data is Signedness.UNSIGNED or type.width.data == 1)


def promote(type: Attribute) -> Attribute | None:
    """The type of `type` as an operand: what is narrower than `int` becomes `int`. `None`: it has no arithmetic."""
    if isinstance(type, IndexType):
        return type
    if isa(type, IntegerType):
        return i32 if type.width.data < 32 else type
    return type if is_float(type) else None


def common_type(lhs: Attribute, rhs: Attribute) -> Attribute | None:
    """The type in which C computes with `lhs` and `rhs`, or `None` where it would not, or where signs would mix."""
    left, right = promote(lhs), promote(rhs)
    if left is None or right is None:
        return None
    if left == right:
        return left
    for floating in (f64, f32):
        if floating in (left, right):
            return floating
    if _UI64 in (left, right) or _UI32 in (left, right):
        unsigned = {left, right} <= {_UI32, _UI64}
        return _UI64 if unsigned else None
    return i64 if i64 in (left, right) else IndexType()


def binary_type(operator: str, lhs: Attribute, rhs: Attribute) -> Attribute | None:
    """The type of `lhs operator rhs`, or `None` where C has no such expression or a reader would not trust it."""
    if operator in LOGICAL:
        return i1
    if operator in COMPARISONS:
        return i1 if _comparable(lhs, rhs) or common_type(lhs, rhs) is not None else None
    if operator in ("+", "-") and isinstance(lhs, PtrType):
        return lhs.without_restrict() if is_integer(rhs) else None
    if operator in SHIFTS:
        return promote(lhs) if is_integer(lhs) and is_integer(rhs) else None
    result = common_type(lhs, rhs)
    if operator in INTEGER_ONLY and result is not None and not is_integer(result):
        return None
    return result if operator in BINARY_OPERATORS else None


def _comparable(lhs: Attribute, rhs: Attribute) -> bool:
    """Two statuses, or pointers to the same type, or one of them to `void`."""
    if lhs == rhs == STATUS:
        return True
    if not isinstance(lhs, PtrType) or not isinstance(rhs, PtrType):
        return False
    return lhs.element == rhs.element or VOID in (lhs.element, rhs.element)


def unary_type(operator: str, operand: Attribute) -> Attribute | None:
    """The type of `operator operand`, or `None` where C has no such expression."""
    if operator == "!":
        return i1
    promoted = promote(operand)
    if operator == "~" and promoted is not None and not is_integer(promoted):
        return None
    return promoted if operator in UNARY_OPERATORS else None
