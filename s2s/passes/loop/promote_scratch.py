"""Keep scratch of one element in a variable.

    func.func private @softmax(%y: …, %x: …, %largest: memref<1xi8>) {
      %m = loop.for … -> (i8) { … }
      loop.store %m, %largest[affine_map<() -> (0)>()] : i8, memref<1xi8>
      loop.for %j = 0 to 12 {
        %l = loop.load %largest[affine_map<() -> (0)>()] : memref<1xi8> -> i8
        … %l …
->
    func.func private @softmax(%y: …, %x: …) {
      %m = loop.for … -> (i8) { … }
      loop.for %j = 0 to 12 {
        … %m …

A result of a fused kernel that only this kernel reads has a buffer; where it is one number, as the largest logit of one
row is, a variable does as well, without an argument, a place in the arena and a load.

Declined where more than one operation stores, where nothing loads, where a load does not stand behind the store in its
block, for kernels whose callers give them anything but scratch, and for kernels that are divided among threads.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, MemRefType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import THREADS
from s2s.dialects import loop
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.types.hints import isa


class PromoteScratchPass(ModulePass):
    name = "loop-promote-scratch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel, calls in kernels_of_main(op):
            if THREADS in kernel.attributes:
                continue
            promoted = [argument for argument in kernel.args if _is_scratch(argument, calls) and _promote(argument)]
            if promoted:
                _remove(kernel, calls, promoted)


def _is_scratch(argument: BlockArgument, calls: Sequence[CallOp]) -> bool:
    """Whether every call gives an argument of one element memory that nothing else uses."""
    if not isa(argument.type, MemRefType[Attribute]) or argument.type.get_shape() != (1,):
        return False
    given = [call.arguments[argument.index] for call in calls]
    return all(isinstance(value.owner, loop.AllocOp) and value.has_one_use() for value in given)


def _promote(argument: BlockArgument) -> bool:
    """Let what loads an element take the value that was stored there; return whether that can be done."""
    users = [use.operation for use in argument.uses]
    stores = [user for user in users if isinstance(user, loop.StoreOp)]
    loads = [user for user in users if isinstance(user, loop.LoadOp)]
    if len(stores) != 1 or not loads or len(loads) != len(users) - 1:
        return False
    store = stores[0]
    if not all(load.result.type == store.value.type and _follows(load, store) for load in loads):
        return False
    _name(store.value, argument.name_hint)
    for load in loads:
        Rewriter.replace_op(load, [], [store.value])
    Rewriter.erase_op(store)
    return True


def _name(value: SSAValue, name: str | None) -> None:
    """Call a value by the name of its scratch; if it is what a loop has carried, the loop's variable too."""
    value.name_hint = name
    if isinstance(value, OpResult) and isinstance(value.op, loop.ForOp):
        value.op.carried[value.index].name_hint = name


def _follows(load: Operation, store: Operation) -> bool:
    """Whether the block of a store holds the load, or what the load is nested in, behind the store."""
    block: Block | None = store.parent_block()
    around: Operation | None = load
    while around is not None and around.parent_block() is not block:
        around = around.parent_op()
    return around is not None and store.is_before_in_block(around)


def _remove(kernel: FuncOp, calls: Sequence[CallOp], arguments: Sequence[BlockArgument]) -> None:
    """Remove arguments that nothing uses from a kernel, its calls, and the memory that the calls gave."""
    removed = {argument.index for argument in arguments}
    for call in calls:
        kept = [value for index, value in enumerate(call.arguments) if index not in removed]
        memory = [call.arguments[index].owner for index in removed]
        call.operands = kept
        for alloc in memory:
            if isinstance(alloc, loop.AllocOp):
                Rewriter.erase_op(alloc)
    if kernel.arg_attrs is not None:
        kernel.arg_attrs = ArrayAttr(each for index, each in enumerate(kernel.arg_attrs) if index not in removed)
    for argument in arguments:
        kernel.body.block.erase_arg(argument)
    kernel.update_function_type()
