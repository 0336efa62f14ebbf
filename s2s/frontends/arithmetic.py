"""Arithmetic that builds operations: `a + b` of tensors and plain numbers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Self, TypeAlias, TypeVar

from xdsl.ir import Operation

from s2s.dialects import graph

Scalar: TypeAlias = int | float | bool


class Arithmetic(ABC):
    """Tensors with the operators of Python; plain numbers take the element type of the tensor."""

    @abstractmethod
    def _combined(self, operation: type[Operation], *operands: object) -> Self:
        """Return the result of an operation of which `self` is an operand."""

    def __add__(self, other: "Self | Scalar") -> Self:
        return self._combined(graph.AddOp, self, other)

    def __radd__(self, other: Scalar) -> Self:
        return self._combined(graph.AddOp, other, self)

    def __sub__(self, other: "Self | Scalar") -> Self:
        return self._combined(graph.SubOp, self, other)

    def __rsub__(self, other: Scalar) -> Self:
        return self._combined(graph.SubOp, other, self)

    def __mul__(self, other: "Self | Scalar") -> Self:
        return self._combined(graph.MulOp, self, other)

    def __rmul__(self, other: Scalar) -> Self:
        return self._combined(graph.MulOp, other, self)

    def __truediv__(self, other: "Self | Scalar") -> Self:
        return self._combined(graph.DivOp, self, other)

    def __rtruediv__(self, other: Scalar) -> Self:
        return self._combined(graph.DivOp, other, self)

    def __pow__(self, other: "Self | Scalar") -> Self:
        return self._combined(graph.PowOp, self, other)

    def __neg__(self) -> Self:
        return self._combined(graph.NegOp, self)

    def __abs__(self) -> Self:
        return self._combined(graph.AbsOp, self)


Tensor = TypeVar("Tensor", bound=Arithmetic)


def map_operands(
    operands: Sequence[Tensor | Sequence[Tensor] | None], argument_of: Callable[[Tensor], object]
) -> list[object]:
    """Return operands as operations take them, each tensor by `argument_of`; None stays None."""
    return [
        argument_of(operand)
        if isinstance(operand, Arithmetic)
        else None
        if operand is None
        else [argument_of(each) for each in operand]
        for operand in operands
    ]
