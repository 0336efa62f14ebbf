"""Remove stores of what was loaded from the same address, in kernels whose result always lies over that operand.

    func.func private @scatter(%y: memref<64xf32>, %x: memref<64xf32>, …) {
      loop.for %i = 0 to 64 {
        %v = loop.load %x[affine_map<(d0) -> (d0)>(%i)] : memref<64xf32> -> f32
        loop.store %v, %y[affine_map<(d0) -> (d0)>(%i)] : f32, memref<64xf32>
      }
      …
    func.call @scatter(%cache, %cache, …)
->
    func.func private @scatter(%y: memref<64xf32>, %x: memref<64xf32>, …) {
      …

A scatter, a concatenation or a padding first copies what it leaves as it was; in place, as for the cache of a decoder,
that is nothing to do. Runs behind the memory plan, which decides what lies where.

Declined where some call gives the two arguments different places, and where the block stores anything in between.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.memory.effects import Effects, erase_unused
from s2s.dialects import loop
from s2s.dialects.walk import walk


class RemoveSelfCopiesPass(ModulePass):
    name = "loop-remove-self-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        effects = Effects()
        for kernel, calls in _called_only(op).items():
            removed = False
            for store in [each for each in walk(kernel) if isinstance(each, loop.StoreOp)]:
                if _is_self_copy(store, calls, effects):
                    Rewriter.erase_op(store)
                    removed = True
            if removed:
                erase_unused(kernel.body.block, effects)


def _called_only(module: ModuleOp) -> dict[FuncOp, list[CallOp]]:
    """Return the functions with bodies that operations call and nothing else refers to, with their calls."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks}
    calls: dict[str, list[CallOp]] = {}
    others = set[str]()
    for op in walk(module):
        if isinstance(op, CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
        else:
            given = (*op.properties.values(), *op.attributes.values())
            others |= {each.string_value() for each in given if isinstance(each, SymbolRefAttr)}
    return {functions[name]: found for name, found in calls.items() if name in functions and name not in others}


def _is_self_copy(store: loop.StoreOp, calls: Sequence[CallOp], effects: Effects) -> bool:
    load, target = store.value.owner, store.buffer
    if not isinstance(load, loop.LoadOp) or load.parent_block() is not store.parent_block():
        return False
    source = load.buffer
    if not isinstance(target, BlockArgument) or not isinstance(source, BlockArgument) or target is source:
        return False
    if target.block is not source.block or not isinstance(target.block.parent_op(), FuncOp):
        return False
    is_same = load.properties == store.properties and tuple(load.indices) == tuple(store.indices)
    return is_same and not _is_written_between(load, store, effects) and all(_meet(c, target, source) for c in calls)


def _is_written_between(load: loop.LoadOp, store: loop.StoreOp, effects: Effects) -> bool:
    """Return whether an operation between the two writes to memory."""
    op = load.next_op
    while op is not None and op is not store:
        if effects.writes(op):
            return True
        op = op.next_op
    return False


def _meet(call: CallOp, target: BlockArgument, source: BlockArgument) -> bool:
    """Return whether a call gives both arguments the same place."""
    return _place(call.arguments[target.index]) == _place(call.arguments[source.index])


def _place(buffer: SSAValue) -> object:
    view = buffer.owner
    return (view.arena, view.start, buffer.type) if isinstance(view, loop.ViewOp) else buffer
