"""Factors of products of small integers: copied to scratch, and extended."""

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
    i64,
)
from xdsl.ir import SSAValue
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

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, WorkInterface, read, write
from s2s.dialects.operation import Op, op_definition
from s2s.types.hints import isa

WORD = 4
"""Bytes that are extended together."""


@op_definition
class CacheReadOp(Op, AccessInterface, WorkInterface):
    """Copy 8-bit elements, those outside of a range as `fill`: extended to 16 bits with a number added, or as bytes.

        target[t + i] = low <= i < high ? ext(source[s + i * stride]) + offset : fill,  0 <= i < count

    The map gives `(t, s)`, or `(t, s, low, high)`. What is outside of the range is not read, and need not exist.
    Without `fill` it is 0; a target of bytes has no offset. `flip` adds 128 to every byte that is stored: the numbers
    from -128 to 127 become those from 0 to 255.
    """

    name = "loop.cache_read"

    map = prop_def(AffineMapAttr)
    count = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    offset = prop_def(IntegerAttr)
    fill = opt_prop_def(IntegerAttr)
    flip = opt_prop_def(UnitAttr)
    source = operand_def(MemRefType)
    target = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source `,` $target `[` $map `(` $indices `)` `]` attr-dict `:` type($source) `,` type($target)"

    def __init__(
        self,
        source: SSAValue,
        target: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        *,
        count: int,
        stride: int = 1,
        offset: int = 0,
        fill: int = 0,
        flip: bool = False,
    ) -> None:
        super().__init__(
            operands=[source, target, indices],
            properties={
                "map": AffineMapAttr(affine_map),
                "count": IntegerAttr(count, i64),
                "stride": IntegerAttr(stride, i64),
                "offset": IntegerAttr(offset, i64),
                "fill": IntegerAttr(fill, i64) if fill else None,
                "flip": UnitAttr() if flip else None,
            },
        )

    def accesses(self) -> Sequence[Access]:
        to, start, *limits = self.map.data.results
        count, stride = self.count.value.data, self.stride.value.data
        return [
            write(self.target, to, self.indices, Extent(count)),
            read(self.source, start, self.indices, Extent(count, stride, *limits)),
        ]

    @property
    def work(self) -> int:
        return self.count.value.data

    @property
    def outside(self) -> int:
        """What is stored for elements outside of the range."""
        return 0 if self.fill is None else self.fill.value.data

    @property
    def is_clipped(self) -> bool:
        """Whether some elements may be zeros instead of elements of the source."""
        return len(self.map.data.results) == 4

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices))
        if len(self.map.data.results) not in (2, 4):
            raise VerifyException(f"{self.name}: map gives {len(self.map.data.results)} results, 2 or 4 expected")
        check_flat(self, self.source.type, i8)
        in_bytes = isa(self.target.type, MemRefType) and self.target.type.element_type == i8
        check_flat(self, self.target.type, i8 if in_bytes else i16)
        if in_bytes and self.offset.value.data:
            raise VerifyException(f"{self.name}: offset {self.offset.value.data} on a copy of bytes")
        if self.flip is not None and not in_bytes:
            raise VerifyException(f"{self.name}: flip on a copy to {self.target.type}")
        if self.outside and not (in_bytes and -128 <= self.outside <= 127):
            raise VerifyException(f"{self.name}: fill {self.outside} is no element of {self.target.type}")
        _check_offset(self.name, self.offset.value.data)
        if self.count.value.data < 1:
            raise VerifyException(f"{self.name}: {self.count.value.data} elements")


def _check_offset(name: str, offset: int) -> None:
    if offset - 128 < -(2**15) or offset + 127 >= 2**15:
        raise VerifyException(f"{name}: offset {offset} leaves 16 bits")


@op_definition
class ExtendOp(Op):
    """Extend four lanes of `vector`, its `part`-th four, to 16 bits and add `offset`: lanes 0, 2, 1, 3 in this order.

    Machines extend the bytes of a word in this order. Both factors of a dot product are extended so, or one of them is
    packed so that its lanes come out in their natural order.
    """

    name = "loop.extend"

    part = prop_def(IntegerAttr)
    offset = prop_def(IntegerAttr)
    vector = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, vector: SSAValue, part: int = 0, offset: int = 0) -> None:
        super().__init__(
            operands=[vector],
            properties={"part": IntegerAttr(part, i64), "offset": IntegerAttr(offset, i64)},
            result_types=[VectorType(i16, [WORD])],
        )

    def verify_(self) -> None:
        source, result = self.vector.type, self.result.type
        if not isa(source, VectorType) or source.element_type != i8 or result != VectorType(i16, [WORD]):
            raise VerifyException(f"{self.name}: {source} does not extend to {result}")
        if not 0 <= self.part.value.data * WORD <= source.get_shape()[0] - WORD:
            raise VerifyException(f"{self.name}: {source} has no part {self.part.value.data}")
        _check_offset(self.name, self.offset.value.data)


__all__ = ["CacheReadOp", "ExtendOp"]
