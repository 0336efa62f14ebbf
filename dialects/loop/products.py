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

from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, WorkInterface, read, write
from s2s.dialects.operation import Op, op_definition
from s2s.types.hints import isa

WORD = 4
"""Bytes that are extended together."""
PAIR = 2
"""Numbers of 16 bits in a word."""


@op_definition
class CacheReadOp(Op, AccessInterface, WorkInterface):
    """Copy 8-bit elements, where elements outside of a range are `fill`: extended to 16 bits with a number added, or as
    bytes.

        target[t + i] = low <= i < high ? ext(source[s + i * stride]) + offset : fill,  0 <= i < count

    The map gives `(t, s)`, or `(t, s, low, high)`. What is outside of the range is not read, and need not exist.
    Without `fill` it is 0; a target of bytes has no offset. `flip` adds 128 to every byte that is stored: the numbers
    from -128 to 127 become those from 0 to 255. With `pairs`, each group of four elements, those outside of the range
    included, is stored as `loop.pair_factors` gives it. `points` says how many such rows lie side by side in the
    target: the halves of a group lie `2 * points` elements apart, and groups twice as far.

        target[t + 4 * points * (i / 4) + 2 * points * (i / 2 mod 2) + 2 * r + i mod 2] = factors[i] of row r

    `rows` are copied at once, all `points` of them or one; those of `count` elements follow each other in the source.
    """

    name = "loop.cache_read"

    map = prop_def(AffineMapAttr)
    count = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    offset = prop_def(IntegerAttr)
    fill = opt_prop_def(IntegerAttr)
    flip = opt_prop_def(UnitAttr)
    pairs = opt_prop_def(UnitAttr)
    points = opt_prop_def(IntegerAttr)
    rows = opt_prop_def(IntegerAttr)
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
        pairs: bool = False,
        points: int = 1,
        rows: int = 1,
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
                "pairs": UnitAttr() if pairs else None,
                "points": IntegerAttr(points, i64) if points > 1 else None,
                "rows": IntegerAttr(rows, i64) if rows > 1 else None,
            },
        )

    def accesses(self) -> Sequence[Access]:
        to, start, *limits = self.map.data.results
        count, stride = self.count.value.data, self.stride.value.data
        return [
            write(self.target, to, self.indices, *self._written()),
            read(self.source, start, self.indices, Extent(count * self.together, stride, *limits)),
        ]

    def _written(self) -> list[Extent]:
        """Return where elements of the target lie."""
        count, points = self.count.value.data, self.side_by_side
        if points == 1:
            return [Extent(count)]
        return [Extent(count // WORD, WORD * points), Extent(WORD // PAIR, PAIR * points), Extent(PAIR * self.together)]

    @property
    def together(self) -> int:
        """The number of rows that are copied at once."""
        return 1 if self.rows is None else self.rows.value.data

    @property
    def side_by_side(self) -> int:
        """The number of rows whose halves of groups lie side by side in the target."""
        return 1 if self.points is None else self.points.value.data

    @property
    def work(self) -> int:
        return self.count.value.data * self.together

    @property
    def outside(self) -> int:
        """What is stored for elements outside of the range."""
        return 0 if self.fill is None else self.fill.value.data

    @property
    def stored(self) -> int:
        """The byte that is stored for elements outside of the range, flipped as others are."""
        return self.outside if self.flip is None else (self.outside + 256) % 256 - 128

    @property
    def is_as_stored(self) -> bool:
        """Whether the copy is made of bytes as they are, to which nothing is added."""
        return self.pairs is not None or (isa(self.target.type, MemRefType) and self.target.type.element_type == i8)

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
        if self.pairs is not None and (in_bytes or self.stride.value.data != 1 or self.count.value.data % WORD):
            raise VerifyException(f"{self.name}: pairs of bytes are 16-bit copies of whole groups of {WORD} neighbours")
        if self.rows is not None and (self.is_clipped or self.rows != self.points):
            raise VerifyException(f"{self.name}: {self.together} rows at once, clipped or of {self.side_by_side}")
        if self.points is not None and (self.pairs is None or self.side_by_side < 1):
            raise VerifyException(f"{self.name}: {self.side_by_side} rows side by side, of what are no pairs")
        if (in_bytes or self.pairs is not None) and self.offset.value.data:
            raise VerifyException(f"{self.name}: offset {self.offset.value.data} on a copy of bytes")
        if self.flip is not None and not in_bytes:
            raise VerifyException(f"{self.name}: flip on a copy to {self.target.type}")
        if self.outside and not ((in_bytes or self.pairs is not None) and -128 <= self.outside <= 127):
            raise VerifyException(f"{self.name}: fill {self.outside} is no element of {self.target.type}")
        _check_offset(self.name, self.offset.value.data)
        if self.count.value.data < 1:
            raise VerifyException(f"{self.name}: {self.count.value.data} elements")


def _check_offset(name: str, offset: int) -> None:
    if offset - 128 < -(2**15) or offset + 127 >= 2**15:
        raise VerifyException(f"{name}: offset {offset} leaves 16 bits")


def _check_part(name: str, source: Attribute, part: int) -> None:
    """Refuse a part that a vector of bytes does not have."""
    if not isa(source, VectorType) or source.element_type != i8 or not 0 <= part * WORD <= source.get_shape()[0] - WORD:
        raise VerifyException(f"{name}: {source} has no part {part}")


@op_definition
class ExtendOp(Op):
    """Extend four lanes of `vector`, its `part`-th four, to 16 bits and add `offset`: lanes 0, 2, 1, 3 in this order.

    Machines extend the bytes of a word in this order. Both factors of a dot product are extended so, or one of them is
    packed so that its lanes come out in their natural order. Both lanes of a vector of two stay in their order.
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
        lanes = PAIR if vector.type == VectorType(i8, [PAIR]) else WORD
        super().__init__(
            operands=[vector],
            properties={"part": IntegerAttr(part, i64), "offset": IntegerAttr(offset, i64)},
            result_types=[VectorType(i16, [lanes])],
        )

    def verify_(self) -> None:
        source, result = self.vector.type, self.result.type
        is_pair = source == VectorType(i8, [PAIR])
        lanes = PAIR if is_pair else WORD
        if not isa(source, VectorType) or source.element_type != i8 or result != VectorType(i16, [lanes]):
            raise VerifyException(f"{self.name}: {source} does not extend to {result}")
        if not is_pair or self.part.value.data:
            _check_part(self.name, source, self.part.value.data)
        _check_offset(self.name, self.offset.value.data)


@op_definition
class PairFactorsOp(Op):
    """Split four bytes into factors of pairs of constants: `(127 - x0, 127 - x2, 256 * x1 + x0 + 128, 256 * x3 + x2 +
    128)`, which fit 16 bits for all bytes."""

    name = "loop.pair_factors"

    vector = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, vector: SSAValue) -> None:
        super().__init__(operands=[vector], result_types=[VectorType(i16, [WORD])])

    def verify_(self) -> None:
        if self.vector.type != VectorType(i8, [WORD]) or self.result.type != VectorType(i16, [WORD]):
            raise VerifyException(f"{self.name}: {self.vector.type} has no factors {self.result.type}")


@op_definition
class PairsOp(Op):
    """Take four bytes `b` of `vector`, its `part`-th four, as two numbers of 16 bits, and the low bytes of the two with
    sign: `(256 * b1 + u0, 256 * b3 + u2, b0, b2)`, where `u` is `b` without sign.

    The numbers are `w1 - 256 * w0` for neighbouring constants `w0` and `w1`, whose low byte is `w1`. With the factors
    of the bytes `x0` and `x1`, two products of 16 bits give

        (127 - x0) * (w1 - 256 * w0) + (256 * x1 + x0 + 128) * w1 = 256 * (x0 * w0 + x1 * w1) - 32512 * w0 + 255 * w1

    The last two terms depend on constants only; the initial value of the sum takes them off.
    """

    name = "loop.pairs"

    part = prop_def(IntegerAttr)
    vector = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, vector: SSAValue, part: int = 0) -> None:
        super().__init__(
            operands=[vector],
            properties={"part": IntegerAttr(part, i64)},
            result_types=[VectorType(i16, [WORD])],
        )

    def verify_(self) -> None:
        _check_part(self.name, self.vector.type, self.part.value.data)
        if self.result.type != VectorType(i16, [WORD]):
            raise VerifyException(f"{self.name}: {self.vector.type} has no pairs {self.result.type}")


@op_definition
class HalfOp(Op):
    """Take the first or the last two of four numbers of 16 bits, as `part` is 0 or 1."""

    name = "loop.half"

    part = prop_def(IntegerAttr)
    vector = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$vector attr-dict `:` type($vector) `->` type($result)"

    def __init__(self, vector: SSAValue, part: int) -> None:
        super().__init__(
            operands=[vector],
            properties={"part": IntegerAttr(part, i64)},
            result_types=[VectorType(i16, [PAIR])],
        )

    def verify_(self) -> None:
        part = self.part.value.data
        if self.vector.type != VectorType(i16, [WORD]) or self.result.type != VectorType(i16, [PAIR]):
            raise VerifyException(f"{self.name}: {self.vector.type} has no half {self.result.type}")
        if part not in (0, 1):
            raise VerifyException(f"{self.name}: half {part} of two")


@op_definition
class PairsSumOp(Op):
    """`result = acc / 256`: the sum of products in an accumulator of pairs, which is a multiple of 256."""

    name = "loop.pairs_sum"

    acc = operand_def(i32)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$acc attr-dict"

    def __init__(self, acc: SSAValue) -> None:
        super().__init__(operands=[acc], result_types=[i32])


__all__ = ["CacheReadOp", "ExtendOp", "HalfOp", "PairFactorsOp", "PairsOp", "PairsSumOp"]
