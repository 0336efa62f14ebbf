"""Convolutions over one to three spatial dimensions, channels first.

Convolution here is cross-correlation, as everywhere in neural networks: the kernel is not flipped. `pads` are
`[lo_1, …, lo_n, hi_1, …, hi_n]` zeros.
"""

from abc import ABC
from collections.abc import Sequence

from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, traits_def

from s2s.analysis.dtypes import AnyTensor
from s2s.analysis.shapes import window
from s2s.analysis.shapes.window import Window
from s2s.dialects.graph.base import INT, INTS, TENSOR, GraphOp, Value, integer, ints, optional_type_of, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind


class ConvFamilyOp(GraphOp, ABC):
    """A sum of products over a sliding window, with groups and an optional bias."""

    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    b = opt_operand_def(TENSOR)
    strides = prop_def(INTS)
    pads = prop_def(INTS)
    dilations = prop_def(INTS)
    groups = prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x `,` $w (`,` $b^)? attr-dict `:` functional-type(operands, results)"

    def window(self) -> Window:
        """The sliding window, its kernel taken from the shape of `w`."""
        kernel = type_of(self.w).get_shape()[2:]
        return Window(kernel, self.strides.get_values(), self.pads.get_values(), self.dilations.get_values())


@irdl_op_definition
class ConvOp(ConvFamilyOp):
    """`y[n, o, p] = b[o] + sum_{c, k} x[n, group(o) * C / groups + c, p * stride + k * dilation - lo] * w[o, c, k]`.

    `x[N, C, …]`, `w[O, C / groups, k…]`, `b[O]`.
    """

    name = "graph.conv"

    def __init__(
        self,
        x: Value,
        w: Value,
        b: Value | None = None,
        *,
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        groups: int,
    ) -> None:
        super().__init__(
            [x, w, b],
            {"strides": ints(strides), "pads": ints(pads), "dilations": ints(dilations), "groups": integer(groups)},
        )

    def inferred_type(self) -> AnyTensor:
        groups = self.groups.value.data
        return window.conv(type_of(self.x), type_of(self.w), optional_type_of(self.b), self.window(), groups)


@irdl_op_definition
class ConvTransposeOp(ConvFamilyOp):
    """The gradient of a convolution: each input element adds `x * w` to the outputs its window covers.

    `y[n, o, p * stride + k * dilation - lo] += x[n, c, p] * w[c, o, k]` over all `c` of the group of `o`, `p`, `k`,
    starting from `b[o]`. `x[N, C, …]`, `w[C, O / groups, k…]`, `b[O]`. `pads` cut the output;
    `output_padding` lengthens its far side.
    """

    name = "graph.conv_transpose"
    output_padding = prop_def(INTS)

    def __init__(
        self,
        x: Value,
        w: Value,
        b: Value | None = None,
        *,
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        groups: int,
        output_padding: Sequence[int],
    ) -> None:
        super().__init__(
            [x, w, b],
            {
                "strides": ints(strides),
                "pads": ints(pads),
                "dilations": ints(dilations),
                "groups": integer(groups),
                "output_padding": ints(output_padding),
            },
        )

    def inferred_type(self) -> AnyTensor:
        return window.conv_transpose(
            type_of(self.x),
            type_of(self.w),
            optional_type_of(self.b),
            self.window(),
            self.groups.value.data,
            self.output_padding.get_values(),
        )
