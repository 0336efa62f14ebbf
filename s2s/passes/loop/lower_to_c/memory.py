"""Lower loads, stores and prefetches of buffers to C."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, MemRefType, VectorType, f16, f32, i1, i8, i16
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.structure.products import number_of
from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name
from s2s.dialects import c, loop
from s2s.dialects.c.conversions import is_half
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression, ranges_of
from s2s.passes.loop.lower_to_c.builder import (
    Builder,
    carried,
    header_of_bytes,
    header_of_vectors,
    is_in_lanes,
    is_row,
    literal_value,
    vector_name,
)
from s2s.passes.loop.lower_to_c.integers import is_negation
from s2s.passes.loop.lower_to_c.neighbours import distance_from_anchor, position
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.affine import bounds, linear
from s2s.types.dtypes import to_numpy, ui8, ui16
from s2s.types.hints import isa

OFFSETS: Mapping[Attribute, range] = {VectorType(i16, [4]): range(2, 512, 2), VectorType(i8, [4]): range(4, 1024, 4)}
"""The factors of dual multiply-adds, and the positions behind its address that a load holds, in elements."""
LONGEST_ROW, ROWS_OF_VECTOR = 16, 4
"""Bytes that fill a register, and the rows whose sums fill one."""
SHARING: Mapping[Attribute, int] = {i16: 4, i8: 3}
"""Loads of such elements that share a base at least: where a loop is unrolled, the base is computed for each copy of
its body."""


@LOWERINGS.register(loop.LoadOp)
def load(b: Builder, op: loop.LoadOp) -> SSAValue:
    """Lower to `buffer[at]`, or to a vector load."""
    at = position(b, op)
    if not isa(op.result.type, VectorType):
        value = _read_bool(b, op, at) if _is_read_as_byte(op.result) else _read(b, op.buffer, at)
        if (number := number_of(op)) is not None:
            b.zero_points[number] = value
        return value
    if _is_factor(op) and (split := _split_offset(b, at, OFFSETS[op.result.type])) is not None and _shares_base(b, op):
        base, offset = split
        return b.vector_call("load_at", [pointer(b, op.buffer, base), offset], op.result.type, reads=True)
    if is_row(op.result):
        return _load_row(b, op)
    narrow = _narrow(op.result)
    if distance := distance_from_anchor(b, op):
        arguments = [vector_pointer(b, op.buffer, position(b, op, distance)), b.literal(distance, INDEX)]
        return b.vector_call("load_i8_at", arguments, carried(op.result.type), header=headers.LANES, reads=True)
    function, extra = _vector_access(b, op, f"load{narrow}")
    type = carried(op.result.type) if narrow else op.result.type
    arguments = [vector_pointer(b, op.buffer, at), *extra]
    return b.vector_call(function, arguments, type, header=_header(type, narrow, extra), reads=True)


def _load_row(b: Builder, op: loop.LoadOp) -> SSAValue:
    """Load a row of bytes, or the four rows of constants of a vector of sums."""
    assert isa(op.result.type, VectorType)
    count, distance = op.result.type.get_shape()[0], distance_from_anchor(b, op)
    type = c.NamedType(f"s2s_row{count}" if count <= LONGEST_ROW else f"s2s_rows{count // ROWS_OF_VECTOR}")
    place = vector_pointer(b, op.buffer, position(b, op, distance))
    name, more = ("load_at", [b.literal(distance, INDEX)]) if distance else ("load", [])
    return b.call(f"{type.spelling.data}_{name}", [place, *more], type, headers.WINDOWS, reads=True)


def _is_factor(op: loop.LoadOp) -> bool:
    """Return whether a load gives a factor of dual multiply-adds, as bytes that are widened next or as it is."""
    users = [use.operation for use in op.result.uses]
    factors = loop.ExtendOp | loop.HalfOp | loop.IntrinsicOp
    return op.result.type in OFFSETS and all(isinstance(user, factors) for user in users)


def _split_offset(b: Builder, at: SSAValue, offsets: range) -> tuple[SSAValue, SSAValue] | None:
    """Split a position into one that changes and an offset that an instruction holds; None without such an offset."""
    if literal_value(at) in offsets:
        return b.literal(0, INDEX), at
    total = at.owner
    if not isinstance(total, c.BinaryOp) or total.operator.data != "+":
        return None
    offset = literal_value(total.rhs)
    return (total.lhs, total.rhs) if offset in offsets else None


def _shares_base(b: Builder, op: loop.LoadOp) -> bool:
    """Return whether enough loads of a block differ by constants only, so that one base with offsets serves all."""
    assert isa(op.buffer.type, MemRefType)
    around = op.parent_op()
    if isinstance(around, loop.ForOp) and around.unroll is not None:
        return False
    block, terms, others = op.parent, linear(op.map.data.results[0], ranges_of(b, op.indices)).terms, 0
    for other in block.ops if block is not None else ():
        if isinstance(other, loop.LoadOp) and other.buffer is op.buffer and other.indices == op.indices:
            others += linear(other.map.data.results[0], ranges_of(b, other.indices)).terms == terms
        if others == SHARING[op.buffer.type.element_type]:
            return True
    return False


@LOWERINGS.register(loop.StoreOp)
def store(b: Builder, op: loop.StoreOp) -> None:
    """Lower to `buffer[at] = value`, or to a vector store."""
    at = position(b, op)
    value = b.value(op.value)
    if not isa(op.value.type, VectorType):
        _write(b, op.buffer, at, value)
        return
    narrow, saturated = _narrow(op.value), _saturated(op)
    if saturated is not None:
        narrow, value = "_saturated_i8", b.value(saturated)
    function, extra = _vector_access(b, op, f"store{narrow}")
    name, header = f"{vector_name(value.type)}_{function}", _header(value.type, narrow, extra)
    b.block.add_op(c.CallOp(name, [vector_pointer(b, op.buffer, at), *extra, value], header=header))


def _saturated(op: loop.StoreOp) -> SSAValue | None:
    """Return the vector that only this store saturates to bytes, which is one function; None if there is none."""
    limited = op.value.owner
    if (
        isinstance(limited, loop.SaturateLanesOp)
        and op.value.has_one_use()
        and op.lane_stride == 1
        and op.lanes is None
    ):
        return limited.x
    return None


@LOWERINGS.register(loop.ShiftOp)
def shift(b: Builder, op: loop.ShiftOp) -> SSAValue:
    """Lower to a pointer to the first element, with a name of its own."""
    place = pointer(b, op.source, index_expression(b, op.map.data.results[0], op.indices))
    return b.add(c.LetOp(f"{op.source.name_hint or 'x'}_shifted", place))


@LOWERINGS.register(loop.PrefetchOp)
def prefetch(b: Builder, op: loop.PrefetchOp) -> None:
    """Lower to a macro of the runtime; the position is clamped to the last element where it may lie behind it."""
    at = position(b, op)
    last = _buffer_type(op.buffer).get_shape()[0] - 1
    if bounds(op.map.data.results[0], ranges_of(b, op.indices))[1] > last:
        at = b.call("s2s_i32_min", [at, b.literal(last, INDEX)], INDEX, headers.MATH)
    macro = "S2S_PREFETCH_NEAR" if op.near else "S2S_PREFETCH"
    b.block.add_op(c.CallOp(macro, [pointer(b, op.buffer, at)], header=headers.RUNTIME))


@LOWERINGS.register(loop.LoadAtOp)
def load_at(b: Builder, op: loop.LoadAtOp) -> SSAValue:
    """Lower to `buffer[index]` at a data-dependent position."""
    return _read(b, op.buffer, b.value(op.index))


@LOWERINGS.register(loop.StoreAtOp)
def store_at(b: Builder, op: loop.StoreAtOp) -> None:
    """Lower to `buffer[index] = value` at a data-dependent position."""
    _write(b, op.buffer, b.value(op.index), b.value(op.value))


def _narrow(vector: SSAValue) -> str:
    """Return the suffix of functions that load and store a vector whose elements are narrower than its lanes."""
    if isa(vector.type, VectorType) and vector.type.element_type == f16:
        return "_f16"
    if isa(vector.type, VectorType) and isinstance(vector.owner, loop.CastLanesOp) and vector.type.element_type == i16:
        return "_i16"
    return "_i8" if is_in_lanes(vector) else ""


def _header(type: Attribute, narrow: str, extra: Sequence[SSAValue]) -> str:
    """Return the header of the function that loads or stores a vector of `type`."""
    match narrow:
        case "_f16":
            return headers.SIMD_HALF
        case "_i8" | "_saturated_i8" if not extra:
            return header_of_bytes(type)
        case "_i8" | "_i16":
            return headers.BYTES
        case _:
            return header_of_vectors(type)


def _vector_access(b: Builder, op: loop.LoadOp | loop.StoreOp, verb: str) -> tuple[str, list[SSAValue]]:
    """Return the name of a vector access's function, and its arguments between pointer and vector."""
    suffix, extra = "", list[SSAValue]()
    if op.lane_stride != 1:
        suffix, extra = "_strided", [b.literal(op.lane_stride, INDEX)]
    if op.lanes is not None:
        suffix, extra = f"{suffix}_part", [*extra, b.literal(op.lanes.value.data, INDEX)]
    return verb + suffix, extra


def pointer(b: Builder, buffer: SSAValue, at: SSAValue) -> SSAValue:
    """Return a pointer to element `at` of a buffer."""
    base = b.value(buffer)
    return base if literal_value(at) == 0 else b.add(c.AddressOfOp(b.add(c.SubscriptOp(base, at))))


def vector_pointer(b: Builder, buffer: SSAValue, at: SSAValue) -> SSAValue:
    """Return a pointer for vector functions, which take signed bytes for both signs."""
    place = pointer(b, buffer, at)
    if _element(buffer) != ui8 or not isinstance(place.type, c.PtrType):
        return place
    return b.add(c.CastOp(place, c.PtrType(i8, const=place.type.is_const)))


def _element(buffer: SSAValue) -> Attribute:
    return _buffer_type(buffer).element_type


def _buffer_type(buffer: SSAValue) -> MemRefType[Attribute]:
    if not isa(buffer.type, MemRefType):
        raise CompilerBug(f"{buffer.type} is not a buffer")
    return buffer.type


def _read(b: Builder, buffer: SSAValue, at: SSAValue) -> SSAValue:
    value = b.add(c.LoadOp(b.add(c.SubscriptOp(b.value(buffer), at))))
    element = _element(buffer)
    return b.call(f"s2s_{element_name(element)}_to_f32", [value], f32, headers.HALF) if is_half(element) else value


_CHOOSING = (arith.SelectOp, arith.ExtUIOp, arith.UIToFPOp)


def _is_read_as_byte(value: SSAValue) -> bool:
    """Return whether a truth value decides between numbers, or is negated."""
    if value.type != i1:
        return False
    return any(isinstance(use.operation, _CHOOSING) or is_negation(use.operation) for use in value.uses)


def _read_bool(b: Builder, op: loop.LoadOp, at: SSAValue) -> SSAValue:
    """Read a truth value as a byte: compilers vectorise no comparison or negation of a `bool`."""
    return b.call("s2s_bool_at", [b.value(op.buffer), at], i1, headers.MATH, reads=True)


def _write(b: Builder, buffer: SSAValue, at: SSAValue, value: SSAValue) -> None:
    place = b.add(c.SubscriptOp(b.value(buffer), at))
    element = _element(buffer)
    if is_half(element):
        name = element_name(element)
        value = _before_rounding(value, name)
        chosen = _choice_of_halves(b, value, element)
        value = b.call(f"s2s_f32_to_{name}", [value], element, headers.HALF) if chosen is None else chosen
    elif isa(element, IntegerType):
        value = b.cast(value, element)
    b.block.add_op(c.AssignOp(place, value))


def _choice_of_halves(b: Builder, value: SSAValue, element: Attribute) -> SSAValue | None:
    """Return the choice `value` between two numbers as one between their bits, which C compilers vectorise: each
    conversion would get a branch. None if `value` is none."""
    choice = value.owner
    if not isinstance(choice, c.ConditionalOp):
        return None
    numbers = [literal_value(arm) for arm in (choice.chosen, choice.otherwise)]
    if None in numbers:
        return None
    with np.errstate(over="ignore"):  # infinity, as in the C
        halves = np.array(numbers, np.float32).astype(to_numpy(element)).view(np.uint16)
    chosen, otherwise = (b.literal(int(bits), ui16) for bits in halves)
    return b.cast(b.add(c.ConditionalOp(choice.condition, chosen, otherwise)), element)


def _before_rounding(value: SSAValue, element: str) -> SSAValue:
    """Return what was rounded to `element` to get `value`: storing it rounds it in the same way."""
    maker = value.owner
    if isinstance(maker, c.CallOp) and maker.callee.data == f"s2s_{element}_round":
        return maker.arguments[0]
    return value
