"""Interfaces of graph operations: what passes, analyses and interpreters ask an operator about itself.

Whoever wants to know how an operator behaves asks the operation, and lists no types. A default holds for operators that
do not say otherwise; those of other packages state theirs in the same way.
"""

from abc import ABC, abstractmethod
from math import prod

from xdsl.ir import Operation, SSAValue

from s2s.dialects.graph.traits import FusionKind, fusion_kind
from s2s.dialects.operation import Op
from s2s.types.dtypes import as_tensor_type
from s2s.types.shapes.window import Layout, Window, spatial_axes


class OperatorInterface(Op, ABC):
    """An operation of the graph level."""

    @property
    def work(self) -> int:
        """The elementary steps of computing the result: the terms of all its sums, or else its elements."""
        result = elements(self.results[0])
        if fusion_kind(self) == FusionKind.OUT_FUSABLE:
            return result * max(map(elements, self.operands), default=1)
        return result

    @property
    def computes(self) -> bool:
        """Whether it computes anything: a constant holds its result, and a reshape gives its operand another shape."""
        return True


class ConstantInterface(OperatorInterface, ABC):
    """An operator whose result is known when the network is compiled: a weight, or a constant in the IR."""

    @property
    def computes(self) -> bool:
        """Nothing is computed."""
        return False


class MoveInterface(OperatorInterface, ABC):
    """An operator whose result consists of elements of its operands, all of them data."""


class ViewInterface(MoveInterface, ABC):
    """A move of the elements of one operand that numpy evaluates without copying, so that it costs nothing at any
    size."""

    @property
    @abstractmethod
    def moved(self) -> SSAValue:
        """The operand."""


class ReadsSizesInterface(OperatorInterface, ABC):
    """An operator whose computation depends on the sizes of its first operand: where it ends, or what it divides by."""


class StepInterface(OperatorInterface, ABC):
    """A step of a network whose operators are fused into kernels: a call, a copy, control flow, a check."""


class ParametersInterface(OperatorInterface, ABC):
    """An operator whose operands have parts of their own, such as weights and a bias: C names them after these."""

    def role_of(self, operand: int) -> str:
        """The part of an operand in the formula: its name in the definition of the operation."""
        name, _ = self.get_irdl_definition().operands[operand]
        return name


class ProductInterface(ParametersInterface, ABC):
    """An operator that sums products, as convolutions and matrix products do."""

    @property
    @abstractmethod
    def terms(self) -> int:
        """The largest number of products in the sum for one element of the result."""

    @property
    def multiply_adds(self) -> int:
        """The multiplications with an addition; padding, and what padding cuts off a result, count as any element."""
        return elements(self.results[0]) * self.terms

    @property
    def work(self) -> int:
        """The terms of all sums."""
        return self.multiply_adds


class WindowInterface(OperatorInterface, ABC):
    """An operator that slides a window along the spatial axes of its first operand, or of its result."""

    @property
    @abstractmethod
    def data_layout(self) -> Layout:
        """Where the channels of the first operand and of the result stand."""

    @abstractmethod
    def window(self) -> Window:
        """The sliding window."""

    @property
    def padded_elements(self) -> int:
        """The elements of the first operand with its padding."""
        return self.elements_with_padding(self.operands[0])

    def elements_with_padding(self, image: SSAValue) -> int:
        """The elements of `image` with the padding of the window.

        A large stride hides them: an image of 20 x 10 with 2 ** 25 rows of padding and a stride of 2 ** 25 gives one
        row.
        """
        shape, window = list(shape_of(image)), self.window()
        axes = spatial_axes(self.data_layout, len(shape))
        for axis, low, high in zip(axes, window.low, window.high, strict=True):
            shape[axis] += low + high
        return prod(shape)


def multiply_adds(op: Operation) -> int:
    """The multiply-adds of a convolution or a matrix product; 0 for any other operation."""
    return op.multiply_adds if isinstance(op, ProductInterface) else 0


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor at its greatest sizes."""
    return as_tensor_type(value.type).get_shape()


def elements(value: SSAValue) -> int:
    """The number of elements of a tensor at its greatest sizes."""
    return prod(shape_of(value))


def computes(op: Operation) -> bool:
    """Whether an operation is an operator that computes something."""
    return isinstance(op, OperatorInterface) and op.computes
