"""Groups of four bytes in lanes of 32 bits: sums of products of bytes, many at a time.

A group is an `i32` whose lowest byte comes first. Vectors of groups come from memory, and meet in dot products.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat, check_vector, lanes_of
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import vector_of

GROUP = 4
"""Bytes in a group."""

LANE_STRIDES = (0, 1, GROUP)
"""One group for all lanes, columns of neighbours, groups side by side."""


@op_definition
class LoadGroupsOp(Op, AccessInterface):
    """Lane `i` is a group whose byte `k` is `buffer[map(indices) + i * lane_stride + k * stride]`, 0 from `count` on.

    Groups side by side (`lane_stride = 4`) and one group for all lanes (0) are four neighbours; columns (1) take bytes
    at any distance, and may have fewer.
    """

    name = "loop.load_groups"

    map = prop_def(AffineMapAttr)
    lane_stride = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
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
    ) -> None:
        super().__init__(
            operands=[buffer, indices],
            properties={
                "map": AffineMapAttr(affine_map),
                "lane_stride": IntegerAttr(lane_stride, i64),
                "stride": IntegerAttr(stride, i64),
                "count": IntegerAttr(count, i64),
            },
            result_types=[vector_of(i32, lanes)],
        )

    def accesses(self) -> Sequence[Access]:
        lanes = Extent(lanes_of(self.result.type), self.lane_stride.value.data)
        group = Extent(self.count.value.data, self.stride.value.data)
        return [read(self.buffer, self.map.data.results[0], self.indices, lanes, group)]

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type, i8)
        check_vector(self, self.result.type, i32)
        between, stride, count = (each.value.data for each in (self.lane_stride, self.stride, self.count))
        if between not in LANE_STRIDES:
            raise VerifyException(f"{self.name}: lane_stride {between} is none of {list(LANE_STRIDES)}")
        if not 0 < count <= GROUP or (between != 1 and (stride, count) != (1, GROUP)):
            raise VerifyException(
                f"{self.name}: {count} bytes at distance {stride} make no group of lanes {between} apart"
            )


__all__ = ["GROUP", "LoadGroupsOp"]
