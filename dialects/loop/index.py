"""Index arithmetic."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.operation import op_definition
from s2s.dialects.plain import PlainOp


def check_map(name: str, affine_map: AffineMap, operands: int, results: int | None = None) -> None:
    """Refuse a map that does not take `operands` dimensions or does not give `results` expressions."""
    if affine_map.num_dims != operands or affine_map.num_symbols != 0:
        raise VerifyException(f"{name}: map takes {affine_map.num_dims} dimensions, {operands} operands given")
    if results is not None and len(affine_map.results) != results:
        raise VerifyException(f"{name}: map gives {len(affine_map.results)} results, {results} expected")


@op_definition
class ApplyOp(PlainOp):
    """An affine expression of indices: `result = map(indices)`."""

    name = "loop.apply"

    map = prop_def(AffineMapAttr)
    indices = var_operand_def(IndexType)
    result = result_def(IndexType)

    assembly_format = "$map `(` $indices `)` attr-dict"
    traits = traits_def(Pure())

    def __init__(self, affine_map: AffineMap, indices: Sequence[SSAValue]) -> None:
        super().__init__(operands=indices, properties={"map": AffineMapAttr(affine_map)}, result_types=[IndexType()])

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)


@op_definition
class SizeOp(PlainOp):
    """The size `name` of this run, which lies from `least` to `most`: `%n = loop.size "sequence" from 1 to 128`.

    What follows from a size and is no size itself may be negative: the last index of a tensor without elements.
    """

    name = "loop.size"

    size = prop_def(StringAttr)
    least = prop_def(IntegerAttr[IndexType])
    most = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    assembly_format = "$size `from` $least `to` $most attr-dict"
    traits = traits_def(Pure())

    def __init__(self, name: str, least: int, most: int) -> None:
        bounds = [IntegerAttr.from_index_int_value(each) for each in (least, most)]
        properties = {"size": StringAttr(name), "least": bounds[0], "most": bounds[1]}
        super().__init__(properties=properties, result_types=[IndexType()])

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value."""
        return self.least.value.data, self.most.value.data

    def verify_(self) -> None:
        least, most = self.bounds
        if least > most:
            raise VerifyException(f"{self.name}: {least} to {most} are no bounds")


@op_definition
class TileOp(PlainOp):
    """The number of the tile that a kernel computes in this call, from 0 to `count - 1`: `%t = loop.tile of 16`.

    A kernel with tiles begins with this operation, and its calls have the attribute `tiles`: they stand for the calls
    of all tiles, one after the other, between which a program may do something else.
    """

    name = "loop.tile"

    count = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    assembly_format = "`of` $count attr-dict"
    traits = traits_def(Pure())

    def __init__(self, count: int) -> None:
        super().__init__(properties={"count": IntegerAttr.from_index_int_value(count)}, result_types=[IndexType()])

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last number."""
        return 0, self.count.value.data - 1

    def verify_(self) -> None:
        if self.count.value.data < 2:
            raise VerifyException(f"{self.name}: {self.count.value.data} tiles are no division")
        if self.prev_op is not None:
            raise VerifyException(f"{self.name}: stands behind {self.prev_op.name}, expected the start of a kernel")


__all__ = ["ApplyOp", "SizeOp", "TileOp"]
