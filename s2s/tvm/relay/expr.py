"""Networks as expressions: variables, constants and calls of operators, with their types.

An expression is a value; it becomes operations when a module is made of it (`IRModule.from_expr`). Operations on
constants alone are then evaluated, and constants become weights of the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Attribute

from s2s.errors import InputError, UnsupportedError
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.ty import IncompleteType, TensorType, TupleType, Type
from s2s.types.dtypes import AnyTensor, Array, holds, to_numpy, type_of_array
from s2s.types.weights import owned

Number = int | float | bool
Children = Callable[["Expr"], Sequence["Expr"]]


FUNCTIONS: dict[str, Callable[..., Expr]] = {}
"""What makes the call of an operator, by the name of this; `s2s.tvm.relay.operators` adds it."""
ELSEWHERE = {
    "Call": "operators",
    "Function": "function",
    "GlobalVar": "function",
    "If": "function",
    "Let": "function",
    "TupleGetItem": "operators",
    "TupleWrapper": "operators",
}
"""Names that TVM has in this module, and the modules that define them."""


class Expr:
    """A tensor that a network computes or is given, or several."""

    span: object = None
    """Where a program made it; TVM's name, without a meaning here."""
    printed: ClassVar[Callable[[Expr, bool], str]]
    """Makes the text of an expression; `s2s.tvm.relay.text.printer` sets it."""

    def __init__(self, type: AnyTensor | None, name: str = "") -> None:
        self._type: AnyTensor | None = type
        self.name_hint = name

    @property
    def checked_type(self) -> Type:
        """Element type and shape."""
        return TensorType.of(self.type)

    @property
    def type(self) -> AnyTensor:
        """Element type and shape in the dialects of the compiler."""
        if self._type is None:
            raise InputError(
                f"{self.name_hint}: its shape is not known here; give it to relay.var, or pass the variable as weight "
                "of an operator that tells it (conv2d with channels and kernel_size, dense with units, bias_add)"
            )
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self.type.get_shape()

    @property
    def dtype(self) -> str:
        """The numpy name of the element type."""
        return str(to_numpy(self.type.element_type))

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The expressions that this one is computed from."""
        return ()

    @property
    def children(self) -> tuple[Expr, ...]:
        """The expressions that a program has made this one of: the arguments of a call, whose operand is what the
        operator has made of them."""
        return self.operands

    def with_children(self, children: Sequence[Expr]) -> Expr:
        """The same of other expressions."""
        return self

    @property
    def value_of(self) -> Expr:
        """What is computed for it: of a call, the expression that the operator has made."""
        expr: Expr = self
        while (expansion := expr.__dict__.get("expansion")) is not None:
            expr = cast("Expr", expansion)
        return expr

    def same_as(self, other: object) -> bool:
        """Whether both are one object."""
        return self is other

    def astext(self, show_meta_data: bool = True, annotate: object = None) -> str:
        """The expression as text in Relay's syntax."""
        return Expr.printed(self, show_meta_data)

    def __str__(self) -> str:
        return self.astext(show_meta_data=False)

    def __add__(self, other: Expr | Number) -> Expr:
        return _applied("add", self, self.like(other))

    def __radd__(self, other: Number) -> Expr:
        return _applied("add", self.like(other), self)

    def __sub__(self, other: Expr | Number) -> Expr:
        return _applied("subtract", self, self.like(other))

    def __rsub__(self, other: Number) -> Expr:
        return _applied("subtract", self.like(other), self)

    def __mul__(self, other: Expr | Number) -> Expr:
        return _applied("multiply", self, self.like(other))

    def __rmul__(self, other: Number) -> Expr:
        return _applied("multiply", self.like(other), self)

    def __truediv__(self, other: Expr | Number) -> Expr:
        return _applied("divide", self, self.like(other))

    def __rtruediv__(self, other: Number) -> Expr:
        return _applied("divide", self.like(other), self)

    def __neg__(self) -> Expr:
        return _applied("negative", self)

    def __lt__(self, other: Expr | Number) -> Expr:
        return _applied("less", self, self.like(other))

    def __gt__(self, other: Expr | Number) -> Expr:
        return _applied("greater", self, self.like(other))

    def __le__(self, other: Expr | Number) -> Expr:
        return _applied("less_equal", self, self.like(other))

    def __ge__(self, other: Expr | Number) -> Expr:
        return _applied("greater_equal", self, self.like(other))

    def astype(self, dtype: str) -> Expr:
        """The values converted to `dtype`."""
        return self if dtype == self.dtype else _applied("cast", self, dtype)

    def like(self, value: Expr | Number) -> Expr:
        """`value`, a plain number as a constant of this element type."""
        return value if isinstance(value, Expr) else self.number(value)

    def number(self, value: Number) -> Constant:
        """Return a number as a constant of this element type, which has to hold it."""
        dtype = np.dtype(self.dtype)
        if dtype.kind in "iu" and not holds(dtype, value):
            raise InputError(f"relay: {self.dtype} does not hold {value}; convert the tensor with astype first")
        return Constant(np.asarray(value).astype(dtype))


class Var(Expr):
    """An input or a parameter of a network, or the name of a value that `Let` gives."""

    def __init__(self, name_hint: str, type_annotation: Type | AnyTensor | None = None, span: object = None) -> None:
        super().__init__(mlir_type(type_annotation), name_hint)
        self.span = span
        self.expansion: Expr | None = None
        """The value that `Let` binds it to."""

    @property
    def vid(self) -> str:
        """What tells it from others of its name."""
        return f"{self.name_hint}_{id(self):x}"

    @property
    def type_annotation(self) -> TensorType | None:
        """The type, where it is known."""
        return None if self._type is None else TensorType.of(self._type)

    def give(self, shape: Sequence[int], dtype: str) -> None:
        """Set the type of a variable that was made without one."""
        if not self.is_typed:
            self._type = TensorType(shape, dtype).mlir

    @property
    def is_typed(self) -> bool:
        """Whether the type is known."""
        return self._type is not None

    @property
    def operands(self) -> tuple[Expr, ...]:
        return () if self.expansion is None else (self.expansion,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return ()

    def __repr__(self) -> str:
        return f"Var({self.name_hint}, {self._type})"


def mlir_type(type: Type | AnyTensor | None) -> AnyTensor | None:
    """A type of a tensor in the dialects of the compiler."""
    if isinstance(type, IncompleteType):
        return None
    if isinstance(type, Type):
        if not isinstance(type, TensorType):
            raise UnsupportedError(f"relay.var: a variable of type {type}; give one variable for each tensor")
        return type.mlir
    return type


class Constant(Expr):
    """An array that is part of the network."""

    def __init__(self, data: Array) -> None:
        super().__init__(type_of_array(data))
        self.value = owned(data)

    @property
    def data(self) -> NDArray:
        """The array."""
        return self.value.view(NDArray)

    def __repr__(self) -> str:
        return f"Constant({self.type})"


class OnDevice(Expr):
    """The value of an expression, with the device that computes it (`s2s/tvm/relay/annotation.py`)."""

    def __init__(self, value: Expr, device: str, *, result: bool, body: bool) -> None:
        super().__init__(value.type)
        self.value, self.device = value, device
        self.constrains_result, self.constrains_body = result, body

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return OnDevice(children[0], self.device, result=self.constrains_result, body=self.constrains_body)

    def __repr__(self) -> str:
        return f"OnDevice({self.value!r}, {self.device})"


class Tuple(Expr):
    """Several expressions as one: the outputs of a network, or the parts of a split."""

    def __init__(self, fields: Sequence[Expr]) -> None:
        super().__init__(None, "tuple")
        self.fields = tuple(fields)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.fields

    @property
    def checked_type(self) -> Type:
        return TupleType([each.checked_type for each in self.fields])

    def with_children(self, children: Sequence[Expr]) -> Expr:
        return Tuple(children)

    def astuple(self) -> Expr:
        """Itself, under the name that TVM's wrapper of tuples has."""
        return self

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Expr:
        if not -len(self.fields) <= index < len(self.fields):
            raise InputError(f"tuple[{index}]: it has {len(self.fields)} fields; count from 0")
        return self.fields[index]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)


def var(
    name_hint: str,
    type_annotation: Type | AnyTensor | Sequence[int] | str | None = None,
    shape: Sequence[int] | None = None,
    dtype: str = "float32",
    span: object = None,
) -> Var:
    """An input or parameter; without a shape, the operator that takes it as a weight tells it. A type that is the name
    of an element type has no dimensions."""
    if isinstance(type_annotation, str):
        return Var(name_hint, TensorType((), type_annotation), span)
    if isinstance(type_annotation, Type | Attribute):
        return Var(name_hint, type_annotation, span)
    sizes = shape if type_annotation is None else type_annotation
    return Var(name_hint, None if sizes is None else TensorType(sizes, dtype), span)


def const(value: npt.ArrayLike, dtype: str | None = None) -> Constant:
    """A constant. Python floats are float32 and integers int32, as in TVM; numpy arrays keep their type."""
    array = np.asarray(value)
    if dtype is None and not hasattr(value, "dtype"):
        dtype = {"float64": "float32", "int64": "int32"}.get(str(array.dtype))
    return Constant(array if dtype is None else array.astype(np.dtype(dtype)))


def axis_of(axis: int, rank: int) -> int:
    """Return `axis` counted from the front; refuse one that a tensor of `rank` does not have."""
    if not -rank <= axis < rank:
        raise InputError(f"relay: axis {axis} of a tensor of {rank} dimensions; give one from {-rank} to {rank - 1}")
    return axis % rank


def post_order(*roots: Expr, children: Children = lambda expr: expr.operands) -> list[Expr]:
    """Every expression that `roots` are computed from, and they, each once, operands first; or what `children` says
    instead of operands."""
    order: list[Expr] = []
    seen: set[int] = set()
    pending: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while pending:
        expr, is_done = pending.pop()
        if is_done:
            order.append(expr)
        elif id(expr) not in seen:
            seen.add(id(expr))
            pending.append((expr, True))
            pending += [(each, False) for each in reversed(children(expr))]
    return order


def written(*roots: Expr) -> list[Expr]:
    """Every expression that a program has made `roots` of, and they, each once, arguments first."""
    return post_order(*roots, children=lambda expr: expr.children)


def _applied(name: str, *arguments: object) -> Expr:
    """The call of an operator that has Python's syntax."""
    return FUNCTIONS[name](*arguments)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in ELSEWHERE:
            return getattr(import_module(f"s2s.tvm.relay.{ELSEWHERE[name]}"), name)
        raise AttributeError(f"module 's2s.tvm.relay.expr' has no attribute {name!r}")
