"""Loads of constants of four bits, two of which lie in a byte."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType, VectorType, i8, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import ParsePropInAttrDict, operand_def, prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read
from s2s.dialects.operation import op_definition
from s2s.dialects.plain import PlainOp
from s2s.types.hints import isa

HALF = 8
"""What is added to a number of -8 to 7 to store it in four bits."""
NIBBLE = 4
"""The bits of a number."""
SIZES = (4, 8)
"""The lanes that a load may have."""


@op_definition
class LoadNibblesOp(PlainOp, AccessInterface):
    """Load numbers of four bits from half as many bytes: in each group of `g`, low bits come first.

        result[i] = (buffer[at + i] & 15) - 8,  result[g / 2 + i] = (buffer[at + i] >> 4 & 15) - 8,  0 <= i < g / 2

    with `at = map(indices)`; of eight lanes in groups of four, the second group begins at `at + 2`.
    """

    name = "loop.load_nibbles"

    map = prop_def(AffineMapAttr)
    group = prop_def(IntegerAttr)
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
        result_type: Attribute,
        *,
        group: int,
    ) -> None:
        super().__init__(
            operands=[buffer, *indices],
            properties={"map": AffineMapAttr(affine_map), "group": IntegerAttr(group, i64)},
            result_types=[result_type],
        )

    @property
    def lanes(self) -> int:
        """The number of lanes of the result."""
        return self.result.type.get_shape()[0]

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0], self.indices, Extent(self.lanes // 2))]

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type, i8)
        if not isa(self.result.type, VectorType) or self.result.type.element_type != i8 or self.lanes not in SIZES:
            raise VerifyException(f"{self.name}: result is {self.result.type}; 4 or 8 numbers of i8 expected")
        if self.group.value.data not in SIZES or self.lanes % self.group.value.data:
            raise VerifyException(f"{self.name}: {self.lanes} lanes in groups of {self.group.value.data}")


@op_definition
class LoadNibbleOp(PlainOp, AccessInterface):
    """Load one number of four bits: `number[map(indices)]` of a buffer of neighbours, two in a byte.

    number[i] = sign of four bits(buffer[i / 2] >> 4 * (i % 2) & 15), 15 is -1
    """

    name = "loop.load_nibble"

    map = prop_def(AffineMapAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    result = result_def(i8)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[buffer, *indices], properties={"map": AffineMapAttr(affine_map)}, result_types=[i8])

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0] // 2, self.indices)]

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        check_flat(self, self.buffer.type, i8)


__all__ = ["LoadNibbleOp", "LoadNibblesOp"]
