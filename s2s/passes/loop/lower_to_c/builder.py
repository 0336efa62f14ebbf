"""Append c operations in order, and record the C value of each loop value.

Integers of `arith` are signless; those of C have a sign. A value keeps the sign that it has in memory, and is cast
where an operation reads it with the other sign.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import lru_cache

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    VectorType,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.structure.products import number_of
from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name, vector_type
from s2s.dialects import c, loop
from s2s.dialects.c.conversions import is_half, is_unsigned
from s2s.dialects.loop.products import WORD
from s2s.dialects.operation import Op
from s2s.errors import CompilerBug
from s2s.support.mutable import mutable
from s2s.types.affine import Linear, Range
from s2s.types.hints import isa


def unsigned_type(type: Attribute) -> Attribute:
    """Return the unsigned integer type as wide as `type`."""
    if not isa(type, IntegerType):
        raise CompilerBug(f"{type} has no unsigned form")
    return type if type.width.data == 1 else IntegerType(type.width.data, Signedness.UNSIGNED)


def signed_type(type: Attribute) -> Attribute:
    """Return the signed integer type as wide as `type`; any other type unchanged."""
    return IntegerType(type.width.data) if isa(type, IntegerType) else type


def value_type(type: Attribute) -> Attribute:
    """Return the C type of a loop value of `type`.

    Half-precision numbers are carried as `float`, rounded after every operation.
    """
    if isa(type, MemRefType):
        return c.PtrType(type.element_type)
    return f32 if is_half(type) else type


def literal_value(value: SSAValue) -> int | float | None:
    """Return the number of a literal; None if `value` is none."""
    op = value.owner
    return op.value.value.data if isinstance(op, c.LiteralOp) else None


def _wrapped(number: int, type: IntegerType) -> int:
    """Return `number` modulo 2 ** width, in the range of `type`: -56 as `ui8` is 200, 200 as `i8` is -56."""
    rest = number % (1 << type.width.data)
    signed = type.signedness.data != Signedness.UNSIGNED
    return rest - (1 << type.width.data) if signed and rest >> (type.width.data - 1) else rest


def vector_name(type: Attribute) -> str:
    """Return the name of a vector type, which is the prefix of its functions."""
    if not isa(type, VectorType):
        raise CompilerBug(f"{type} is not a vector")
    return vector_type(type.element_type, type.get_shape()[0])


def header_of_vectors(type: Attribute) -> str:
    """Return the header that declares a vector type and its arithmetic."""
    return headers.DSP if isa(type, VectorType) and type.element_type in (i8, i16) else headers.SIMD


def header_of_bytes(type: Attribute) -> str:
    """Return the header of the functions that narrow and widen lanes of 32 bits from and to bytes: four lanes have one
    of their own."""
    return headers.LANES if isa(type, VectorType) and type.get_shape()[0] == WORD else headers.BYTES


ROWS = ("dot_window", "dot_group")
"""The forms of intrinsics that multiply rows of bytes in registers."""


def is_in_lanes(vector: SSAValue) -> bool:
    """Return whether a vector of bytes is used in byte arithmetic, not extended to 16 bits or multiplied as it is."""
    if not isa(vector.type, VectorType) or vector.type.element_type != i8:
        return False
    widened = loop.ExtendOp | loop.IntrinsicOp | loop.PairFactorsOp | loop.PairsOp
    return not any(isinstance(use.operation, widened) for use in vector.uses)


def is_row(vector: SSAValue) -> bool:
    """Return whether a vector of bytes is a row of bytes, or four of them, which have C types of their own: they fill
    registers."""
    users = [use.operation for use in vector.uses if use.index]
    return any(isinstance(user, loop.IntrinsicOp) and user.intrinsic.form.data in ROWS for user in users)


def carried(type: Attribute) -> Attribute:
    """Return the C type of vectors of `type`: bytes are carried in lanes of integers, halves in lanes of floats."""
    if not isa(type, VectorType) or type.element_type not in (i8, f16):
        return type
    return VectorType(i32 if type.element_type == i8 else f32, type.get_shape())


@lru_cache(maxsize=4096)
def _integer(value: int, type: IntegerType | IndexType) -> IntegerAttr:
    """The attribute of an integer; the same object each time, since making and checking one takes long."""
    return IntegerAttr(value, type)


@mutable
class Neighbours:
    """Accesses whose positions differ by constants, with the position of the first one once it is written."""

    form: Linear
    value: SSAValue | None = None


@mutable
class Builder:
    """Appends c operations to the innermost open block."""

    block: Block
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    ranges: dict[SSAValue, Range] = field(default_factory=dict[SSAValue, Range])
    """The ranges of the loop counters in scope."""
    part: tuple[SSAValue, SSAValue] | None = None
    """The iterations that a divided kernel's function executes: the first, and the end."""
    tile: SSAValue | None = None
    """The tile that a kernel's function computes."""
    neighbours: Mapping[Operation, tuple[Neighbours, int]] = field(
        default_factory=dict[Operation, tuple[Neighbours, int]]
    )
    """The accesses of the block that share the long part of their position, and their distance from the first one."""

    weights: Mapping[str, str] = field(default_factory=dict[str, str])
    """The C names of the weights that a kernel may name."""
    zero_points: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """The zero points that a pack of weights brings, by number."""
    sizes: Mapping[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The sizes of this run, by name."""
    ends: dict[tuple[Attribute, tuple[SSAValue, ...]], SSAValue] = field(
        default_factory=dict[tuple[Attribute, tuple[SSAValue, ...]], SSAValue]
    )
    """The ends of loops that are written, by their map and its operands."""
    outer: list[Block] = field(default_factory=list[Block])
    """The open blocks around `block`, outermost first."""

    @contextmanager
    def sharing(self, neighbours: Mapping[Operation, tuple[Neighbours, int]]) -> Generator[None]:
        """Within the context, write the positions of `neighbours` relative to a shared one."""
        outer, self.neighbours = self.neighbours, neighbours
        try:
            yield
        finally:
            self.neighbours = outer

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Within the context, append to `block`."""
        self.outer.append(self.block)
        self.block = block
        try:
            yield
        finally:
            self.block = self.outer.pop()

    def home(self, operands: Sequence[SSAValue]) -> Block:
        """Return the outermost open block in which the C values of `operands` are known; the current one for none."""
        owners = [value.owner for value in map(self.value, operands)]
        blocks = {owner if isinstance(owner, Block) else owner.parent for owner in owners}
        return next((block for block in [self.block, *reversed(self.outer)] if block in blocks), self.block)

    def add(self, op: Op) -> SSAValue:
        """Append `op` and return its result."""
        self.block.add_op(op)
        return op.result_at(0)

    def bind(self, old: SSAValue, new: SSAValue) -> None:
        """Record that `new` is the C value of `old`, and give it the same name."""
        self.values[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def value(self, old: SSAValue) -> SSAValue:
        """Return the C value of `old`."""
        if old not in self.values:
            raise CompilerBug(f"{old} was not lowered to C before its use")
        return self.values[old]

    def literal(self, value: float, type: Attribute) -> SSAValue:
        """Return a literal of `type`."""
        if isinstance(type, IndexType) or isa(type, IntegerType):
            return self.add(c.LiteralOp(_integer(int(value), type)))
        if isinstance(type, AnyFloat):
            return self.add(c.LiteralOp(FloatAttr(float(value), type)))
        raise CompilerBug(f"{type} has no literals")

    def zero_point(self, op: Operation, value: int, type: Attribute) -> SSAValue:
        """Return the zero point `value` that `op` adds: a literal, or what a pack of weights brings."""
        number = number_of(op)
        if number not in self.zero_points:
            return self.literal(value, type)
        return self.cast(self.zero_points[number], type)

    def binary(self, operator: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`lhs operator rhs`."""
        return self.add(c.BinaryOp(operator, lhs, rhs))

    def unary(self, operator: str, operand: SSAValue) -> SSAValue:
        """`operator operand`."""
        return self.add(c.UnaryOp(operator, operand))

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Cast `value` to `type`; return it unchanged if it has that type, and a literal as a literal of the same
        bits."""
        if value.type == type:
            return value
        number = literal_value(value)
        if isinstance(number, int) and isa(type, IntegerType) and type.width.data > 1:
            return self.literal(_wrapped(number, type), type)
        return self.add(c.CastOp(value, type))

    def call(
        self, name: str, arguments: Sequence[SSAValue], type: Attribute, header: str, *, reads: bool = False
    ) -> SSAValue:
        """Call a function without side effects that `header` declares; `reads` says that it reads memory."""
        return self.add(c.CallOp(name, arguments, type, pure=not reads, reads=reads, header=header))

    def scalar_call(self, name: str, arguments: Sequence[SSAValue], type: Attribute) -> SSAValue:
        """Call a scalar runtime function for one type: `s2s_i32_add(a, b)`."""
        return self.call(f"s2s_{element_name(type)}_{name}", arguments, type, headers.MATH)

    def vector_call(
        self,
        name: str,
        arguments: Sequence[SSAValue],
        type: Attribute,
        *,
        of: Attribute | None = None,
        header: str | None = None,
        reads: bool = False,
    ) -> SSAValue:
        """Call a vector runtime function: `s2s_f32x16_add(a, b)`; `of` is its vector type if the result has another,
        and the header that declares this type declares the function, too, unless `header` does."""
        vector = of or type
        declares = header_of_vectors(vector) if header is None else header
        return self.call(f"{vector_name(vector)}_{name}", arguments, type, declares, reads=reads)

    def signed(self, old: SSAValue) -> SSAValue:
        """Return the C value of `old`, read as signed."""
        new = self.value(old)
        return self.cast(new, signed_type(new.type)) if is_unsigned(new.type) and new.type != i1 else new

    def unsigned(self, old: SSAValue) -> SSAValue:
        """Return the C value of `old`, read as unsigned."""
        new = self.value(old)
        return self.cast(new, unsigned_type(new.type))

    def same_sign(self, *old: SSAValue) -> list[SSAValue]:
        """Return the C values with a common sign: unchanged if they agree, else signed."""
        new = [self.value(value) for value in old]
        if len({value.type for value in new}) == 1:
            return new
        return [self.signed(value) for value in old]


def assign(b: Builder, variables: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    """Assign each variable its value, unless it holds it already."""
    for variable, value in zip(variables, values, strict=True):
        if _reads(value, variable):
            continue
        added = _compound(variable, value)
        if added is None and _is_fresh_sum(b, value):
            assert isinstance(value.owner, Operation)
            _assign_early(b, c.AssignOp(variable, value), value.owner)
        elif added is None:
            b.block.add_op(c.AssignOp(variable, value))
        else:
            operator, operand = added
            b.block.add_op(c.AssignOp(variable, operand, f"{operator}="))


def _is_fresh_sum(b: Builder, value: SSAValue) -> bool:
    """Return whether `value` is a vector or the result of an intrinsic, computed in this block, and only one variable
    takes it."""
    maker = value.owner
    return (
        isinstance(maker, c.CallOp)
        and (isinstance(value.type, VectorType) or maker.intrinsic is not None)
        and maker.parent_block() is b.block
        and not value.uses
    )


def _assign_early(b: Builder, assign: c.AssignOp, maker: Operation) -> None:
    """Assign a sum as soon as it is computed, if no later operation reads the variable's old value.

    Registers are few: if all accumulators of a tile were assigned at the end, all that they read would have to
    be in registers by then, and accumulators would make way for it.
    """
    old = [use.operation for use in assign.place.uses if isinstance(use.operation, c.LoadOp)]
    readers = [use.operation for load in old if load.parent_block() is b.block for use in load.result.uses]
    if any(reader is not maker and not reader.is_before_in_block(maker) for reader in readers):
        b.block.add_op(assign)
        return
    b.block.insert_op_after(assign, maker)


def _reads(value: SSAValue, variable: SSAValue) -> bool:
    return isinstance(value.owner, c.LoadOp) and value.owner.place is variable


def _compound(variable: SSAValue, value: SSAValue) -> tuple[str, SSAValue] | None:
    """Match `variable += operand`: return operator and operand if `value` is that and has no other use."""
    op = value.owner
    if not isinstance(op, c.BinaryOp) or op.operator.data not in ("+", "-", "*") or op.result.uses:
        return None
    for old, operand in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if _reads(old, variable) and old.type == value.type == operand.type and len(list(old.uses)) == 1:
            if old is op.rhs and op.operator.data == "-":
                return None
            op.detach()
            op.erase()
            return op.operator.data, operand
    return None
