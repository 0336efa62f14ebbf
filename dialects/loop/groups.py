"""Groups of small integers in lanes of 32 bits: sums of their products, many at a time.

A group is an `i32` of four bytes, or of two numbers of 16 bits, whose lowest bits come first. Vectors of groups come
from memory, and meet in dot products.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    VectorType,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat, check_vector, lanes_of
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import vector_of
from s2s.types.hints import isa

GROUP = 4
"""Bytes in a group."""
PAIR = 2
"""Numbers of 16 bits in a group."""


@op_definition
class LoadGroupsOp(Op, AccessInterface):
    """Lane `i` is a group with element `k` from `buffer[map(indices) + i * lane_stride + k * stride]`, 0 from `count`
    on.

    A group has four bytes; or two numbers of 16 bits, from a buffer of such numbers or, `widened`, from bytes. Groups
    side by side (`lane_stride` is the size of a group) and one group for all lanes (0) are neighbours; columns (1) take
    bytes at any distance, and may have fewer. Neighbours may be `nibbles`, two numbers of four bits in a byte, the
    first in its low bits; then `map` gives a byte.
    """

    name = "loop.load_groups"

    map = prop_def(AffineMapAttr)
    lane_stride = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    widened = opt_prop_def(UnitAttr)
    nibbles = opt_prop_def(UnitAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    result = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer) `->` type($result)"

    def __init__(
        self,
        buffer: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        lanes: int,
        *,
        lane_stride: int,
        stride: int = 1,
        count: int = GROUP,
        widened: bool = False,
        nibbles: bool = False,
    ) -> None:
        super().__init__(
            operands=[buffer, indices],
            properties={
                "map": AffineMapAttr(affine_map),
                "lane_stride": IntegerAttr(lane_stride, i64),
                "stride": IntegerAttr(stride, i64),
                "count": IntegerAttr(count, i64),
                "widened": UnitAttr() if widened else None,
                "nibbles": UnitAttr() if nibbles else None,
            },
            result_types=[vector_of(i32, lanes)],
        )

    def accesses(self) -> Sequence[Access]:
        if self.nibbles is not None:
            size = Extent(lanes_of(self.result.type) * self.group // 2)
            return [read(self.buffer, self.map.data.results[0], self.indices, size)]
        lanes = Extent(lanes_of(self.result.type), self.lane_stride.value.data)
        group = Extent(self.count.value.data, self.stride.value.data)
        return [read(self.buffer, self.map.data.results[0], self.indices, lanes, group)]

    @property
    def group(self) -> int:
        """The numbers in a lane."""
        return PAIR if self.widened is not None or self._element == i16 else GROUP

    @property
    def _element(self) -> Attribute:
        return self.buffer.type.element_type if isa(self.buffer.type, MemRefType) else i8

    def _lane_strides(self) -> tuple[int, ...]:
        """Return the distances of lanes: 0 for one group in all of them, 1 for columns, the group for neighbours."""
        if self.group == GROUP:
            return (0, 1, GROUP)
        return (0, PAIR) if self.widened is None else (PAIR,)

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type, i16 if self._element == i16 and self.widened is None else i8)
        check_vector(self, self.result.type, i32)
        between, stride, count = (each.value.data for each in (self.lane_stride, self.stride, self.count))
        group, lane_strides = self.group, self._lane_strides()
        if between not in lane_strides:
            raise VerifyException(f"{self.name}: lane_stride {between} is none of {list(lane_strides)}")
        if self.nibbles is not None and (between != group or self._element != i8):
            raise VerifyException(f"{self.name}: numbers of four bits are no neighbours")
        if not 0 < count <= group or (between != 1 and (stride, count) != (1, group)):
            raise VerifyException(
                f"{self.name}: {count} elements at distance {stride} make no group of lanes {between} apart"
            )


@op_definition
class AddPairsOp(Op):
    """`a + b` of two numbers of 16 bits in each lane, modulo 2 ** 16."""

    name = "loop.add_pairs"

    a = operand_def(VectorType)
    b = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result)"

    def __init__(self, a: SSAValue, b: SSAValue) -> None:
        super().__init__(operands=[a, b], result_types=[a.type])

    def verify_(self) -> None:
        check_vector(self, self.result.type, i32)
        for operand in (self.a, self.b):
            if operand.type != self.result.type:
                raise VerifyException(f"{self.name}: {operand.type} where the result has {self.result.type}")


__all__ = ["GROUP", "PAIR", "AddPairsOp", "LoadGroupsOp"]
