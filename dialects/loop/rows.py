"""A row of small integers against several rows of constants: what vectors of integers do best."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    i8,
    i16,
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

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, WorkInterface, read
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import vector_of

ROWS = 4
"""Rows of constants that are taken together: the lanes of a vector of sums."""


@op_definition
class DotRowsOp(Op, AccessInterface, WorkInterface):
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

    def accesses(self) -> Sequence[Access]:
        (row, constants), steps = self.map.data.results, self.steps.value.data
        return [
            read(self.x, row, self.indices, Extent(steps)),
            read(self.w, constants, self.indices, Extent(steps * ROWS)),
        ]

    @property
    def work(self) -> int:
        return self.steps.value.data

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices))
        if len(self.map.data.results) != 2:
            raise VerifyException(f"{self.name}: map gives {len(self.map.data.results)} results, 2 expected")
        check_flat(self, self.x.type, i8, i16)
        check_flat(self, self.w.type, i8)
        steps, group = self.steps.value.data, self.group.value.data
        if group < 1 or steps < 1 or steps % group:
            raise VerifyException(f"{self.name}: {steps} steps are no groups of {group}")
        if self.result.type != vector_of(i32, ROWS):
            raise VerifyException(f"{self.name}: {self.result.type} is not {ROWS} sums of {i32}")


__all__ = ["ROWS", "DotRowsOp"]
