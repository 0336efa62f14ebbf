"""Operations of quantised networks: rescaling between quantisation scales, and functions as lookup tables."""

from typing import ClassVar, Literal, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import (
    INT,
    TENSOR,
    GraphOp,
    Value,
    integer,
    string,
    type_of,
    zero_point,
    zero_point_attribute,
)
from s2s.dialects.graph.interfaces import ParametersInterface
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor, tensor_type, to_numpy
from s2s.types.shapes import quantize

Rounding: TypeAlias = Literal["double", "single", "reduced"]


@op_definition
class RescaleOp(GraphOp, ParametersInterface):
    """`y = saturate((x - input_zp) * multiplier * 2 ** (shift - 31) + output_zp)`, rounded as `rounding` says.

    What saturates is the type of the result, and `min` and `max` where they are given.
    `multiplier: i32` and `shift: i8` are scalars, or vectors along `axis`; the multiplier is above
    `-2 ** 31`, and `shift` lies between -31 and 30.

    - `double`: x of at most 32 bits; `x * 2 ** shift` if shift is positive, wrapping; the upper half of twice the
      product, halves up; then divided by `2 ** -shift` if shift is negative, halves away from zero (gemmlowp,
      TFLite-Micro).
    - `single`: x of at most 32 bits; the exact product, rounded once, halves up (TFLite's reference fully connected).
    - `reduced`: x of up to 48 bits, shift of at most 14; the multiplier is rounded to 16 bits first, then as `single`
      (TFLite's int16 x int8).
    """

    name = "graph.rescale"
    x = operand_def(TENSOR)
    multiplier = operand_def(TENSOR)
    shift = operand_def(TENSOR)
    input_zp = opt_prop_def(INT)
    output_zp = opt_prop_def(INT)
    min = opt_prop_def(INT)
    max = opt_prop_def(INT)
    rounding = prop_def(StringAttr)
    axis = opt_prop_def(INT)
    traits = traits_def(HasFusionKind(FusionKind.ELEMENTWISE))
    assembly_format = "$x `,` $multiplier `,` $shift attr-dict `:` functional-type(operands, results)"

    ROUNDINGS: ClassVar[tuple[Rounding, ...]] = ("double", "single", "reduced")

    def __init__(
        self,
        x: Value,
        multiplier: Value,
        shift: Value,
        element_type: Attribute,
        *,
        rounding: Rounding,
        input_zp: int = 0,
        output_zp: int = 0,
        min: int | None = None,
        max: int | None = None,
        axis: int | None = None,
    ) -> None:
        info = np.iinfo(to_numpy(element_type))
        super().__init__(
            [x, multiplier, shift],
            {
                "input_zp": zero_point_attribute(input_zp),
                "output_zp": zero_point_attribute(output_zp),
                "min": None if min is None or min == info.min else integer(min),
                "max": None if max is None or max == info.max else integer(max),
                "rounding": string(rounding),
                "axis": None if axis is None else integer(axis),
            },
            result_type=tensor_type(element_type, type_of(x).get_shape()),
        )

    @property
    def zero_points(self) -> tuple[int, int]:
        """The zero points of `x` and `y`."""
        return zero_point(self.input_zp), zero_point(self.output_zp)

    @property
    def rounding_mode(self) -> Rounding:
        """How products are rounded."""
        return cast(Rounding, self.rounding.data)

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest result."""
        info = np.iinfo(to_numpy(self.y.type.element_type))
        low, high = (None if each is None else each.value.data for each in (self.min, self.max))
        return int(info.min) if low is None else low, int(info.max) if high is None else high

    @property
    def channel_axis(self) -> int | None:
        """The dimension along which multiplier and shift vary; None if they are scalars."""
        return None if self.axis is None else self.axis.value.data

    def inferred_type(self) -> AnyTensor:
        types = type_of(self.x), type_of(self.multiplier), type_of(self.shift), self.y.type.element_type
        y = quantize.rescale(*types, self.zero_points, self.rounding.data, self.channel_axis)
        quantize.require_limits(self.limits, self.y.type.element_type)
        return y


@op_definition
class TableOp(GraphOp, ParametersInterface):
    """`y[i] = table[x[i] - lowest]`: 256 entries for the values of an 8-bit type, of which `lowest` is the least."""

    name = "graph.table"
    x = operand_def(TENSOR)
    table = operand_def(TENSOR)
    traits = traits_def(HasFusionKind(FusionKind.ELEMENTWISE))
    assembly_format = "$x `,` $table attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, table: Value) -> None:
        super().__init__([x, table])

    def inferred_type(self) -> AnyTensor:
        return quantize.table(type_of(self.x), type_of(self.table))
