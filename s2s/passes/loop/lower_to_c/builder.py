"""Append c operations in order, and remember what each loop value became.

Integers of `arith` have no sign; those of C do. A value keeps the sign it came with (that of the buffer it was loaded
from), and is cast where an operation reads it the other way.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    VectorType,
    f32,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.c_syntax.types import element_name, vector_type
from s2s.dialects import c, loop
from s2s.dialects.c.conversions import is_half, is_unsigned
from s2s.errors import CompilerBug
from s2s.types.affine import Linear, Range


def unsigned_type(type: Attribute) -> Attribute:
    """The unsigned integer as wide as `type`."""
    if not isa(type, IntegerType):
        raise CompilerBug(f"{type} has no unsigned form")
    return type if type.width.data == 1 else IntegerType(type.width.data, Signedness.UNSIGNED)


def signed_type(type: Attribute) -> Attribute:
    """The signed integer as wide as `type`; any other type is itself."""
    return IntegerType(type.width.data) if isa(type, IntegerType) else type


def value_type(type: Attribute) -> Attribute:
    """The C type in which a loop value of `type` is carried.

    Half-precision numbers are carried as `float`, rounded after every operation.
    """
    if isa(type, MemRefType):
        return c.PtrType(type.element_type)
    return f32 if is_half(type) else type


def literal_value(value: SSAValue) -> int | float | None:
    """The number that `value` is, if it is a literal."""
    op = value.owner
    return op.value.value.data if isinstance(op, c.LiteralOp) else None


def _wrapped(number: int, type: IntegerType) -> int:
    """`number` modulo 2 ** width, in the range of `type`: -56 as `ui8` is 200, 200 as `i8` is -56."""
    rest = number % (1 << type.width.data)
    signed = type.signedness.data != Signedness.UNSIGNED
    return rest - (1 << type.width.data) if signed and rest >> (type.width.data - 1) else rest


def vector_name(type: Attribute) -> str:
    """The name of a vector type, with which its functions begin."""
    if not isa(type, VectorType):
        raise CompilerBug(f"{type} is not a vector")
    return vector_type(type.element_type, type.get_shape()[0])


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


@dataclass
class Neighbours:
    """Accesses whose positions differ by constants: the position of the first one, once it has been written."""

    form: Linear
    value: SSAValue | None = None


@dataclass
class Builder:
    """Appends c operations to the innermost open block."""

    block: Block
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    ranges: dict[SSAValue, Range] = field(default_factory=dict[SSAValue, Range])
    """Smallest and largest value of the loop counters in reach."""
    part: tuple[SSAValue, SSAValue] | None = None
    """The iterations of a divided kernel that the function is asked for: the first, and where it ends."""
    neighbours: Mapping[Operation, "Neighbours"] = field(default_factory=dict[Operation, "Neighbours"])
    """The accesses of the block that share the long part of their position with others."""

    @contextmanager
    def sharing(self, neighbours: Mapping[Operation, Neighbours]) -> Generator[None]:
        """Write the positions of `neighbours` from one that they share meanwhile."""
        outer, self.neighbours = self.neighbours, neighbours
        try:
            yield
        finally:
            self.neighbours = outer

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Append to `block` meanwhile."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    def add(self, op: Operation) -> SSAValue:
        """Append `op` and return its result."""
        self.block.add_op(op)
        return op.results[0]

    def bind(self, old: SSAValue, new: SSAValue) -> None:
        """`old` became `new`, and hands its name on."""
        self.values[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def value(self, old: SSAValue) -> SSAValue:
        """What `old` became."""
        if old not in self.values:
            raise CompilerBug(f"{old} was not lowered to C before its use")
        return self.values[old]

    def literal(self, value: float, type: Attribute) -> SSAValue:
        """A number of `type`."""
        if isinstance(type, AnyFloat):
            return self.add(c.LiteralOp(FloatAttr(float(value), type)))
        if isa(type, IntegerType) or isinstance(type, IndexType):
            return self.add(c.LiteralOp(IntegerAttr(int(value), type)))
        raise CompilerBug(f"{type} has no literals")

    def binary(self, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`lhs operator rhs`."""
        return self.add(c.BinaryOp(operator, lhs, rhs))

    def unary(self, operator: str, operand: SSAValue) -> SSAValue:
        """`operator operand`."""
        return self.add(c.UnaryOp(operator, operand))

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` as `type`; itself where it has that type, and a literal as the literal of the same bits."""
        if value.type == type:
            return value
        number = literal_value(value)
        if isinstance(number, int) and isa(type, IntegerType) and type.width.data > 1:
            return self.literal(_wrapped(number, type), type)
        return self.add(c.CastOp(value, type))

    def call(self, name: str, arguments: Sequence[SSAValue], type: Attribute, *, reads: bool = False) -> SSAValue:
        """The result of a function that only computes, or only reads."""
        return self.add(c.CallOp(name, arguments, type, pure=not reads, reads=reads))

    def scalar_call(self, name: str, arguments: Sequence[SSAValue], type: Attribute) -> SSAValue:
        """A scalar function of the runtime for one type: `s2s_i32_add(a, b)`."""
        return self.call(f"s2s_{element_name(type)}_{name}", arguments, type)

    def vector_call(
        self,
        name: str,
        arguments: Sequence[SSAValue],
        type: Attribute,
        *,
        of: Attribute | None = None,
        reads: bool = False,
    ) -> SSAValue:
        """A vector function of the runtime: `s2s_f32x16_add(a, b)`; `of` is its vector type where it gives another."""
        return self.call(f"{vector_name(of or type)}_{name}", arguments, type, reads=reads)

    def signed(self, old: SSAValue) -> SSAValue:
        """What `old` became, read as signed."""
        new = self.value(old)
        return self.cast(new, signed_type(new.type)) if is_unsigned(new.type) and new.type != i1 else new

    def unsigned(self, old: SSAValue) -> SSAValue:
        """What `old` became, read as unsigned."""
        new = self.value(old)
        return self.cast(new, unsigned_type(new.type))

    def same_sign(self, *old: SSAValue) -> list[SSAValue]:
        """What the values became, all of one sign: as they are if they agree, else signed."""
        new = [self.value(value) for value in old]
        if len({value.type for value in new}) == 1:
            return new
        return [self.signed(value) for value in old]
