"""Interleaved stores: element `i` of several vectors side by side, a transposition on the way to memory."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    Float32Type,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, write
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import ui8
from s2s.types.hints import isa

INTERLEAVED_PAIR = 2
"""Vectors of 32-bit elements that interleave by one shuffle for each, without a transposition."""


@op_definition
class StoreInterleavedOp(Op, AccessInterface):
    """`buffer[map(indices) + i * stride + k] = values[k][i]` for the first `lanes` lanes of each vector.

    Unless stated, the stride is the number of vectors, and all lanes are stored. There are two vectors or more, up to
    as many as they have lanes, of bytes, floats or integers of 32 bits.
    """

    name = "loop.store_interleaved"

    map = prop_def(AffineMapAttr)
    stride = opt_prop_def(IntegerAttr)
    lanes = opt_prop_def(IntegerAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    values = var_operand_def(VectorType)

    irdl_options = (ParsePropInAttrDict(), AttrSizedOperandSegments(as_property=True))
    assembly_format = (
        "$buffer `[` $map `(` $indices `)` `]` `from` $values attr-dict `:` type($buffer) `,` type($values)"
    )

    def __init__(
        self,
        values: Sequence[SSAValue],
        buffer: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        *,
        stride: int | None = None,
        lanes: int | None = None,
    ) -> None:
        super().__init__(
            operands=[buffer, indices, values],
            properties={
                "map": AffineMapAttr(affine_map),
                "stride": None if stride in (None, len(values)) else IntegerAttr(stride, i64),
                "lanes": None if lanes is None else IntegerAttr(lanes, i64),
            },
        )

    @property
    def lane_stride(self) -> int:
        """Elements from one lane to the next."""
        return len(self.values) if self.stride is None else self.stride.value.data

    @property
    def active(self) -> int:
        """Lanes of each vector that are stored."""
        return self._type.get_shape()[0] if self.lanes is None else self.lanes.value.data

    def accesses(self) -> Sequence[Access]:
        lanes, neighbours = Extent(self.active, self.lane_stride), Extent(len(self.values))
        return [write(self.buffer, self.map.data.results[0], self.indices, lanes, neighbours)]

    @property
    def _type(self) -> VectorType[Attribute]:
        type = self.values[0].type
        if not isa(type, VectorType) or len(type.get_shape()) != 1 or not _has_form(type.element_type):
            raise VerifyException(f"{self.name}: {type} is no vector of i8, i32 or f32")
        return type

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        types, count = {value.type for value in self.values}, len(self.values)
        if len(types) != 1:
            raise VerifyException(f"{self.name}: vectors of {len(types)} types, one expected")
        type = self._type
        check_flat(self, self.buffer.type, *([i8, ui8] if type.element_type == i8 else [type.element_type]))
        if not 1 < count <= type.get_shape()[0]:
            raise VerifyException(f"{self.name}: {count} vectors, 2 to {type.get_shape()[0]} expected")
        if self.lane_stride < count or not 0 < self.active <= type.get_shape()[0]:
            raise VerifyException(f"{self.name}: {self.active} lanes of {type} at distance {self.lane_stride} overlap")


def _has_form(element: Attribute) -> bool:
    return element in (i8, i32) or isinstance(element, Float32Type)


__all__ = ["INTERLEAVED_PAIR", "StoreInterleavedOp"]
