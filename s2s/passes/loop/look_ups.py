"""Look up the numbers of a constant by their codes where a kernel loads them.

    %a = loop.load %w[oc * 144 + k] : memref<2304xi8> -> vector<8xi8>
    %l = loop.pairs %a {part = 0}
    %h = loop.pairs %a {part = 1}
->
    %l = loop.look_up_group %w[oc * 72 + k / 2, 1152 + oc * 16] {values = 16, pairs} : memref<1408xi8>
    %h = loop.look_up_group %w[oc * 72 + k / 2 + 2, 1152 + oc * 16] {values = 16, pairs} : memref<1408xi8>

Here 16 channels have 144 numbers and a table of 16 values each. A number that is loaded alone is looked up by
`loop.look_up`.
"""

from collections.abc import Iterator, Sequence
from math import gcd

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, VectorType, i8
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from s2s.dialects import loop
from s2s.dialects.loop.codes import GROUP
from s2s.passes.loop.code_tables import Tables
from s2s.passes.loop.pack_nibbles import halved
from s2s.types.affine import Linear, is_dim, linear
from s2s.types.hints import isa

UNBOUNDED = (-(2**31), 2**31)
OF_NUMBER, OF_GROUP = 4, 12
"""Instructions that look up a number, and four, besides the ones that load and widen bytes, as counted on Cortex-M4."""
CODE_OF_NUMBER, CODE_OF_GROUP = 10, 40
"""Bytes of these instructions."""


def blocks_of(argument: BlockArgument) -> Iterator[int]:
    """Return the number of all numbers of a constant, and how many of them the loops of its kernel advance by."""
    assert isa(argument.type, MemRefType)
    size = argument.type.get_shape()[0]
    yield size
    for use in argument.uses:
        if not isinstance(use.operation, loop.AccessInterface):
            continue
        for access in use.operation.accesses():
            if access.buffer is argument and access.start is not None:
                for dim, factor in _form(access.start, access.indices).terms.items():
                    counter = _counter(dim, access.indices)
                    if counter is not None and 1 < factor * counter.step.value.data < size:
                        yield factor * counter.step.value.data


def loads_pairs(argument: BlockArgument) -> bool:
    """Return whether a kernel takes a constant in pairs of bytes."""
    loads = [use.operation for use in argument.uses if isinstance(use.operation, loop.LoadOp)]
    return any(isinstance(use.operation, loop.PairsOp) for load in loads for use in load.result.uses)


def is_factor(argument: BlockArgument) -> bool:
    """Return whether a kernel takes an argument of bytes as factor of products: widened, or by intrinsics for bytes."""
    return bool(argument.uses) and all(_takes_factor(use.operation, argument) for use in argument.uses)


def _takes_factor(op: Operation, argument: BlockArgument) -> bool:
    match op:
        case loop.LoadOp():
            widening = arith.ExtSIOp if op.result.type == i8 else loop.ExtendOp | loop.PairsOp
            return all(isinstance(use.operation, widening) for use in op.result.uses)
        case loop.LoadGroupsOp():
            return op.nibbles is None
        case loop.IntrinsicRowsOp():
            return op.w is argument and op.x is not argument and op.intrinsic.w.data == "i8"
        case _:
            return False


def fault_of_look_ups(argument: BlockArgument, tables: Tables) -> str | None:
    """Return why the numbers of a constant cannot be looked up where a kernel loads them; None if they can be."""
    for use in argument.uses:
        load = use.operation
        if not isinstance(load, loop.LoadOp) or not _is_known(load):
            return f"it is read by other operations than loads of a number, or of {GROUP} for sums of products"
        if any(_table_at(load, offset, tables) is None for _, offset in _taken(load)):
            return "the position of a load does not say by itself which table it takes"
    return None


def instructions(op: Operation) -> int:
    """Return how many instructions look up what a load takes."""
    if isinstance(op, loop.LoadOp) and _is_group(op):
        return OF_GROUP * len(_taken(op))
    return OF_NUMBER


def code_bytes(op: Operation) -> int:
    """Return the bytes of the instructions that look up what a load takes, as often as the C compiler unrolls them."""
    bytes = CODE_OF_GROUP * len(_taken(op)) if isinstance(op, loop.LoadOp) and _is_group(op) else CODE_OF_NUMBER
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, loop.ForOp) and parent.unroll is not None:
            bytes *= min(parent.unroll.value.data, parent.trips or 1)
        parent = parent.parent_op()
    return bytes


def look_up(argument: BlockArgument, tables: Tables) -> None:
    """Let a kernel, whose `argument` is now a buffer of codes and tables, look up what it loads."""
    for load in [use.operation for use in argument.uses]:
        assert isinstance(load, loop.LoadOp)
        form = _form(load.map.data.results[0], load.indices)
        for old, offset in _taken(load):
            table = _table_at(load, offset, tables)
            assert table is not None
            at = Linear(form.constant + offset, form.terms).to_expr()
            dims = len(load.indices)
            if old is load:
                both = AffineMap(dims, 0, (at, table))
                new = loop.LookUpOp(argument, both, load.indices, values=tables.values)
            else:
                both = AffineMap(dims, 0, (halved(AffineMap(dims, 0, (at,))).results[0], table))
                in_pairs = isinstance(old, loop.PairsOp)
                new = loop.LookUpGroupOp(argument, both, load.indices, values=tables.values, pairs=in_pairs)
            new.results[0].name_hint = old.results[0].name_hint
            Rewriter.replace_op(old, new)
        if load.parent is not None:
            Rewriter.erase_op(load)


def _is_group(load: loop.LoadOp) -> bool:
    return isa(load.result.type, VectorType) and load.lanes is None and load.lane_stride == 1


def _is_known(load: loop.LoadOp) -> bool:
    """Return whether a load takes one number, or whole groups that are widened to 16 bits as they are."""
    moved = (
        isinstance(each.operation, loop.ExtendOp) and each.operation.offset.value.data for each in load.result.uses
    )
    return load.result.type == i8 or (_is_group(load) and not any(moved))


def _taken(load: loop.LoadOp) -> list[tuple[Operation, int]]:
    """Return the operations that look-ups replace, each with the distance of its numbers from the place of the load."""
    if not _is_group(load):
        return [(load, 0)]
    users = [use.operation for use in load.result.uses]
    return [(each, GROUP * each.part.value.data) for each in users if isinstance(each, loop.ExtendOp | loop.PairsOp)]


def _form(expr: AffineExpr, indices: Sequence[SSAValue]) -> Linear:
    return linear(expr, [UNBOUNDED] * len(indices))


def _counter(dim: AffineExpr, indices: Sequence[SSAValue]) -> loop.ForOp | None:
    """Return the loop with constant bounds that counts an index; None if there is none."""
    owner = indices[dim.position].owner if is_dim(dim) else None
    counter = owner.parent_op() if isinstance(owner, Block) else None
    if not isinstance(counter, loop.ForOp) or counter.fixed_bounds is None or counter.fixed_bounds[0] < 0:
        return None
    return counter


def _table_at(load: loop.LoadOp, offset: int, tables: Tables) -> AffineExpr | None:
    """Return the place of the table of the numbers at `offset` from where `load` begins; None if its loops move by
    parts of what the tables are laid out by.

    With the blocks of 2304 numbers for 2 channels that take turns every 4, the numbers at `oc * 1152 + k * 2 + 4`, `oc`
    in steps of 2 and `k` in steps of 4, have the table at `first + (oc + 1) * values`.
    """
    form = _form(load.map.data.results[0], load.indices)
    group = GROUP if _is_group(load) else 1
    start, inside = form.constant + offset, (form.constant + offset) % tables.block
    turn = tables.channels * tables.unit
    terms: dict[AffineExpr, int] = {}
    last = inside + group - 1
    for dim, factor in form.terms.items():
        counter = _counter(dim, load.indices)
        if counter is None or factor < 0:
            return None
        (first, end), step = counter.fixed_bounds or (0, 0), counter.step.value.data
        grain = factor * gcd(first, step)
        if grain % group:
            return None
        if grain % tables.block == 0 and tables.channels * tables.values * factor % tables.block == 0:
            terms[dim] = tables.channels * tables.values * factor // tables.block
        elif grain % turn == 0:
            last += factor * (first + max(end - first - 1, 0) // step * step)
        else:
            return None
    if start % group or last >= tables.block or (turn > 1 and group > tables.unit):
        return None
    row = start // tables.block * tables.channels + inside // tables.unit % tables.channels
    return Linear(tables.first + row * tables.values, terms).to_expr()
