"""Write C expressions, with parentheses where C or a reader needs them.

A reader, and `gcc -Wparentheses`, pauses at `a << b + c`, `a & b == c`, `a && b || c`, `a / b * c`: these get
parentheses that precedence does not ask for.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from s2s.c_syntax.layout import Breakable, Text, call, flat
from s2s.c_syntax.literals import literal
from s2s.c_syntax.types import c_type
from s2s.dialects import c
from s2s.dialects.c import ArrayType, LValueType, PtrType
from s2s.dialects.c.conversions import is_unsigned
from s2s.errors import CompilerBug
from s2s.types.hints import isa


class Level(IntEnum):
    """Precedence of C's operators, weakest first."""

    CONDITIONAL = 0
    LOGICAL_OR = 1
    LOGICAL_AND = 2
    BIT_OR = 3
    BIT_XOR = 4
    BIT_AND = 5
    EQUALITY = 6
    RELATIONAL = 7
    SHIFT = 8
    ADDITIVE = 9
    MULTIPLICATIVE = 10
    UNARY = 11
    POSTFIX = 12


_LEVELS = {
    "||": Level.LOGICAL_OR,
    "&&": Level.LOGICAL_AND,
    "|": Level.BIT_OR,
    "^": Level.BIT_XOR,
    "&": Level.BIT_AND,
    **dict.fromkeys(("==", "!="), Level.EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">="), Level.RELATIONAL),
    **dict.fromkeys(("<<", ">>"), Level.SHIFT),
    **dict.fromkeys(("+", "-"), Level.ADDITIVE),
    **dict.fromkeys(("*", "/", "%"), Level.MULTIPLICATIVE),
}
_BITS = (Level.BIT_OR, Level.BIT_XOR, Level.BIT_AND)
_COMPARING = (Level.EQUALITY, Level.RELATIONAL)
_WIDENING = ("+", "-", "*", "/", "%", *(operator for operator, level in _LEVELS.items() if level in _COMPARING))
_ASSOCIATIVE = ("*", "&", "|", "^", "&&", "||")


class Expression(NamedTuple):
    """A written expression: its text, how strongly it holds together, and its outermost operator, if it has one."""

    text: Text
    level: Level = Level.POSTFIX
    operator: str = ""

    @property
    def flat(self) -> str:
        """The text on one line."""
        return flat(self.text)


def written(value: SSAValue, names: Callable[[SSAValue], str | None]) -> Expression:
    """`value` as it is written where it is used; `names` knows the values that have a name."""

    def recurse(value: SSAValue) -> Expression:
        name = names(value)
        if name is not None:
            return Expression(name)
        op = value.owner
        if not isinstance(op, Operation) or (writer := _WRITERS.get(type(op))) is None:
            raise CompilerBug(f"{value} has no name and is no expression; was c-name-temporaries run?")
        return writer(op, recurse)

    return recurse(value)


Recurse = Callable[[SSAValue], Expression]


def _literal(op: Operation, _: Recurse) -> Expression:
    assert isinstance(op, c.LiteralOp)
    text = literal(op.value)
    return Expression(text, Level.UNARY if text[0] in "-(" else Level.POSTFIX, "-" if text[0] == "-" else "")


def _symbol(op: Operation, _: Recurse) -> Expression:
    assert isinstance(op, c.SymbolOp)
    return Expression(op.symbol.data)


def _binary(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.BinaryOp)
    operator = op.operator.data
    level = _LEVELS[operator]
    lhs, rhs = map(recurse, _widened_once(op))
    left = _parenthesised(lhs, lhs.level < level or _pauses(operator, lhs, on_right=False))
    right = _parenthesised(rhs, rhs.level <= level or _pauses(operator, rhs, on_right=True))
    chained = isinstance(left, Breakable) and lhs.level == level and left is lhs.text
    first = left.items if chained and isinstance(left, Breakable) else (left,)
    return Expression(Breakable("", (*first, Breakable(f"{operator} ", (right,)))), level, operator)


def _widened_once(op: c.BinaryOp) -> tuple[SSAValue, SSAValue]:
    """The operands, of which C widens one to the type of the other by itself."""
    operator, lhs, rhs = op.operator.data, op.lhs, op.rhs
    if operator not in _WIDENING or c_type(lhs.type) != c_type(rhs.type):
        return lhs, rhs
    if (narrow := without_widening(rhs)) is not rhs:
        return lhs, narrow
    return without_widening(lhs), rhs


def without_widening(value: SSAValue) -> SSAValue:
    """`value`, or what a cast made a wider integer of: C does the same where the wider type is expected."""
    op = value.owner
    if not isinstance(op, c.CastOp):
        return value
    narrow, wide = op.operand.type, op.result.type
    if not isa(narrow, IntegerType) or not isa(wide, IntegerType) or i1 in (narrow, wide):
        return value
    signed = not is_unsigned(narrow) and not is_unsigned(wide)
    return op.operand if signed and narrow.width.data < wide.width.data else value


def _pauses(operator: str, operand: Expression, *, on_right: bool) -> bool:
    """Return whether a reader needs parentheses around `operand` beside `operator`, although C does not."""
    outer, inner = _LEVELS[operator], operand.level
    if operand.operator == "!" and (outer in _BITS or outer in _COMPARING):
        return True
    if inner >= Level.UNARY:
        return on_right and outer is Level.ADDITIVE and operand.operator == "-"
    if outer is Level.SHIFT:
        return True
    if outer in _BITS:
        return operand.operator != operator
    if outer in _COMPARING:
        return inner in _COMPARING
    if outer is Level.MULTIPLICATIVE:
        return operand.operator != operator or operator not in _ASSOCIATIVE
    return outer is Level.LOGICAL_OR and inner is Level.LOGICAL_AND


def _unary(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.UnaryOp)
    operand = recurse(op.operand)
    text = _parenthesised(operand, operand.level < Level.UNARY or operand.operator == "-")
    return Expression(Breakable(op.operator.data, (text,)), Level.UNARY, op.operator.data)


def _cast(op: Operation, recurse: Recurse) -> Expression:
    """`(type)x`; nothing where both types are spelt the same, as `index` and `i32` are."""
    assert isinstance(op, c.CastOp)
    operand = recurse(op.operand)
    spelling = c_type(op.result.type)
    if c_type(op.operand.type) == spelling:
        return operand
    return Expression(Breakable(f"({spelling})", (_strong(operand, Level.UNARY),)), Level.UNARY)


def _conditional(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.ConditionalOp)
    condition, chosen, otherwise = map(recurse, (op.condition, op.chosen, op.otherwise))
    items = (
        _strong(condition, Level.BIT_OR),
        Breakable("? ", (_strong(chosen, Level.LOGICAL_OR),)),
        Breakable(": ", (_strong(otherwise, Level.LOGICAL_OR),)),
    )
    return Expression(Breakable("", items), Level.CONDITIONAL)


def _call(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.CallOp)
    return Expression(call(f"{op.callee.data}(", [recurse(argument).text for argument in op.arguments]))


def _aggregate(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.AggregateOp)
    return Expression(call("{", [recurse(member).text for member in op.members], "}"))


def _subscript(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.SubscriptOp)
    base, index = recurse(op.base), recurse(op.index)
    opened = _strong(base, Level.POSTFIX)
    return Expression(Breakable(f"{flat(opened)}[", (index.text,), "]"))


def _member(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.MemberOp)
    arrow = "->" if isinstance(op.base.type, PtrType) else "."
    return Expression(f"{flat(_strong(recurse(op.base), Level.POSTFIX))}{arrow}{op.field.data}")


def _address_of(op: Operation, recurse: Recurse) -> Expression:
    """`&x`; an array's name is already the address of its first element."""
    assert isinstance(op, c.AddressOfOp)
    place = recurse(op.place)
    if isinstance(op.place.type, LValueType) and isinstance(op.place.type.element, ArrayType):
        return place
    return Expression(f"&{flat(_strong(place, Level.UNARY))}", Level.UNARY, "&")


def _load(op: Operation, recurse: Recurse) -> Expression:
    assert isinstance(op, c.LoadOp)
    return recurse(op.place)


def _strong(expression: Expression, level: Level) -> Text:
    """Return the text, in parentheses if it binds weaker than `level`."""
    return _parenthesised(expression, expression.level < level)


def _parenthesised(expression: Expression, wanted: bool) -> Text:
    return Breakable("(", (expression.text,), ")") if wanted else expression.text


_WRITERS: dict[type[Operation], Callable[[Operation, Recurse], Expression]] = {
    c.LiteralOp: _literal,
    c.SymbolOp: _symbol,
    c.BinaryOp: _binary,
    c.UnaryOp: _unary,
    c.CastOp: _cast,
    c.ConditionalOp: _conditional,
    c.CallOp: _call,
    c.AggregateOp: _aggregate,
    c.SubscriptOp: _subscript,
    c.MemberOp: _member,
    c.AddressOfOp: _address_of,
    c.LoadOp: _load,
}
EXPRESSIONS = frozenset(_WRITERS)
"""The operations that are written where their result is used."""
