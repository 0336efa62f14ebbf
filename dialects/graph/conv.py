"""Convolutions over one to three spatial dimensions, channels first or last.

Convolution here is cross-correlation, as everywhere in neural networks: the kernel is not flipped. `pads` are
`[lo_1, …, lo_n, hi_1, …, hi_n]` zeros.

Integers of 8 and 16 bits have zero points: where a formula says `x`, read `x - input_zp`, and `w - weight_zp` for
`w`; padding contributes nothing. Their sum, and the bias, are `i32`, or `i64` where a factor has 16 bits; `acc_type`
asks for the other. With `layout = "NHWC"` the channels of `x` and `y` come last; `w` stays as it is.
"""

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import BaseAttr, operand_def, opt_operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import (
    INT,
    INTS,
    TENSOR,
    Value,
    integer,
    ints,
    layout_attribute,
    layout_of,
    optional_type_of,
    type_of,
    zero_point,
    zero_point_attribute,
)
from s2s.dialects.graph.interfaces import ReadsSizesInterface, WindowInterface, elements, shape_of
from s2s.dialects.graph.linear import LayerOp
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, Array
from s2s.types.shapes import window
from s2s.types.shapes.accumulate import Accumulation
from s2s.types.shapes.window import CHANNELS_FIRST, ConvOperands, Layout, Window, channel_axis


class ConvFamilyOp(LayerOp, WindowInterface, ABC):
    """A sum of products over a sliding window, with groups and an optional bias."""

    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    b = opt_operand_def(TENSOR)
    strides = prop_def(INTS)
    pads = prop_def(INTS)
    dilations = prop_def(INTS)
    groups = prop_def(INT)
    layout = opt_prop_def(StringAttr)
    input_zp = opt_prop_def(INT)
    weight_zp = opt_prop_def(INT)
    acc_type = opt_prop_def(BaseAttr[Attribute](TypeAttribute))
    traits = traits_def(HasFusionKind(FusionKind.OUT_FUSABLE))
    assembly_format = "$x `,` $w (`,` $b^)? attr-dict `:` functional-type(operands, results)"
    WEIGHT_AXIS: ClassVar[int]
    """The axis of `w` that counts output channels, 0 or 1; axis 1 counts the channels of one group."""

    @property
    def data_layout(self) -> Layout:
        """Where the channels of `x` and `y` stand."""
        return layout_of(self.layout)

    @property
    def accumulation(self) -> Accumulation:
        """How products are summed."""
        return Accumulation(self.acc_type, zero_point(self.input_zp), zero_point(self.weight_zp))

    def role_of(self, operand: int) -> str:
        return "bias" if operand == 2 else super().role_of(operand)

    @property
    def bias(self) -> SSAValue | None:
        """One number to add for each output channel."""
        return self.b

    @property
    def groups_of_channels(self) -> int:
        """Number of groups of channels that are computed apart."""
        return self.groups.value.data

    @property
    def in_axis(self) -> int:
        """The axis of `x` that counts input channels."""
        return channel_axis(self.data_layout, len(shape_of(self.x)))

    @property
    def out_axis(self) -> int:
        """The axis of the result that counts output channels."""
        return channel_axis(self.data_layout, len(shape_of(self.y)))

    def factors(self, scale: Array, shape: Sequence[int], *, outputs: bool) -> Array:
        ones, groups = [1] * (len(shape) - 2), self.groups_of_channels
        if (0 if outputs else 1) == self.WEIGHT_AXIS:
            return scale.reshape(-1, 1, *ones)
        by_group = scale.reshape(groups, shape[1], *ones)
        return by_group if groups == 1 else np.repeat(by_group, shape[0] // groups, axis=0)

    def typed_operands(self) -> ConvOperands:
        """What the type rules look at."""
        bias = optional_type_of(self.b)
        return ConvOperands(type_of(self.x), type_of(self.w), bias, self.data_layout, self.accumulation)

    def window(self) -> Window:
        """The sliding window, its kernel taken from the shape of `w`."""
        kernel = type_of(self.w).get_shape()[2:]
        return Window(kernel, self.strides.get_values(), self.pads.get_values(), self.dilations.get_values())


@op_definition
class ConvOp(ConvFamilyOp, ReadsSizesInterface):
    """`y[n, o, p] = b[o] + sum_{c, k} x[n, group(o) * C / groups + c, p * stride + k * dilation - lo] * w[o, c, k]`.

    `x[N, C, …]`, `w[O, C / groups, k…]`, `b[O]`.
    """

    name = "graph.conv"
    WEIGHT_AXIS: ClassVar[int] = 0

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
        layout: Layout = CHANNELS_FIRST,
        input_zp: int = 0,
        weight_zp: int = 0,
        acc_type: Attribute | None = None,
    ) -> None:
        super().__init__(
            [x, w, b],
            {
                "strides": ints(strides),
                "pads": ints(pads),
                "dilations": ints(dilations),
                "groups": integer(groups),
                "layout": layout_attribute(layout),
                "input_zp": zero_point_attribute(input_zp),
                "weight_zp": zero_point_attribute(weight_zp),
                "acc_type": acc_type,
            },
        )

    def by_channels(self, weights: Array) -> Array:
        groups, (outputs, inputs) = self.groups_of_channels, weights.shape[:2]
        return weights.reshape(groups, outputs // groups, inputs, -1)

    def stored(self, weights: Array, shape: Sequence[int]) -> Array:
        groups, outputs, inputs, _ = weights.shape
        return weights.reshape(groups * outputs, inputs, *shape[2:])

    def inferred_type(self) -> AnyTensor:
        return window.conv(self.typed_operands(), self.window(), self.groups.value.data)

    @property
    def terms(self) -> int:
        return prod(shape_of(self.w)[1:])


@op_definition
class ConvTransposeOp(ConvFamilyOp):
    """The gradient of a convolution: each input element adds `x * w` to the outputs its window covers.

    `y[n, o, p * stride + k * dilation - lo] += x[n, c, p] * w[c, o, k]` over all `c` of the group of `o`, `p`, `k`,
    starting from `b[o]`. `x[N, C, …]`, `w[C, O / groups, k…]`, `b[O]`. `pads` cut the output;
    `output_padding` lengthens its far side.
    """

    name = "graph.conv_transpose"
    WEIGHT_AXIS: ClassVar[int] = 1
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
        layout: Layout = CHANNELS_FIRST,
        input_zp: int = 0,
        weight_zp: int = 0,
        acc_type: Attribute | None = None,
    ) -> None:
        super().__init__(
            [x, w, b],
            {
                "strides": ints(strides),
                "pads": ints(pads),
                "dilations": ints(dilations),
                "groups": integer(groups),
                "output_padding": ints(output_padding),
                "layout": layout_attribute(layout),
                "input_zp": zero_point_attribute(input_zp),
                "weight_zp": zero_point_attribute(weight_zp),
                "acc_type": acc_type,
            },
        )

    def by_channels(self, weights: Array) -> Array:
        groups, (inputs, outputs) = self.groups_of_channels, weights.shape[:2]
        return weights.reshape(groups, inputs // groups, outputs, -1).transpose(0, 2, 1, 3)

    def stored(self, weights: Array, shape: Sequence[int]) -> Array:
        groups, outputs, inputs, _ = weights.shape
        return weights.transpose(0, 2, 1, 3).reshape(groups * inputs, outputs, *shape[2:])

    def inferred_type(self) -> AnyTensor:
        padding = self.output_padding.get_values()
        return window.conv_transpose(self.typed_operands(), self.window(), self.groups.value.data, padding)

    @property
    def terms(self) -> int:
        channels, _, *kernel = shape_of(self.w)
        return channels // self.groups.value.data * prod(kernel)

    @property
    def multiply_adds(self) -> int:
        return elements(self.x) * prod(shape_of(self.w)[1:])

    @property
    def padded_elements(self) -> int:
        """The elements of the result before its padding is cut off."""
        return self.elements_with_padding(self.y)
