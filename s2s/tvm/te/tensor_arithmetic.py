"""Python's operators on tensors, which `s2s.tvm.te.arithmetic` computes as tensors."""

from collections.abc import Callable
from typing import Any

_combiners: list[Callable[[str, Any, Any], Any]] = []


def provide_arithmetic(combine: Callable[[str, Any, Any], Any]) -> None:
    """Let `combine(sign, a, b)` make the tensor of an operation; the sign `astype` converts `a` to the type `b`."""
    _combiners[:] = [combine]


def _combined(sign: str, a: object, b: object) -> Any:
    return _combiners[0](sign, a, b)


class TensorArithmetic:
    """What a tensor is with another one, or with a number, element by element: a new tensor."""

    def __add__(self, other: object) -> Any:
        return _combined("+", self, other)

    def __radd__(self, other: object) -> Any:
        return _combined("+", other, self)

    def __sub__(self, other: object) -> Any:
        return _combined("-", self, other)

    def __rsub__(self, other: object) -> Any:
        return _combined("-", other, self)

    def __mul__(self, other: object) -> Any:
        return _combined("*", self, other)

    def __rmul__(self, other: object) -> Any:
        return _combined("*", other, self)

    def __truediv__(self, other: object) -> Any:
        return _combined("/", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _combined("/", other, self)

    def __floordiv__(self, other: object) -> Any:
        return _combined("//", self, other)

    def __mod__(self, other: object) -> Any:
        return _combined("%", self, other)

    def __neg__(self) -> Any:
        return _combined("*", self, -1)

    def astype(self, dtype: str) -> Any:
        """The tensor with its elements converted to `dtype`."""
        return _combined("astype", self, dtype)


class TensorSlice:
    """The part of a tensor at its first indices: `A[i]`, of which `[j]` is an element."""

    def __init__(self, tensor: Any, indices: Any) -> None:
        self.tensor = tensor
        self.indices: tuple[Any, ...] = indices if isinstance(indices, tuple) else (indices,)

    @property
    def dtype(self) -> str:
        """The element type of the tensor."""
        return self.tensor.dtype

    def __getitem__(self, indices: Any) -> Any:
        return self.tensor[(*self.indices, *(indices if isinstance(indices, tuple) else (indices,)))]
