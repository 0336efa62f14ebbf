"""Lower scratch copies and 16-bit extensions of operands to calls of `s2s_dsp.h`."""

from xdsl.dialects.builtin import MemRefType, VectorType, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.dialects.loop.products import PAIR, WORD
from s2s.dialects.tensor import SHORT_ROUNDINGS, RescaleOp
from s2s.passes.loop.lower_to_c.affine import INDEX, index_expression
from s2s.passes.loop.lower_to_c.builder import Builder, vector_name
from s2s.passes.loop.lower_to_c.memory import pointer
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.types.hints import isa

_PARTS = ("low", "high")
_HALVES = ("first", "second")
FEW = 16
"""Runs of up to this number of elements are copied where they are, without a call."""
FEW_APART = 5
"""The same of elements that do not follow each other."""
PRODUCT = "s2s_i16x4_dot"
"""The function of products that has forms which widen one factor."""
PAIR_BITS = 8
"""The logarithm of the factor by which sums of pairs are too large."""


@LOWERINGS.register(loop.CacheReadOp)
def cache_read(b: Builder, op: loop.CacheReadOp) -> None:
    """Copy one run: plain, clipped to a range, along a column, or padding only."""
    to, start, *limits = op.map.data.results
    target = pointer(b, op.target, index_expression(b, to, op.indices))
    count = b.literal(op.count.value.data, INDEX)
    assert isa(op.target.type, MemRefType)
    in_bytes = op.target.type.element_type == i8
    prefix = "s2s_cache_read_i8" if in_bytes else "s2s_cache_read_i16"
    stride = op.stride.value.data
    if op.flip is not None:
        prefix = "s2s_cache_read_flipped"
    points = [] if op.points is None else [b.literal(op.side_by_side, INDEX)]
    if op.pairs is not None:
        prefix = "s2s_cache_read_points" if points else "s2s_cache_read_pairs"
        prefix = "s2s_cache_read_all_points" if op.rows is not None else prefix
    elif not in_bytes and op.flip is None and _is_inlined(b, op):
        prefix = f"{prefix}_few"
    header = headers.DSP if op.flip is None or op.pairs is not None else headers.CACHE_READ
    offset = b.zero_point(op, op.stored if op.is_as_stored else op.offset.value.data, INDEX)
    if limits and limits[0] == limits[1] == AffineConstantExpr(0):
        if op.is_as_stored:
            b.block.add_op(c.CallOp(f"{prefix}_fill", [target, count, offset, *points], header=header))
        else:
            b.block.add_op(c.CallOp("s2s_cache_read_i16_zeros", [target, count], header=header))
        return
    if not limits and stride == 1:
        source = pointer(b, op.source, index_expression(b, start, op.indices))
        more = points if op.is_as_stored else [offset]
        b.block.add_op(c.CallOp(prefix, [target, source, count, *more], header=header))
        return
    if not limits and op.flip is None:
        source = pointer(b, op.source, index_expression(b, start, op.indices))
        name = "s2s_cache_read_i16_column" if prefix.endswith("_few") else f"{prefix}_apart"
        more = [] if in_bytes else [offset]
        call = c.CallOp(name, [target, source, b.literal(stride, INDEX), count, *more], header=header)
        b.block.add_op(call)
        return
    low, high = limits or (AffineConstantExpr(0), AffineConstantExpr(op.count.value.data))
    bounds = [index_expression(b, each, op.indices) for each in (low, high)]
    first = index_expression(b, start, op.indices)
    if stride == 1:
        arguments = [target, b.value(op.source), first, count, *bounds, offset, *points]
        b.block.add_op(c.CallOp(f"{prefix}_clipped", arguments, header=header))
        return
    step = b.literal(stride, INDEX)
    b.block.add_op(
        c.CallOp(f"{prefix}_strided", [target, b.value(op.source), first, step, count, *bounds, offset], header=header)
    )


def _is_inlined(b: Builder, op: loop.CacheReadOp) -> bool:
    """Return whether a copy to 16 bits is written where it is. In a kernel that is cut into tiles each column is: GCC
    makes a function for its sizes of a loop that it expects to run often, and one for all sizes of a loop in a tile."""
    if op.stride.value.data == 1:
        return op.count.value.data <= FEW
    return b.tile is not None or op.count.value.data <= FEW_APART


@LOWERINGS.register(loop.ExtendOp)
def extend(b: Builder, op: loop.ExtendOp) -> SSAValue | None:
    """Extend lanes of 8 bits to 16 bits."""
    if is_widened_by_product(op):
        return None
    part, offset = op.part.value.data, op.offset.value.data
    type: Attribute = op.vector.type
    assert isa(type, VectorType)
    suffix = _suffix(type, part)
    if not offset and type.get_shape()[0] > PAIR:
        return b.vector_call(f"extend{suffix}", [b.value(op.vector)], op.result.type, of=type)
    arguments = [b.value(op.vector), b.zero_point(op, offset, INDEX)]
    return b.vector_call(f"extend{suffix}_add", arguments, op.result.type, of=type)


@LOWERINGS.register(loop.PairFactorsOp)
def pair_factors(b: Builder, op: loop.PairFactorsOp) -> SSAValue:
    """Split bytes into factors of pairs."""
    return b.vector_call("pair_factors", [b.value(op.vector)], op.result.type, of=op.vector.type)


@LOWERINGS.register(loop.PairsOp)
def pairs(b: Builder, op: loop.PairsOp) -> SSAValue | None:
    """Take bytes as pairs, unless each half is taken where it is used."""
    if is_widened_by_product(op) or all(isinstance(use.operation, loop.HalfOp) for use in op.result.uses):
        return None
    type: Attribute = op.vector.type
    assert isa(type, VectorType)
    name = f"pairs{_suffix(type, op.part.value.data)}"
    return b.vector_call(name, [b.value(op.vector)], op.result.type, of=type)


@LOWERINGS.register(loop.HalfOp)
def half(b: Builder, op: loop.HalfOp) -> SSAValue:
    """Take two of four numbers; of pairs of bytes, make these two only."""
    part, pairs = op.part.value.data, op.vector.owner
    if not isinstance(pairs, loop.PairsOp):
        return b.vector_call(_PARTS[part], [b.value(op.vector)], op.result.type, of=op.vector.type)
    type: Attribute = pairs.vector.type
    assert isa(type, VectorType)
    name = f"pairs{_suffix(type, pairs.part.value.data)}_{_HALVES[part]}"
    return b.vector_call(name, [b.value(pairs.vector)], op.result.type, of=type)


def is_widened_by_product(op: loop.ExtendOp | loop.PairsOp) -> bool:
    """Return whether the product that alone reads widened bytes widens them itself, in the registers they are in."""
    if not op.result.has_one_use() or (isinstance(op, loop.ExtendOp) and op.offset.value.data):
        return False
    use = next(iter(op.result.uses))
    product = use.operation
    return isinstance(product, loop.IntrinsicOp) and use.index == 2 and product.intrinsic.function.data == PRODUCT


def product_of_bytes(op: loop.ExtendOp | loop.PairsOp) -> str:
    """Return the function that widens bytes as `op` does, and multiplies them."""
    type: Attribute = op.vector.type
    assert isa(type, VectorType)
    how = "pairs" if isinstance(op, loop.PairsOp) else "extend"
    return f"{vector_name(type)}_dot_{how}{_suffix(type, op.part.value.data)}"


@LOWERINGS.register(loop.PairsSumOp)
def pairs_sum(b: Builder, op: loop.PairsSumOp) -> SSAValue | None:
    """Divide a sum of pairs, unless all that read it take it as it is."""
    if all(takes_sum_of_pairs(use.operation) for use in op.result.uses):
        return None
    return b.binary(">>", b.value(op.acc), b.literal(PAIR_BITS, i32))


def takes_sum_of_pairs(op: Operation) -> bool:
    """Return whether `op` rescales a sum of pairs in a form that takes it undivided."""
    return isinstance(op, RescaleOp) and op.rounding.data in SHORT_ROUNDINGS and isinstance(op.x.owner, loop.PairsSumOp)


def _suffix(type: VectorType[Attribute], part: int) -> str:
    """Return the end of the name of a function of four bytes of a vector."""
    return f"_{_PARTS[part]}" if type.get_shape()[0] > WORD else ""


__all__ = ["cache_read", "extend", "half", "pair_factors", "pairs", "pairs_sum"]
