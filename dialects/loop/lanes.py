"""Vector forms of scalar operations that `arith` has not: rescale, quantize, saturate, casts, table look-up."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    VectorType,
    f32,
    i8,
    i16,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.checks import check_flat, check_lanes, check_vector, lanes_of
from s2s.dialects.loop.interfaces import Access, AccessInterface, read_any
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import vector_of

CASTS: Sequence[tuple[Attribute, Attribute]] = ((i8, i32), (i8, f32), (i16, i32), (i32, f32))
"""Types whose numbers become each other's."""

LANE_ROUNDINGS = ("double", "high", "negative", "upward")
"""Roundings of a rescale that vectors have; they work in 32 bits."""

TABLE = 256
"""Elements of a table that is looked up in lanes: one for each byte."""


@op_definition
class RescaleLanesOp(Op):
    """`tensor.rescale` lane by lane."""

    name = "loop.rescale_lanes"

    x = operand_def(VectorType)
    multiplier = operand_def(VectorType)
    shift = operand_def(VectorType)
    rounding = prop_def(StringAttr)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$x `,` $multiplier `,` $shift $rounding attr-dict"
        " `:` type($x) `,` type($multiplier) `,` type($shift) `->` type($result)"
    )

    def __init__(self, x: SSAValue, multiplier: SSAValue, shift: SSAValue, rounding: str) -> None:
        super().__init__(
            operands=[x, multiplier, shift], properties={"rounding": StringAttr(rounding)}, result_types=[x.type]
        )

    def verify_(self) -> None:
        if self.rounding.data not in LANE_ROUNDINGS:
            raise VerifyException(f'{self.name}: rounding is "{self.rounding.data}", not {", ".join(LANE_ROUNDINGS)}')
        lanes = lanes_of(self.x.type)
        for operand, element in ((self.x, i32), (self.multiplier, i32), (self.shift, i8), (self.result, i32)):
            check_lanes(self, operand.type, lanes, element)


@op_definition
class SaturateLanesOp(Op):
    """`tensor.saturate` lane by lane."""

    name = "loop.saturate_lanes"

    x = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($x) `->` type($result)"

    def __init__(self, x: SSAValue) -> None:
        super().__init__(operands=[x], result_types=[vector_of(i8, lanes_of(x.type))])

    def verify_(self) -> None:
        lanes = lanes_of(self.x.type)
        check_lanes(self, self.x.type, lanes, i32)
        check_lanes(self, self.result.type, lanes, i8)


@op_definition
class QuantizeLanesOp(Op):
    """`tensor.quantize` lane by lane."""

    name = "loop.quantize_lanes"

    zero_point = prop_def(IntegerAttr)
    maybe_nan = opt_prop_def(UnitAttr)
    away = opt_prop_def(UnitAttr)
    factors = opt_prop_def(DenseArrayBase.constr(f32))
    x = operand_def(VectorType)
    result = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($x) `->` type($result)"

    def verify_(self) -> None:
        lanes = lanes_of(self.x.type)
        check_lanes(self, self.x.type, lanes, f32)
        check_lanes(self, self.result.type, lanes, i8)

    @property
    def half(self) -> int:
        """The number of negative results that there can be."""
        return 128


@op_definition
class CastLanesOp(Op):
    """Convert numbers to another type, lane by lane: 8 and 16 bits are extended to 32 by their sign, 32 bits are
    truncated to them, integers become floats, and floats are rounded towards zero to integers, limited to their
    range."""

    name = "loop.cast_lanes"

    x = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($x) `->` type($result)"

    def __init__(self, x: SSAValue, element: Attribute) -> None:
        super().__init__(operands=[x], result_types=[vector_of(element, lanes_of(x.type))])

    def verify_(self) -> None:
        lanes, types = lanes_of(self.x.type), [self.x.type, self.result.type]
        pairs = [[vector_of(one, lanes), vector_of(other, lanes)] for one, other in CASTS]
        if not lanes or not (types in pairs or types[::-1] in pairs):
            raise VerifyException(f"{self.name}: {types[0]} does not become {types[1]}")


@op_definition
class LookUpLanesOp(Op, AccessInterface, PathInterface):
    """`result[i] = table[index[i]]` for a table of 256 bytes; the caller keeps each index in it."""

    name = "loop.look_up_lanes"

    table = operand_def(MemRefType)
    index = operand_def(VectorType)
    result = result_def(VectorType)
    assembly_format = "$table `,` $index attr-dict `:` type($table) `,` type($index) `->` type($result)"

    def __init__(self, table: SSAValue, index: SSAValue) -> None:
        super().__init__(operands=[table, index], result_types=[vector_of(i8, lanes_of(index.type))])

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.table)]

    def turns(self) -> Sequence[Turn]:
        return [Turn("reads at positions that data give", [self.index])]

    def verify_(self) -> None:
        size = check_flat(self, self.table.type, i8).get_shape()[0]
        if size != TABLE:
            raise VerifyException(f"{self.name}: a table of {size} bytes, {TABLE} expected")
        check_vector(self, self.index.type, i32)
        check_lanes(self, self.result.type, lanes_of(self.index.type), i8)


__all__ = [
    "LANE_ROUNDINGS",
    "TABLE",
    "CastLanesOp",
    "LookUpLanesOp",
    "QuantizeLanesOp",
    "RescaleLanesOp",
    "SaturateLanesOp",
]
