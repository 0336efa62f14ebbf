"""Loads and stores of flat buffers, and the buffers of the network's `main`."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i8,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    attr_def,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, Pure
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.effects import PathInterface, Turn
from s2s.dialects.loop.checks import check_flat
from s2s.dialects.loop.index import check_map
from s2s.dialects.loop.interfaces import Access, AccessInterface, Extent, read, read_any, write, write_any
from s2s.dialects.operation import Op, op_definition
from s2s.dialects.plain import PlainOp
from s2s.types.dtypes import scalar_type, size_in_bytes
from s2s.types.hints import isa


def _check_element(op: IRDLOperation, buffer: Attribute, value: Attribute) -> None:
    """Refuse an access whose value is not an element, or a vector of elements, of a flat buffer."""
    element = check_flat(op, buffer).element_type
    scalar = value.element_type if isa(value, VectorType) and len(value.get_shape()) == 1 else value
    if scalar != scalar_type(element):
        raise VerifyException(f"{op.name}: value is {value}, elements of the buffer are {element}")


def _check_scalar(op: IRDLOperation, buffer: Attribute, value: Attribute) -> None:
    """Refuse an access by computed index whose value is not an element."""
    if isinstance(value, VectorType):
        raise VerifyException(f"{op.name}: value is {value}, a computed index gives one element")
    _check_element(op, buffer, value)


class _AffineAccess(PlainOp, AccessInterface):
    """Base of affine loads and stores: a flat position, and for vectors the distance and number of lanes."""

    map = prop_def(AffineMapAttr)
    stride = opt_prop_def(IntegerAttr)
    lanes = opt_prop_def(IntegerAttr)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    irdl_options = (ParsePropInAttrDict(),)

    @property
    def lane_stride(self) -> int:
        """Elements from one lane to the next; 1 unless stated."""
        return 1 if self.stride is None else self.stride.value.data

    def _extents(self, value: Attribute) -> list[Extent]:
        """The lanes of a vector; nothing for a scalar."""
        if not isa(value, VectorType):
            return []
        return [Extent(value.get_shape()[0] if self.lanes is None else self.lanes.value.data, self.lane_stride)]

    def _check(self, value: Attribute) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        _check_element(self, self.buffer.type, value)
        if not isinstance(value, VectorType):
            if self.stride is not None or self.lanes is not None:
                raise VerifyException(f"{self.name}: stride and lanes belong to vectors, value is {value}")
        elif self.lanes is not None and not 0 < self.lanes.value.data < value.get_shape()[0]:
            raise VerifyException(f"{self.name}: {self.lanes.value.data} lanes of {value}")


def _access_properties(affine_map: AffineMap, stride: int, lanes: int | None) -> dict[str, Attribute | None]:
    return {
        "map": AffineMapAttr(affine_map),
        "stride": None if stride == 1 else IntegerAttr(stride, i64),
        "lanes": None if lanes is None else IntegerAttr(lanes, i64),
    }


@op_definition
class LoadOp(_AffineAccess):
    """`result = buffer[map(indices)]`; a vector takes the first `lanes` lanes at distance `stride`, the rest is 0."""

    name = "loop.load"

    result = result_def()
    assembly_format = "$buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($buffer) `->` type($result)"

    def __init__(
        self,
        buffer: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        result_type: Attribute,
        *,
        stride: int = 1,
        lanes: int | None = None,
    ) -> None:
        super().__init__(
            operands=[buffer, *indices],
            properties=_access_properties(affine_map, stride, lanes),
            result_types=[result_type],
        )

    def accesses(self) -> Sequence[Access]:
        return [read(self.buffer, self.map.data.results[0], self.indices, *self._extents(self.result.type))]

    def verify_(self) -> None:
        self._check(self.result.type)


@op_definition
class StoreOp(_AffineAccess):
    """`buffer[map(indices)] = value`; a vector puts its first `lanes` lanes at distance `stride`."""

    name = "loop.store"

    value = operand_def()
    assembly_format = "$value `,` $buffer `[` $map `(` $indices `)` `]` attr-dict `:` type($value) `,` type($buffer)"

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        *,
        stride: int = 1,
        lanes: int | None = None,
    ) -> None:
        super().__init__(operands=[value, buffer, *indices], properties=_access_properties(affine_map, stride, lanes))

    def accesses(self) -> Sequence[Access]:
        return [write(self.buffer, self.map.data.results[0], self.indices, *self._extents(self.value.type))]

    def verify_(self) -> None:
        self._check(self.value.type)


@op_definition
class LoadAtOp(Op, AccessInterface, PathInterface):
    """`result = buffer[index]`, at a position that depends on data. The caller keeps it in range."""

    name = "loop.load_at"

    buffer = operand_def(MemRefType)
    index = operand_def(IndexType)
    result = result_def()
    assembly_format = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)"

    def __init__(self, buffer: SSAValue, index: SSAValue, result_type: Attribute) -> None:
        super().__init__(operands=[buffer, index], result_types=[result_type])

    def accesses(self) -> Sequence[Access]:
        return [read_any(self.buffer)]

    def turns(self) -> Sequence[Turn]:
        return [Turn("reads at positions that data give", [self.index])]

    def verify_(self) -> None:
        _check_scalar(self, self.buffer.type, self.result.type)


@op_definition
class StoreAtOp(Op, AccessInterface, PathInterface):
    """`buffer[index] = value`, at a position that depends on data. The caller keeps it in range."""

    name = "loop.store_at"

    value = operand_def()
    buffer = operand_def(MemRefType)
    index = operand_def(IndexType)
    assembly_format = "$value `,` $buffer `[` $index `]` attr-dict `:` type($value) `,` type($buffer)"

    def __init__(self, value: SSAValue, buffer: SSAValue, index: SSAValue) -> None:
        super().__init__(operands=[value, buffer, index])

    def accesses(self) -> Sequence[Access]:
        return [write_any(self.buffer)]

    def turns(self) -> Sequence[Turn]:
        return [Turn("writes at positions that data give", [self.index])]

    def verify_(self) -> None:
        _check_scalar(self, self.buffer.type, self.value.type)


@op_definition
class AllocOp(Op):
    """A buffer without an address yet; `loop-plan-memory` puts it into the arena."""

    name = "loop.alloc"

    result = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: MemRefType[Attribute]) -> None:
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        check_flat(self, self.result.type)


@op_definition
class ViewOp(Op):
    """Part of the arena as a buffer: `result` starts `offset` bytes into `arena`.

    Before there is an arena, and inside of what has a place in it, buffers may be parts of others with equal elements.
    """

    name = "loop.view"

    arena = operand_def(MemRefType)
    offset = prop_def(IntegerAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$arena `[` $offset `]` attr-dict `:` type($arena) `->` type($result)"

    def __init__(self, arena: SSAValue, offset: int, result_type: MemRefType[Attribute]) -> None:
        super().__init__(operands=[arena], properties={"offset": IntegerAttr(offset, i64)}, result_types=[result_type])

    @property
    def whole(self) -> SSAValue:
        """The buffer behind all views."""
        return whole_of(self.arena)

    @property
    def start(self) -> int:
        """The byte of `whole` at which the result begins."""
        outer = self.arena.owner
        return self.offset.value.data + (outer.start if isinstance(outer, ViewOp) else 0)

    def verify_(self) -> None:
        arena, view = check_flat(self, self.arena.type), check_flat(self, self.result.type)
        if arena.element_type not in (i8, view.element_type):
            raise VerifyException(f"{self.name}: arena {arena} consists of neither bytes nor {view.element_type}")
        start, element = self.offset.value.data, size_in_bytes(view.element_type)
        end = start + view.get_shape()[0] * element
        if start < 0 or end > arena.get_shape()[0] * size_in_bytes(arena.element_type) or start % element:
            raise VerifyException(f"{self.name}: bytes {start} to {end} of {arena} cannot be a {view}")


@op_definition
class ShiftOp(Op):
    """The elements of `source` from `map(indices)` on, an offset that is known when a kernel starts: in a run in which
    `%d` is 1, `%y = loop.shift %x[(d0) -> (d0 * 98)(%d)]` begins with the second row of 98 elements."""

    name = "loop.shift"

    source = operand_def(MemRefType)
    map = prop_def(AffineMapAttr)
    indices = var_operand_def(IndexType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$source `[` $map `(` $indices `)` `]` attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self,
        source: SSAValue,
        affine_map: AffineMap,
        indices: Sequence[SSAValue],
        result_type: MemRefType[Attribute],
    ) -> None:
        super().__init__(
            operands=[source, list(indices)],
            properties={"map": AffineMapAttr(affine_map)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        check_map(self.name, self.map.data, len(self.indices), results=1)
        source, result = check_flat(self, self.source.type), check_flat(self, self.result.type)
        if source.element_type != result.element_type or source.get_shape()[0] < result.get_shape()[0]:
            raise VerifyException(f"{self.name}: {result} is no part of {source}")


def whole_of(buffer: SSAValue) -> SSAValue:
    """Return the buffer that `buffer` is a view of, behind all views; `buffer` itself if it is no view."""
    while isinstance(buffer.owner, ViewOp | ShiftOp):
        buffer = buffer.owner.arena if isinstance(buffer.owner, ViewOp) else buffer.owner.source
    return buffer


@op_definition
class PoisonOp(Op, AccessInterface):
    """Fills bytes that hold no value with a pattern, so that nobody reads them unnoticed."""

    name = "loop.poison"

    buffer = operand_def(MemRefType)
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue) -> None:
        super().__init__(operands=[buffer])

    def accesses(self) -> Sequence[Access]:
        return [write_any(self.buffer)]

    def verify_(self) -> None:
        buffer = check_flat(self, self.buffer.type)
        if buffer.element_type != i8:
            raise VerifyException(f"{self.name}: {buffer} does not consist of bytes")


@op_definition
class WeightOp(Op):
    """A constant buffer; its values are in the weight store under `name`."""

    name = "loop.weight"

    weight = prop_def(StringAttr)
    hash = attr_def(StringAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$weight attr-dict `:` type($result)"

    def __init__(self, weight: StringAttr, hash: StringAttr, result_type: MemRefType[Attribute]) -> None:
        super().__init__(properties={"weight": weight}, attributes={"hash": hash}, result_types=[result_type])

    def verify_(self) -> None:
        check_flat(self, self.result.type)


__all__ = [
    "AllocOp",
    "LoadAtOp",
    "LoadOp",
    "PoisonOp",
    "ShiftOp",
    "StoreAtOp",
    "StoreOp",
    "ViewOp",
    "WeightOp",
    "whole_of",
]
