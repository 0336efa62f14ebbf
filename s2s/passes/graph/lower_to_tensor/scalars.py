"""Build scalar code for the regions of `tensor.compute` from Python expressions.

    lambda s, x, w, acc: acc + x * w

The element type of the operands selects the operation: `arith.addf` for floats, `arith.addi` for integers. Integers
are signless inside a region, so a `Scalar` remembers the element type that it comes from, which selects `divsi` or
`divui`. The integer operations of `arith` are total here, as `s2s_math.h` defines them: arithmetic wraps around,
division by zero gives zero, a shift by the width or more shifts all bits out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, i1, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.passes.graph.lower_to_tensor.conversion import Number, NumberAttr, conversion, number_attribute
from s2s.support.frozen import frozen
from s2s.types.dtypes import is_bool, is_float, is_unsigned, scalar_type

Build = Callable[[SSAValue, SSAValue], Operation]


@frozen
class Choice:
    """The operations to build for floats, and for signed and unsigned integers; bools count as unsigned."""

    on_floats: Build
    on_signed: Build
    on_unsigned: Build

    def of(self, element: Attribute) -> Build:
        """The operation for `element`."""
        if is_float(element):
            return self.on_floats
        return self.on_unsigned if is_unsigned(element) or is_bool(element) else self.on_signed


def _no_floats(a: SSAValue, b: SSAValue) -> Operation:
    raise CompilerBug(f"an integer operation is applied to {a.type} and {b.type}")


def _compare(on_floats: str, on_signed: str, on_unsigned: str) -> Choice:
    return Choice(
        lambda a, b: arith.CmpfOp(a, b, on_floats),
        lambda a, b: arith.CmpiOp(a, b, on_signed),
        lambda a, b: arith.CmpiOp(a, b, on_unsigned),
    )


ADD = Choice(arith.AddfOp, arith.AddiOp, arith.AddiOp)
SUB = Choice(arith.SubfOp, arith.SubiOp, arith.SubiOp)
MUL = Choice(arith.MulfOp, arith.MuliOp, arith.MuliOp)
DIV = Choice(arith.DivfOp, arith.DivSIOp, arith.DivUIOp)
REM = Choice(tensor.RemFOp, arith.RemSIOp, arith.RemUIOp)
MAXIMUM = Choice(arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp)
MINIMUM = Choice(arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp)
AND = Choice(_no_floats, arith.AndIOp, arith.AndIOp)
OR = Choice(_no_floats, arith.OrIOp, arith.OrIOp)
XOR = Choice(_no_floats, arith.XOrIOp, arith.XOrIOp)
SHIFT_LEFT = Choice(_no_floats, arith.ShLIOp, arith.ShLIOp)
SHIFT_RIGHT = Choice(_no_floats, arith.ShRSIOp, arith.ShRUIOp)
POWER = Choice(math.PowFOp, math.IPowIOp, math.IPowIOp)

EQUAL = _compare("oeq", "eq", "eq")
NOT_EQUAL = _compare("une", "ne", "ne")
LESS = _compare("olt", "slt", "ult")
LESS_EQUAL = _compare("ole", "sle", "ule")
GREATER = _compare("ogt", "sgt", "ugt")
GREATER_EQUAL = _compare("oge", "sge", "uge")


@frozen
class Scalar:
    """A value inside a region with its element type in memory: `ui8` where the value itself is `i8`."""

    value: SSAValue
    element: Attribute
    region: Scalars = field(repr=False, compare=False)

    def __add__(self, other: Scalar | Number) -> Scalar:
        return self if self._unchanged_by(other, 0) else self.region.binary(ADD, self, other)

    def __sub__(self, other: Scalar | Number) -> Scalar:
        return self if self._unchanged_by(other, 0) else self.region.binary(SUB, self, other)

    def __mul__(self, other: Scalar | Number) -> Scalar:
        return self if self._unchanged_by(other, 1) else self.region.binary(MUL, self, other)

    def __truediv__(self, other: Scalar | Number) -> Scalar:
        return self if self._unchanged_by(other, 1) else self.region.binary(DIV, self, other)

    def _unchanged_by(self, other: Scalar | Number, neutral: int) -> bool:
        """Whether `other` is the neutral number of an integer operation; index arithmetic has many such operations."""
        return not isinstance(other, Scalar) and other == neutral and not is_float(self.element)

    def __rsub__(self, other: Number) -> Scalar:
        return self.region.like(self, other) - self

    def __rtruediv__(self, other: Number) -> Scalar:
        return self.region.like(self, other) / self

    def __neg__(self) -> Scalar:
        if not is_float(self.element):
            return 0 - self
        return self.region.unary(arith.NegfOp, self)

    def __and__(self, other: Scalar) -> Scalar:
        return self.region.binary(AND, self, other)

    def __or__(self, other: Scalar) -> Scalar:
        return self.region.binary(OR, self, other)

    def __xor__(self, other: Scalar) -> Scalar:
        return self.region.binary(XOR, self, other)

    def __invert__(self) -> Scalar:
        return self ^ self.region.constant(1 if is_bool(self.element) else -1, self.element)


class Scalars:
    """Appends operations to one region."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._constants: dict[NumberAttr, SSAValue] = {}
        self._positions: dict[tuple[int, Attribute], Scalar] = {}

    def insert(self, op: Operation, element: Attribute) -> Scalar:
        """Append `op`; its result has element type `element`."""
        self._builder.insert(op)
        return Scalar(op.results[0], element, self)

    def argument(self, value: SSAValue, element: Attribute) -> Scalar:
        """A block argument that holds one element."""
        return Scalar(value, element, self)

    def constant(self, value: Number, element: Attribute) -> Scalar:
        """The constant `value`; equal constants are built once."""
        attribute = number_attribute(value, element)
        if attribute not in self._constants:
            self._constants[attribute] = self._builder.insert(arith.ConstantOp(attribute)).result
        return Scalar(self._constants[attribute], element, self)

    def like(self, x: Scalar, value: Scalar | Number) -> Scalar:
        """`value` as a constant of the element type of `x`, if it is a Python number."""
        return value if isinstance(value, Scalar) else self.constant(value, x.element)

    def index(self, dim: int) -> Scalar:
        """The position along dimension `dim` of the domain, as `index`."""
        return self._position(dim, IndexType())

    def position(self, dim: int) -> Scalar:
        """The position along dimension `dim` of the domain, as `i32`, for expressions that can be negative."""
        return self._position(dim, i32)

    def _position(self, dim: int, element: Attribute) -> Scalar:
        if (dim, element) not in self._positions:
            index = isinstance(element, IndexType)
            made = self.insert(tensor.IndexOp(dim), element) if index else self.cast(self.index(dim), element)
            self._positions[dim, element] = made
        return self._positions[dim, element]

    def size(self, name: str) -> Scalar:
        """The size `name` of this run, as `i32`."""
        return self.cast(self.insert(tensor.SizeOp(name), IndexType()), i32)

    def in_bounds(self, x: Scalar) -> Scalar:
        """Whether the guarded access that reads `x` is in bounds."""
        return self.insert(tensor.InBoundsOp(x.value), i1)

    def extract(self, table: Scalar, indices: Sequence[Scalar]) -> Scalar:
        """The element of `table` at `indices`, which must be in bounds."""
        positions = [self.cast(index, IndexType()).value for index in indices]
        return self.insert(tensor.ExtractOp(table.value, positions), table.element)

    def cast(self, x: Scalar, element: Attribute) -> Scalar:
        """`x` converted to `element`."""
        value = x.value
        for op in conversion(value, x.element, element):
            value = self._builder.insert(op).results[0]
        return Scalar(value, element, self)

    def reinterpreted(self, x: Scalar, element: Attribute) -> Scalar:
        """The bits of `x` as `element` of the same width; a bool is 0 or 1."""
        if x.element == element or not (is_float(x.element) or is_float(element)):
            return self.cast(x, element)
        if is_float(x.element) and is_float(element):  # float16 and bfloat16: their values are float32 in C
            x = self.insert(arith.BitcastOp(x.value, i16), i16)
        return self.insert(arith.BitcastOp(x.value, scalar_type(element)), element)

    def unary(self, build: Callable[[SSAValue], Operation], x: Scalar) -> Scalar:
        """`build(x)`, of the type of `x`."""
        return self.insert(build(x.value), x.element)

    def binary(self, choice: Choice, a: Scalar, b: Scalar | Number) -> Scalar:
        """`choice(a, b)`, of the type of both."""
        return self.insert(choice.of(a.element)(a.value, self.like(a, b).value), a.element)

    def bounded(self, choice: Choice, a: Scalar, b: Scalar | Number) -> Scalar:
        """Like `binary` on integers, for a result that is proven not to overflow."""
        op = choice.of(a.element)(a.value, self.like(a, b).value)
        op.properties["overflowFlags"] = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
        return self.insert(op, a.element)

    def compare(self, choice: Choice, a: Scalar, b: Scalar | Number) -> Scalar:
        """`choice(a, b)`, a bool."""
        return self.insert(choice.of(a.element)(a.value, self.like(a, b).value), i1)

    def less(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """`a < b`, false for NaN."""
        return self.compare(LESS, a, b)

    def greater(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """`a > b`, false for NaN."""
        return self.compare(GREATER, a, b)

    def equal(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """`a == b`, false for NaN."""
        return self.compare(EQUAL, a, b)

    def not_equal(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """`a != b`, true for NaN."""
        return self.compare(NOT_EQUAL, a, b)

    def maximum(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """The larger operand, NaN if either is NaN; for bools the disjunction."""
        return self.binary(OR if is_bool(a.element) else MAXIMUM, a, b)

    def minimum(self, a: Scalar, b: Scalar | Number) -> Scalar:
        """The smaller operand, NaN if either is NaN; for bools the conjunction."""
        return self.binary(AND if is_bool(a.element) else MINIMUM, a, b)

    def select(self, condition: Scalar, a: Scalar, b: Scalar | Number) -> Scalar:
        """`a` where the condition holds, else `b`."""
        return self.insert(arith.SelectOp(condition.value, a.value, self.like(a, b).value), a.element)
