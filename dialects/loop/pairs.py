"""Loads of two neighbouring floats by one instruction, into registers of their own."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import ParsePropInAttrDict, operand_def, prop_def, result_def, var_operand_def

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read
from s2s.dialects.operation import Op, op_definition


@op_definition
class LoadPairOp(Op, AccessInterface):
    """`low, high = buffer[map(indices)], buffer[map(indices) + 1]`, floats both."""

    name = "loop.load_pair"

    map = prop_def(AffineMapAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    low = result_def(f32)
    high = result_def(f32)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer) `->` type($low) `,` type($high)"
    )

    def __init__(self, buffer: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[buffer, indices], properties={"map": AffineMapAttr(affine_map)}, result_types=[f32, f32]
        )

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0], self.indices, Extent(2, 1))]

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type, f32)


__all__ = ["LoadPairOp"]
