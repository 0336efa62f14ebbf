"""Merge reductions of the same elements in one kernel into one computation, with the accumulators of both.

    %a = tensor.compute [ | 64] reads(%x) inits [inf : f32] reduce { ^bb0(%v, %acc): yield minimumf(%acc, %v) } …
    %b = tensor.compute [ | 64] reads(%x) inits [-inf : f32] reduce { ^bb0(%v, %acc): yield maximumf(%acc, %v) } …
->
    %a, %b = tensor.compute [ | 64] reads(%x) inits [inf : f32, -inf : f32] reduce {
    ^bb0(%v, %low, %high):
      yield minimumf(%low, %v), maximumf(%high, %v)
    } …

So one loop reads each element once. Each accumulator takes the same steps in the same order as before.

Declined for other domains, operands of the reductions or accesses to them, for sizes that are known at run time
only, and where one computation reads the result of the other.
"""

from collections.abc import Hashable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.analysis.network.functions import is_kernel
from s2s.analysis.structure.compute import slots
from s2s.dialects import tensor
from s2s.passes.tensor.build_compute import ComputeBuilder, copy_region


class MergeReductionsPass(ModulePass):
    name = "tensor-merge-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and is_kernel(func) and not func.is_declaration:
                _merge_all(func)


def _merge_all(kernel: FuncOp) -> None:
    """Merge each reduction of a kernel with the first one that it may share a loop with."""
    made: dict[Hashable, tensor.ComputeOp] = {}
    for op in list(kernel.body.block.ops):
        if not isinstance(op, tensor.ComputeOp) or (key := _key(op)) is None:
            continue
        first = made.get(key)
        if first is None or not _is_available(first, [*op.epilogue, *op.tables]):
            made[key] = op
        else:
            made[key] = _merged(first, op)


def _key(op: tensor.ComputeOp) -> Hashable | None:
    """What reductions that share a loop have in common; None if there is nothing to share."""
    if op.reduce is None or not op.reads or op.extents is not None or op.schedule is not None:
        return None
    return op.sizes, op.rank, tuple(slots(op.reads, op.read_accesses)), tuple(op.tables)


def _is_available(first: tensor.ComputeOp, values: list[SSAValue]) -> bool:
    """Return whether all values exist before `first` runs: they are arguments, or results of what stands before it."""
    block = first.parent_block()
    assert block is not None
    before: set[SSAValue] = set(block.args)
    for op in block.ops:
        if op is first:
            break
        before.update(op.results)
    return all(value in before for value in values)


def _merged(first: tensor.ComputeOp, second: tensor.ComputeOp) -> tensor.ComputeOp:
    """Replace both computations by one with the results of both, in the place of the first."""
    both = first, second
    build = ComputeBuilder(first.parallel_sizes, first.reduction_sizes, [*first.inits, *second.inits])
    for op in both:
        for slot in slots(op.reads, op.read_accesses):
            build.read(slot)
        for slot in slots(op.epilogue, op.epilogue_accesses):
            build.epilogue_operand(slot)
        for table in op.tables:
            build.table(table)
    build.open()
    steps: list[SSAValue] = []
    values: list[SSAValue] = []
    for op, start in ((first, 0), (second, len(first.inits))):
        assert op.reduce is not None
        for block, region in ((build.reduce_block, op.reduce), (build.apply_block, op.apply)):
            accumulators = build.accumulators(block)[start : start + len(op.inits)]
            tables = [build.table_argument(block, table) for table in op.tables]
            if region is op.reduce:
                reads = [build.read_argument(build.read(slot)) for slot in slots(op.reads, op.read_accesses)]
                steps += copy_region(region, [*reads, *accumulators, *tables], block)
            else:
                own = slots(op.epilogue, op.epilogue_accesses)
                others = [build.epilogue_argument(build.epilogue_operand(slot)) for slot in own]
                values += copy_region(region, [*accumulators, *others, *tables], block)
    build.reduce_block.add_op(tensor.YieldOp(*steps))
    build.apply_block.add_op(tensor.YieldOp(*values))
    made = build.finish_all(first, second)
    Rewriter.replace_op(first, made, made.res[: len(first.res)])
    for old, new in zip(second.res, made.res[len(first.res) :], strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(second)
    return made
