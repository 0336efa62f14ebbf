"""A row of small integers against several rows of constants: what vectors of integers do best."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from s2s.analysis.dtypes import vector_of
from s2s.dialects.loop.index import check_map

ROWS = 4
"""Rows of constants that are taken together: the lanes of a vector of sums."""

CASTS: Sequence[tuple[Attribute, Attribute]] = ((i8, i32), (i8, f32), (i32, f32))
"""Types whose numbers become each other's."""

LANE_ROUNDINGS = ("double", "high", "halves", "negative")
"""Roundings of a rescale that vectors have; they work in 32 bits. `negative` is `double` where `halves` is possible."""


@irdl_op_definition
class DotRowsOp(IRDLOperation):
    """Four sums of products of one row with four rows of constants, which lie in groups side by side.

        result[c] = sum over k < steps of x[a + k] * w[b + k / n * 4 * n + c * n + k % n]

    The map gives `(a, b)`; `n` is the group, which divides the steps. Products and sums are of 32 bits.
    """

    name = "loop.dot_rows"

    map = prop_def(AffineMapAttr)
    steps = prop_def(IntegerAttr)
    group = prop_def(IntegerAttr)
    x = operand_def(MemRefType)
    w = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    result = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$x `,` $w `[` $map `(` $indices `)` `]` attr-dict `:` type($x) `,` type($w) `->` type($result)"

    def __init__(
        self, x: SSAValue, w: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue], *, steps: int, group: int
    ) -> None:
        super().__init__(
            operands=[x, w, indices],
            properties={
                "map": AffineMapAttr(affine_map),
                "steps": IntegerAttr(steps, i64),
                "group": IntegerAttr(group, i64),
            },
            result_types=[vector_of(i32, ROWS)],
        )

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices))
        if len(self.map.data.results) != 2:
            raise VerifyException(f"{self.name}: map gives {len(self.map.data.results)} results, 2 expected")
        _check_elements(self.name, self.x.type, (i8, i16))
        _check_elements(self.name, self.w.type, (i8,))
        steps, group = self.steps.value.data, self.group.value.data
        if group < 1 or steps < 1 or steps % group:
            raise VerifyException(f"{self.name}: {steps} steps are no groups of {group}")
        if self.result.type != vector_of(i32, ROWS):
            raise VerifyException(f"{self.name}: {self.result.type} is not {ROWS} sums of {i32}")


def _check_elements(name: str, buffer: Attribute, elements: Sequence[Attribute]) -> None:
    if not isa(buffer, MemRefType) or len(buffer.get_shape()) != 1 or buffer.element_type not in elements:
        raise VerifyException(f"{name}: {buffer} is not a flat memref of {' or '.join(map(str, elements))}")


@irdl_op_definition
class RescaleLanesOp(IRDLOperation):
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
            _check_lanes(self.name, operand.type, lanes, element)


@irdl_op_definition
class SaturateLanesOp(IRDLOperation):
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
        _check_lanes(self.name, self.x.type, lanes, i32)
        _check_lanes(self.name, self.result.type, lanes, i8)


@irdl_op_definition
class CastLanesOp(IRDLOperation):
    """Numbers as those of another type, lane by lane: bytes extended to 32 bits by their sign, 32 bits cut to bytes,
    integers as floats, and floats towards zero as integers, limited to their range."""

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


def lanes_of(type: Attribute) -> int:
    """The lanes of a vector; 0 for anything else."""
    return type.get_shape()[0] if isa(type, VectorType) and len(type.get_shape()) == 1 else 0


def _check_lanes(name: str, type: Attribute, lanes: int, element: Attribute) -> None:
    if not lanes or type != vector_of(element, lanes):
        raise VerifyException(f"{name}: {type} is not {lanes or 'some'} lanes of {element}")


__all__ = ["LANE_ROUNDINGS", "ROWS", "CastLanesOp", "DotRowsOp", "RescaleLanesOp", "SaturateLanesOp", "lanes_of"]
