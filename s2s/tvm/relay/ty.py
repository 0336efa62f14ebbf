"""Types of expressions, under TVM's names.

    relay.TensorType((1, 8), "int8")      Tensor[(1, 8), int8]

Sizes are numbers, or follow from variables of tensor expressions (`s2s.tvm.relay.sizes`).
"""

from collections.abc import Sequence

import numpy as np

from s2s.errors import UnsupportedError
from s2s.support.frozen import frozen
from s2s.tvm.relay.sizes import ANY, size_of, text_of
from s2s.tvm.runtime.imm import imm
from s2s.tvm.te.expressions import Var
from s2s.types.dtypes import AnyTensor, from_numpy, tensor_type, to_numpy
from s2s.types.size import alike


class Type:
    """The type of an expression."""


class TensorType(Type):
    """The element type and the shape of a tensor."""

    def __init__(self, shape: Sequence[int], dtype: str = "float32") -> None:
        self.shape: tuple[int, ...] = tuple(imm(size_of(size)) for size in shape)
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
        return isinstance(other, TensorType) and self.dtype == other.dtype and alike(self.shape, other.shape)

    def __hash__(self) -> int:
        return hash((len(self.shape), self.dtype))

    def __str__(self) -> str:
        sizes = ", ".join(map(text_of, self.shape))
        return f"Tensor[({sizes}), {self.dtype}]" if self.shape else self.dtype

    def __repr__(self) -> str:
        return f"TensorType([{', '.join(map(text_of, self.shape))}], {self.dtype})"


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
    type_params: Sequence[Type] | None = None
    type_constraints: Sequence[object] | None = None

    def __post_init__(self) -> None:
        for name in ("arg_types", "type_params", "type_constraints"):
            object.__setattr__(self, name, tuple(getattr(self, name) or ()))

    def __str__(self) -> str:
        return f"fn ({', '.join(map(str, self.arg_types))}) -> {self.ret_type}"


def scalar_type(dtype: str) -> TensorType:
    """The type of a tensor without dimensions."""
    return TensorType((), dtype)


class Any(Var):
    """A size that is known when arrays are given: a variable of its own, which is written `?`."""

    def __init__(self) -> None:
        super().__init__(ANY)

    def __repr__(self) -> str:
        return "T.Any()"


@frozen
class IncompleteType(Type):
    """A type that the operator tells which takes the variable: conv2d with channels and kernel_size, dense with units,
    prelu."""

    kind: object = None


def TypeVar(name_hint: str, kind: object = None) -> Type:  # noqa: N802
    """TVM's parameter of polymorphic functions; refused."""
    raise UnsupportedError(f"relay.TypeVar {name_hint}: functions are not polymorphic here; write one for each type")
