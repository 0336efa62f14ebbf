"""Share the long part of the index between accesses to neighbouring elements in one block.

    x[ic * 1024 + (oh + kh - 1) * 32 + ow], x[ic * 1024 + (oh + kh - 1) * 32 + ow + 1], …
->
    const int32_t x_at = ic * 1024 + (oh + kh - 1) * 32 + ow;  x[x_at], x[x_at + 1], …

It takes a few of them, and a position worth a name.
"""

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.affine import index_expression, plus_constant, ranges_of
from s2s.passes.loop.lower_to_c.builder import Builder, Neighbours
from s2s.types.affine import Linear, linear

_MIN_ACCESSES = 3
"""The minimum number of accesses that share a position."""

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


def position(b: Builder, op: Access) -> SSAValue:
    """Write the position of `op`, relative to its neighbours if it has some."""
    expr: AffineExpr = op.map.data.results[0]
    if op not in b.neighbours:
        return index_expression(b, expr, op.indices)
    shared, offset = b.neighbours[op]
    if shared.value is None:
        shared.value = index_expression(b, shared.form.to_expr(), op.indices)
        shared.value.name_hint = f"{op.buffer.name_hint or 'x'}_{'next' if isinstance(op, loop.PrefetchOp) else 'at'}"
    return plus_constant(b, shared.value, offset)


def _is_long(form: Linear) -> bool:
    return len(form.terms) > 1 or any(factor != 1 for factor in form.terms.values())
