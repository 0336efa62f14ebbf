"""Expressions and tensors: the value of one element as a formula over loop variables.

    A[i, k] * B[k, j] + 1

Python's operators build expressions. Operands of one operation have one element type; plain numbers take that of the
other operand. Loop variables and sizes are of type `int32`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.tvm.dtypes import is_float
from s2s.tvm.te.promotion import common_type
from s2s.tvm.te.tensor_arithmetic import TensorArithmetic, TensorSlice
from s2s.types.dtypes import holds

Number = int | float | bool
INDEX = "int32"
"""The type of loop variables and sizes."""
BOOL = "bool"
INTEGER_SIGNS = ("//", "%", "quo", "&", "|", "^", "<<", ">>")
"""The operations of integers alone."""


class Expr:
    """An expression; `dtype` is the numpy name of its element type."""

    dtype: str = INDEX

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The expressions that it is made of."""
        return ()

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        """The same expression of other operands."""
        return self

    def astype(self, dtype: str) -> Expr:
        """The value converted to `dtype`."""
        return self if self.dtype == dtype else Cast(self, dtype)

    def __add__(self, other: Expr | Number) -> Expr:
        return binary("+", self, other)

    def __radd__(self, other: Number) -> Expr:
        return binary("+", other, self)

    def __sub__(self, other: Expr | Number) -> Expr:
        return binary("-", self, other)

    def __rsub__(self, other: Number) -> Expr:
        return binary("-", other, self)

    def __mul__(self, other: Expr | Number) -> Expr:
        return binary("*", self, other)

    def __rmul__(self, other: Number) -> Expr:
        return binary("*", other, self)

    def __truediv__(self, other: Expr | Number) -> Expr:
        return binary("/", self, other)

    def __rtruediv__(self, other: Number) -> Expr:
        return binary("/", other, self)

    def __floordiv__(self, other: Expr | Number) -> Expr:
        return binary("//", self, other)

    def __rfloordiv__(self, other: Number) -> Expr:
        return binary("//", other, self)

    def __mod__(self, other: Expr | Number) -> Expr:
        return binary("%", self, other)

    def __rmod__(self, other: Number) -> Expr:
        return binary("%", other, self)

    def __neg__(self) -> Expr:
        return self * -1.0 if is_float(self.dtype) else 0 - self

    def __lt__(self, other: Expr | Number) -> Expr:
        return compare("<", self, other)

    def __le__(self, other: Expr | Number) -> Expr:
        return compare("<=", self, other)

    def __gt__(self, other: Expr | Number) -> Expr:
        return compare(">", self, other)

    def __ge__(self, other: Expr | Number) -> Expr:
        return compare(">=", self, other)

    def __eq__(self, other: object) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        return compare("==", self, _operand(other))

    def __ne__(self, other: object) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        return compare("!=", self, _operand(other))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise InputError(f"{self}: has a value in the compiled function only; use te.if_then_else, te.all or te.any")


def _operand(value: object) -> Expr | Number:
    if isinstance(value, Expr | int | float):
        return value
    raise InputError(f"{value!r}: is no operand of an expression; give an expression or a number")


class Var(Expr):
    """A size that is known when the function is built, or an integer that is an argument of the function."""

    def __init__(self, name: str, dtype: str = INDEX) -> None:
        self.name, self.dtype = name, dtype
        self.argument: Tensor | None = None
        """The argument that it is read from, where it is one."""

    def __repr__(self) -> str:
        return self.name


class IterVar(Expr):
    """A loop variable from 0 to `extent`; of a reduction, or of a dimension of the result."""

    DataPar, ThreadIndex, CommReduce, Ordered, DimInfo, Unrolled, Vectorized, Parallelized, Tensorized = range(9)
    """How a loop runs, by TVM's numbers; `Stage.iter_var_attrs` tells it."""

    def __init__(self, extent: Expr | int, name: str, *, is_reduction: bool = False) -> None:
        self.extent, self.name, self.is_reduction = extent, name, is_reduction

    def __repr__(self) -> str:
        return self.name


@frozen(eq=False, repr=False)
class Const(Expr):
    """A number."""

    value: Number
    dtype: str

    def __repr__(self) -> str:
        return str(self.value)


@frozen(eq=False, repr=False)
class Binary(Expr):
    """`a sign b`; the signs are Python's, and `min`, `max`, `and`, `or`, `pow`, `quo`, `rem`."""

    sign: str
    a: Expr
    b: Expr
    dtype: str

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.a, self.b)

    def __bool__(self) -> bool:
        """Whether both sides are one object or number, of an equality; the opposite, of an inequality."""
        if self.sign not in ("==", "!="):
            return super().__bool__()
        a, b = (each.value if isinstance(each, Const) else each for each in (self.a, self.b))
        return (a is b or (isinstance(a, int | float) and a == b)) == (self.sign == "==")

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        a, b = operands
        return Binary(self.sign, a, b, self.dtype)

    def __repr__(self) -> str:
        return f"({self.a} {self.sign} {self.b})"


@frozen(eq=False, repr=False)
class Select(Expr):
    """`true_value` where the condition holds, else `false_value`. Reads of the other side may leave their tensor."""

    condition: Expr
    true_value: Expr
    false_value: Expr

    @property
    def dtype(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The element type of both operands."""
        return self.true_value.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.condition, self.true_value, self.false_value)

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Select(*operands)

    def __repr__(self) -> str:
        return f"if_then_else({self.condition}, {self.true_value}, {self.false_value})"


@frozen(eq=False, repr=False)
class Call(Expr):
    """A function of one float: `exp(x)`."""

    function: str
    x: Expr

    @property
    def dtype(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The element type of the operand."""
        return self.x.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.x,)

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Call(self.function, operands[0])

    def __repr__(self) -> str:
        return f"{self.function}({self.x})"


@frozen(eq=False, repr=False)
class Cast(Expr):
    """`x` converted to `dtype`."""

    x: Expr
    dtype: str

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.x,)

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Cast(operands[0], self.dtype)

    def __repr__(self) -> str:
        return f"{self.dtype}({self.x})"


@frozen(eq=False, repr=False)
class Read(Expr):
    """An element of a tensor."""

    tensor: Tensor
    indices: tuple[Expr, ...]

    @property
    def dtype(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The element type of the tensor."""
        return self.tensor.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.indices

    def rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        return Read(self.tensor, operands)

    def __repr__(self) -> str:
        return f"{self.tensor.name}[{', '.join(map(str, self.indices))}]"


Size = Expr | int


@frozen(eq=False)
class TensorOp:
    """The operation that makes a tensor."""

    name: str
    axis: tuple[IterVar, ...]
    """The loop variables of its dimensions, where a formula computes it."""

    @property
    def reduce_axis(self) -> tuple[IterVar, ...]:
        """The loop variables of its reduction."""
        return ()

    @property
    def input_tensors(self) -> tuple[Tensor, ...]:
        """The tensors that it reads, each once."""
        return ()

    @property
    def num_outputs(self) -> int:
        """The number of tensors that it makes."""
        return 1


class PlaceholderOp(TensorOp):
    """The operation of a tensor that the caller passes."""


@frozen(eq=False)
class VariableOp(PlaceholderOp):
    """The operation of an argument without dimensions, which an integer variable stands for."""

    variable: Var


class Tensor(TensorArithmetic):
    """A tensor; `A[i, j]` is an expression that reads an element.

    `value_index` counts the tensors of one operation.
    """

    def __init__(self, shape: tuple[Size, ...], dtype: str, op: TensorOp, value_index: int = 0) -> None:
        self.shape, self.dtype, self.op, self.value_index = shape, dtype, op, value_index

    @property
    def key(self) -> tuple[TensorOp, int]:
        """What two objects of one tensor have in common."""
        return self.op, self.value_index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tensor) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def name(self) -> str:
        """The name of its operation, with a number where that makes several tensors."""
        return f"{self.op.name}.v{self.value_index}" if self.op.num_outputs > 1 else self.op.name

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __call__(self, *indices: Expr | int) -> Expr:
        if len(indices) != len(self.shape):
            raise InputError(f"{self.name}: {len(indices)} indices for {len(self.shape)} dimensions; give one for each")
        return Read(self, tuple(index if isinstance(index, Expr) else const(index) for index in indices))

    def __getitem__(self, indices: Expr | int | tuple[Expr | int, ...]) -> Any:
        given = indices if isinstance(indices, tuple) else (indices,)
        return TensorSlice(self, given) if len(given) < len(self.shape) else self(*given)

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, name={self.name}, dtype={self.dtype})"


def const(value: Number, dtype: str | None = None) -> Expr:
    """A number, by default of type `bool`, `int32` or `float32` by its Python type."""
    own = BOOL if isinstance(value, bool) else INDEX if isinstance(value, int) else "float32"
    return Const(value, dtype or own)


def typed(value: Expr | Number, dtype: str) -> Expr:
    """`value`, a plain number as a constant of `dtype`."""
    if isinstance(value, Expr):
        return value
    if not is_float(dtype) and not holds(np.dtype(dtype), value):
        raise InputError(f"{value}: is no {dtype}; convert the other operand with astype")
    return Const(value, dtype)


def binary(sign: str, a: Expr | Number, b: Expr | Number) -> Expr:
    """`a sign b` of operands that are converted to one type."""
    a, b = alike(a, b)
    if sign in INTEGER_SIGNS and is_float(a.dtype):
        raise InputError(f"{a} {sign} {b}: takes integers; convert the operands with astype")
    if sign == "/" and a.dtype == INDEX and _is_index(a) and _is_index(b):
        sign = "//"
    return Binary(sign, a, b, a.dtype)


def compare(sign: str, a: Expr | Number, b: Expr | Number) -> Expr:
    """The truth of `a sign b`."""
    return Binary(sign, *alike(a, b), BOOL)


def alike(a: Expr | Number, b: Expr | Number) -> tuple[Expr, Expr]:
    """Two values converted to the type that both have in common; a plain number takes the type of the other value."""
    dtype = a.dtype if isinstance(a, Expr) else b.dtype if isinstance(b, Expr) else const(a).dtype
    is_index = not is_float(dtype)
    a, b = (const(each) if is_index and isinstance(each, float) else typed(each, dtype) for each in (a, b))
    common = common_type(a.dtype, b.dtype)
    return (a if a.dtype == common else Cast(a, common)), (b if b.dtype == common else Cast(b, common))


def _is_index(expr: Expr) -> bool:
    return all(isinstance(each, Var | IterVar | Const | Binary) for each in walk(expr))


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield `expr` and every expression inside of it."""
    yield expr
    for operand in expr.operands:
        yield from walk(operand)
