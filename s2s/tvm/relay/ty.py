"""Types of expressions, under TVM's names.

    relay.TensorType((1, 8), "int8")      Tensor[(1, 8), int8]

Sizes are numbers: one that varies belongs to the network that an importer reads (`s2s.tvm.relay.frontend`).
"""

from collections.abc import Sequence
from operator import index
from typing import cast

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor, from_numpy, tensor_type, to_numpy


class Type:
    """The type of an expression."""


class TensorType(Type):
    """The element type and the shape of a tensor."""

    def __init__(self, shape: Sequence[int], dtype: str = "float32") -> None:
        self.shape = tuple(_size(each) for each in shape)
        self.dtype = str(np.dtype(dtype))

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.shape

    @property
    def mlir(self) -> AnyTensor:
        """The type in the dialects of the compiler."""
        return tensor_type(from_numpy(np.dtype(self.dtype)), self.shape)

    @staticmethod
    def of(type: AnyTensor) -> "TensorType":
        """The type under TVM's name of a type of the dialects."""
        return TensorType(type.get_shape(), str(to_numpy(type.element_type)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __str__(self) -> str:
        sizes = ", ".join(str(each) for each in self.shape)
        return f"Tensor[({sizes}{',' if len(self.shape) == 1 else ''}), {self.dtype}]" if self.shape else self.dtype

    def __repr__(self) -> str:
        return f"TensorType({list(self.shape)}, {self.dtype})"


def _size(value: object) -> int:
    try:
        size = index(cast("int", getattr(value, "value", value)))
    except TypeError as error:
        raise UnsupportedError(
            f"relay.TensorType: size {value} is a variable, which networks written in relay do not have; give a number"
        ) from error
    if size < 0:
        raise InputError(f"relay.TensorType: size {size} is negative; give at least 0")
    return size


@frozen
class TupleType(Type):
    """The types of the fields of a tuple."""

    fields: Sequence[Type]

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))}{',' if len(self.fields) == 1 else ''})"


@frozen
class FuncType(Type):
    """The types of the parameters and the result of a function."""

    arg_types: Sequence[Type]
    ret_type: Type
    type_params: Sequence[Type] = ()
    type_constraints: Sequence[object] = ()

    def __post_init__(self) -> None:
        for name in ("arg_types", "type_params", "type_constraints"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __str__(self) -> str:
        return f"fn ({', '.join(map(str, self.arg_types))}) -> {self.ret_type}"


def scalar_type(dtype: str) -> TensorType:
    """The type of a tensor without dimensions."""
    return TensorType((), dtype)


def Any() -> int:  # noqa: N802
    """TVM's size that is known at run time only; refused."""
    raise UnsupportedError("relay.Any: networks written in relay have sizes that are numbers; import the model instead")


def IncompleteType(kind: object = None) -> Type:  # noqa: N802
    """TVM's type that inference fills in; refused."""
    raise UnsupportedError("relay.IncompleteType: types are known when an expression is made; give the type, or none")


def TypeVar(name: str, kind: object = None) -> Type:  # noqa: N802
    """TVM's parameter of polymorphic functions; refused."""
    raise UnsupportedError(f"relay.TypeVar {name}: functions are not polymorphic here; write one for each type")
