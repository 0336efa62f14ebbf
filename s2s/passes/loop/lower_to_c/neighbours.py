"""Share the long part of the index between accesses to neighbouring elements in one block.

    x[ic * 1024 + (oh + kh - 1) * 32 + ow], x[ic * 1024 + (oh + kh - 1) * 32 + ow + 1], …
->
    const int32_t x_at = ic * 1024 + (oh + kh - 1) * 32 + ow;  x[x_at], x[x_at + 1], …

It takes a few of them, and a position worth a name.

Vectors of bytes that lie close together share an address, and a load holds the distance from it. A C compiler would
compute the address of each from the first one in the block, which no load reaches from another row, and the address of
each row of a window.

    s2s_i32x4_load_i8(&x[x_at + 384])         s2s_i32x4_load_i8(&x[x_at + 384])
    s2s_i32x4_load_i8(&x[x_at + 392])   ->    s2s_i32x4_load_i8_at(&x[x_at + 384], 8)
"""

from xdsl.dialects.builtin import VectorType, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.affine import index_expression, plus_constant, ranges_of
from s2s.passes.loop.lower_to_c.builder import Builder, Neighbours, is_in_lanes, is_row
from s2s.types.affine import Linear, linear

_MIN_ACCESSES = 3
"""The minimum number of accesses that share a position."""
_REACH = 127
"""The distance in bytes from an address that a load of a vector of bytes holds."""

ROW_TYPES = (VectorType(i8, [8]), VectorType(i8, [16]))
"""Rows of bytes of which a load holds the distance, too."""

Access = (
    loop.LoadOp
    | loop.LoadPairOp
    | loop.LoadNibbleOp
    | loop.LoadNibblesOp
    | loop.LookUpOp
    | loop.LookUpGroupOp
    | loop.StoreOp
    | loop.PrefetchOp
)


def neighbours_in(b: Builder, block: Block) -> dict[Operation, tuple[Neighbours, int]]:
    """Find the accesses of `block` whose positions differ by a constant, which is given with each."""
    groups: dict[object, list[tuple[Access, Linear]]] = {}
    for op in block.ops:
        if isinstance(op, Access):
            form = linear(op.map.data.results[0], ranges_of(b, op.indices))
            key = (op.buffer, tuple(op.indices), frozenset(form.terms.items()), isinstance(op, loop.PrefetchOp))
            groups.setdefault(key, []).append((op, form))
    found: dict[Operation, tuple[Neighbours, int]] = {}
    for group in groups.values():
        forms = [form for _, form in group]
        if len({form.constant for form in forms}) < _MIN_ACCESSES or not _is_long(forms[0]):
            continue
        least = min(form.constant for form in forms)
        shared = Neighbours(Linear(least, forms[0].terms))
        found |= {op: (shared, form.constant - least) for op, form in group}
    return found


def position(b: Builder, op: Access, before: int = 0) -> SSAValue:
    """Write the position of `op`, relative to its neighbours if it has some; `before` is subtracted from it."""
    expr: AffineExpr = op.map.data.results[0] - before
    if op not in b.neighbours:
        return index_expression(b, expr, op.indices)
    shared, offset = b.neighbours[op]
    if shared.value is None:
        shared.value = index_expression(b, shared.form.to_expr(), op.indices)
        shared.value.name_hint = f"{op.buffer.name_hint or 'x'}_{'next' if isinstance(op, loop.PrefetchOp) else 'at'}"
    return plus_constant(b, shared.value, offset - before)


def _is_long(form: Linear) -> bool:
    return len(form.terms) > 1 or any(factor != 1 for factor in form.terms.values())


def distance_from_anchor(b: Builder, op: loop.LoadOp) -> int:
    """Return the distance in bytes from the vector that `op` shares an address with; 0 if it has an address of its own,
    as all near the first one in the block have that are no rows of windows."""
    if not _is_vector_of_bytes(op) or op.parent is None:
        return 0
    forms = [
        linear(other.map.data.results[0], ranges_of(b, other.indices))
        for other in op.parent.ops
        if isinstance(other, loop.LoadOp) and _is_like(other, op)
    ]
    mine = linear(op.map.data.results[0], ranges_of(b, op.indices))
    places = sorted({form.constant for form in forms if form.terms == mine.terms})
    anchor = places[0]
    for place in places:
        anchor = place if place > anchor + _REACH else anchor
        if place == mine.constant:
            break
    return 0 if anchor == places[0] and not _is_one_row(op) else mine.constant - anchor


def _is_like(other: loop.LoadOp, op: loop.LoadOp) -> bool:
    same = other.buffer is op.buffer and other.indices == op.indices and other.result.type == op.result.type
    return same and _is_vector_of_bytes(other)


def _is_one_row(op: loop.LoadOp) -> bool:
    return op.result.type in ROW_TYPES and is_row(op.result)


def _is_vector_of_bytes(op: loop.LoadOp) -> bool:
    in_lanes = op.result.type == VectorType(i8, [4]) and is_in_lanes(op.result)
    return op.lane_stride == 1 and op.lanes is None and (in_lanes or _is_one_row(op))
