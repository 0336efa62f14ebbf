"""Matrix products and determinants."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import BaseAttr, operand_def, opt_prop_def, traits_def

from s2s.dialects.graph.base import (
    INT,
    TENSOR,
    GraphOp,
    Value,
    flag,
    type_of,
    zero_point,
    zero_point_attribute,
)
from s2s.dialects.graph.interfaces import ProductInterface, ReadsSizesInterface, elements, shape_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, Array
from s2s.types.shapes import linear
from s2s.types.shapes.accumulate import Accumulation


class LayerOp(GraphOp, ProductInterface, ABC):
    """A product of data, its first operand, by weights, its second one, for each channel of the result."""

    @property
    @abstractmethod
    def accumulation(self) -> Accumulation:
        """How products are summed."""

    @property
    def bias(self) -> SSAValue | None:
        """One number to add for each output channel."""
        return None

    @property
    @abstractmethod
    def groups_of_channels(self) -> int:
        """Number of groups of channels that are computed apart."""

    @property
    @abstractmethod
    def in_axis(self) -> int:
        """The axis of the data that counts input channels: products are summed over it."""

    @property
    @abstractmethod
    def out_axis(self) -> int:
        """The axis of the result that counts output channels."""

    @abstractmethod
    def by_channels(self, weights: Array) -> Array:
        """Constant weights as [groups, outputs of a group, inputs of a group, taps]."""

    @abstractmethod
    def factors(self, scale: Array, shape: Sequence[int], *, outputs: bool) -> Array:
        """`scale`, one number for each channel of the result if `outputs`, else of the data, in a shape that broadcasts
        with weights of `shape`."""

    @abstractmethod
    def stored(self, weights: Array, shape: Sequence[int]) -> Array:
        """The inverse of `by_channels`, also for fewer channels; `shape` is of the weights with all channels."""


@op_definition
class MatmulOp(LayerOp):
    """`y[…, i, j] = sum_k a[…, i, k] * b[…, k, j]`; leading dimensions broadcast as in numpy.

    `transpose_a` and `transpose_b` swap the last two dimensions of an operand first. Integers of 8 and 16 bits have
    zero points and a wider sum, as in convolutions: `(a - a_zp) * (b - b_zp)` summed in `acc_type`. With `a` of f32,
    `b` may be f16 or i8, which is converted to f32.
    """

    name = "graph.matmul"
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)
    a_zp = opt_prop_def(INT)
    b_zp = opt_prop_def(INT)
    acc_type = opt_prop_def(BaseAttr[Attribute](TypeAttribute))
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$a `,` $b attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        a: Value,
        b: Value,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        a_zp: int = 0,
        b_zp: int = 0,
        acc_type: Attribute | None = None,
    ) -> None:
        super().__init__(
            [a, b],
            {
                "transpose_a": flag(transpose_a),
                "transpose_b": flag(transpose_b),
                "a_zp": zero_point_attribute(a_zp),
                "b_zp": zero_point_attribute(b_zp),
                "acc_type": acc_type,
            },
        )

    @property
    def accumulation(self) -> Accumulation:
        """How products are summed."""
        return Accumulation(self.acc_type, zero_point(self.a_zp), zero_point(self.b_zp))

    @property
    def groups_of_channels(self) -> int:
        """All channels are computed from all."""
        return 1

    @property
    def in_axis(self) -> int:
        """The axis of `a` that products are summed over."""
        return len(shape_of(self.a)) - (1 if self.transpose_a is None else 2)

    @property
    def out_axis(self) -> int:
        """The last axis of the result."""
        return len(shape_of(self.y)) - 1

    def by_channels(self, weights: Array) -> Array:
        return (weights.T if self.transpose_b is None else weights)[None, :, :, None]

    def factors(self, scale: Array, shape: Sequence[int], *, outputs: bool) -> Array:
        return scale if outputs == (self.transpose_b is None) else scale.reshape(-1, 1)

    def stored(self, weights: Array, shape: Sequence[int]) -> Array:
        plain = weights[0, :, :, 0]
        return plain.T if self.transpose_b is None else plain

    def inferred_type(self) -> AnyTensor:
        transpose_a, transpose_b = self.transpose_a is not None, self.transpose_b is not None
        return linear.matmul(type_of(self.a), type_of(self.b), transpose_a, transpose_b, self.accumulation)

    @property
    def terms(self) -> int:
        return shape_of(self.a)[-1 if self.transpose_a is None else -2]


@op_definition
class DeterminantOp(GraphOp, ReadsSizesInterface):
    """`y[…]` = the determinant of the square matrix `x[…, i, j]`, by Gaussian elimination with the largest pivots.

    A matrix with a column of zeros in one of the steps has the determinant 0; NaN in a pivot makes it NaN.

        %y = graph.determinant %x : (tensor<8x5x5xf32>) -> tensor<8xf32>
    """

    name = "graph.determinant"
    x = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value) -> None:
        super().__init__([x])

    def inferred_type(self) -> AnyTensor:
        return linear.determinant(type_of(self.x))

    @property
    def work(self) -> int:
        """The products of all eliminations."""
        return elements(self.y) * shape_of(self.x)[-1] ** 3
