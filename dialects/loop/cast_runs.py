"""Casts of neighbouring floats to integers, from memory to memory."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, f16, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import ParsePropInAttrDict, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, WorkInterface, read, write
from s2s.dialects.operation import Op, op_definition
from s2s.types.dtypes import ui8, ui16, ui32, ui64

RUN = 16
"""The neighbours that one operation casts."""

RUN_CASTS: Mapping[Attribute, frozenset[Attribute]] = {
    f64: frozenset([i8, i16, i32, i64, ui8, ui16, ui32, ui64]),
    f32: frozenset([i64, ui64]),
    f16: frozenset([i16, ui16, ui32]),
}
"""The types of integers that runs of each type of floats become; C compilers make good loops of the other casts."""


@op_definition
class CastRunOp(Op, AccessInterface, WorkInterface):
    """Cast 16 neighbouring floats to integers: towards zero, limited to the range, NaN as 0.

        target[a + i] = source[b + i],  0 <= i < 16

    with `(a, b) = map(indices)`.
    """

    name = "loop.cast_run"

    map = prop_def(AffineMapAttr)
    target = operand_def(MemRefType)
    source = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target `,` $source `[` $map `(` $indices `)` `]` attr-dict `:` type($target) `,` type($source)"

    def __init__(self, target: SSAValue, source: SSAValue, affine_map: AffineMap, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=[target, source, indices], properties={"map": AffineMapAttr(affine_map)})

    @property
    def work(self) -> int:
        return RUN

    def accesses(self) -> Sequence[Access]:
        to, at = self.map.data.results
        return [read(self.source, at, self.indices, Extent(RUN)), write(self.target, to, self.indices, Extent(RUN))]

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=2)
        target, source = (check_flat(self, each.type).element_type for each in (self.target, self.source))
        if target not in RUN_CASTS.get(source, ()):
            raise VerifyException(f"{self.name}: {source} does not become {target} in runs")


__all__ = ["RUN", "RUN_CASTS", "CastRunOp"]
