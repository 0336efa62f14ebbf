"""Merge loads of two neighbouring floats that are factors of products into one load of both.

    %a = loop.load %w[affine_map<(d0) -> (d0 * 2)>(%k)] : memref<64xf32> -> f32
    %b = loop.load %w[affine_map<(d0) -> (d0 * 2 + 1)>(%k)] : memref<64xf32> -> f32
    %p = arith.mulf %x, %a : f32
    %q = arith.mulf %x, %b : f32
->
    %a, %b = loop.load_pair %w[affine_map<(d0) -> (d0 * 2)>(%k)] : memref<64xf32> -> f32, f32

A product of a matrix and a vector loads a weight for each multiply-add: half of its instructions are loads where one
instruction loads one float, a third where it loads two.

Declined where an operation between the two loads may write, and on targets whose loads of scalar code move one float.
"""

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.passes.context import target_of
from s2s.support.frozen import frozen
from s2s.types.affine import linear

UNBOUNDED = (-(2**31), 2**31)
PAIR = 2


@frozen
class PairLoadsPass(ModulePass):
    name = "loop-pair-loads"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_of(ctx, self.target).load_floats < PAIR:
            return
        blocks = {each.parent: None for each in walk(op) if isinstance(each, loop.LoadOp)}
        for block in blocks:
            if block is not None:
                _pair(block)


def _pair(block: Block) -> None:
    """Merge the loads of one block; an operation that may write ends what may be merged."""
    groups: dict[object, dict[int, loop.LoadOp]] = {}
    runs = [groups]
    for op in block.ops:
        if isinstance(op, loop.LoadOp):
            if op.result.type == f32 and _is_factor(op):
                form = linear(op.map.data.results[0], [UNBOUNDED] * len(op.indices))
                key = (op.buffer, tuple(op.indices), frozenset(form.terms.items()))
                groups.setdefault(key, {}).setdefault(form.constant, op)
        elif not is_side_effect_free(op):
            groups = {}
            runs.append(groups)
    for found in runs:
        for loads in found.values():
            _merge(loads, {each: number for number, each in enumerate(block.ops)})


def _is_factor(op: loop.LoadOp) -> bool:
    """Return whether all that reads the value multiplies it."""
    users = [use.operation for use in op.result.uses]
    return bool(users) and all(isinstance(user, arith.MulfOp) for user in users)


def _merge(loads: dict[int, loop.LoadOp], order: dict[Operation, int]) -> None:
    """Merge each load with the load of the next element, from the first element on."""
    places = sorted(loads)
    while len(places) >= PAIR:
        place = places.pop(0)
        if places[0] != place + 1:
            continue
        low, high = loads[place], loads[places.pop(0)]
        pair = loop.LoadPairOp(low.buffer, low.map.data, list(low.indices))
        Rewriter.insert_op(pair, InsertPoint.before(min(low, high, key=order.__getitem__)))
        for old, new in ((low, pair.low), (high, pair.high)):
            new.name_hint = old.result.name_hint
            old.result.replace_all_uses_with(new)
            Rewriter.erase_op(old)
