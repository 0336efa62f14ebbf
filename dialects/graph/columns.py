"""Adding up the patches of an image (`col2im`)."""

from collections.abc import Sequence
from math import prod

from xdsl.irdl import operand_def, prop_def, traits_def

from s2s.dialects.graph.base import INTS, TENSOR, GraphOp, Value, ints, type_of
from s2s.dialects.graph.interfaces import elements, shape_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import columns


@op_definition
class SumPatchesOp(GraphOp):
    """`y[n, c, p * stride + k * dilation - low] += x[n, c, k, p]` over all taps `k` and places `p` of patches.

    `x[N, C, k…, p…]` holds a patch of each channel at each place; what lies outside of `sizes` is left out.

        %y = graph.sum_patches %x {sizes = [42, 42], strides = [1, 1], low = [0, 0], dilations = [1, 1]}
               : (tensor<1x16x3x3x40x40xf32>) -> tensor<1x16x42x42xf32>
    """

    name = "graph.sum_patches"
    x = operand_def(TENSOR)
    sizes = prop_def(INTS)
    strides = prop_def(INTS)
    low = prop_def(INTS)
    dilations = prop_def(INTS)
    traits = traits_def(HasFusionKind(FusionKind.REDUCTION))
    assembly_format = "$x attr-dict `:` functional-type(operands, results)"

    def __init__(
        self, x: Value, *, sizes: Sequence[int], strides: Sequence[int], low: Sequence[int], dilations: Sequence[int]
    ) -> None:
        super().__init__(
            [x], {"sizes": ints(sizes), "strides": ints(strides), "low": ints(low), "dilations": ints(dilations)}
        )

    def inferred_type(self) -> AnyTensor:
        lists = (self.sizes, self.strides, self.low, self.dilations)
        return columns.sum_patches(type_of(self.x), *(list(each.get_values()) for each in lists))

    @property
    def work(self) -> int:
        """The taps of all elements."""
        return elements(self.y) * prod(shape_of(self.x)[2 : 2 + len(self.sizes)])
