"""Loads of constants that are codes of four bits into tables of values, which lie behind the codes in one buffer."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType, UnitAttr, VectorType, i8, i16, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import ParsePropInAttrDict, operand_def, opt_prop_def, prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read
from s2s.dialects.operation import op_definition
from s2s.dialects.plain import PlainOp

CODES = 16
"""The most values of a table."""
GROUP = 4
"""The codes that are looked up together."""


class _LookUp(PlainOp, AccessInterface):
    """Base of loads by codes: the map gives the place of the codes, and where the table begins in the same buffer."""

    map = prop_def(AffineMapAttr)
    values = prop_def(IntegerAttr)
    """The number of values in the table."""
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    irdl_options = (ParsePropInAttrDict(),)

    def _table(self) -> Access:
        return read(self.buffer, self.map.data.results[1], self.indices, Extent(self.values.value.data))

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=2)
        check_flat(self, self.buffer.type, i8)
        if not 1 <= self.values.value.data <= CODES:
            raise VerifyException(f"{self.name}: {self.values.value.data} values in a table; 1 to {CODES} expected")


@op_definition
class LookUpOp(_LookUp):
    """Look up one number by its code, number `at` of the codes, two in a byte, that the buffer begins with.

    result = buffer[table + (buffer[at / 2] >> 4 * (at % 2) & 15)],  at, table = map(indices)
    """

    name = "loop.look_up"

    result = result_def(i8)
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue], *, values: int) -> None:
        super().__init__(
            operands=[buffer, *indices],
            properties={"map": AffineMapAttr(affine_map), "values": IntegerAttr(values, i64)},
            result_types=[i8],
        )

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0] // 2, self.indices), self._table()]


@op_definition
class LookUpGroupOp(_LookUp):
    """Look up four neighbours, whose codes are the two bytes at `at`, as 16 bits in the order of `loop.extend`, or of
    `loop.pairs`.

        w[i] = buffer[table + (buffer[at + i / 2] >> 4 * (i % 2) & 15)],  at, table = map(indices),  0 <= i < 4
        result = w[0], w[2], w[1], w[3];  with `pairs`: w[1] - 256 * w[0], w[3] - 256 * w[2], w[1], w[3]
    """

    name = "loop.look_up_group"

    pairs = opt_prop_def(UnitAttr)
    result = result_def(VectorType(i16, [GROUP]))
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer)"

    def __init__(
        self,
        buffer: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        *,
        values: int,
        pairs: bool = False,
    ) -> None:
        super().__init__(
            operands=[buffer, *indices],
            properties={
                "map": AffineMapAttr(affine_map),
                "values": IntegerAttr(values, i64),
                "pairs": UnitAttr() if pairs else None,
            },
            result_types=[VectorType(i16, [GROUP])],
        )

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0], self.indices, Extent(GROUP // 2)), self._table()]


__all__ = ["LookUpGroupOp", "LookUpOp"]
