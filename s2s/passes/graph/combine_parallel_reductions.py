"""Put reductions of one tensor over the same axes into one kernel with several results, which reads the tensor once.

    %a = graph.call @reduce_min(%x) : (tensor<512x512xf32>) -> tensor<f32>
    %b = graph.call @reduce_max(%x) : (tensor<512x512xf32>) -> tensor<f32>
->
    func.func private @reduce_min_reduce_max(%x: …) -> (tensor<f32>, tensor<f32>) attributes {kernel} {
      %a = graph.reduce_min %x {axes = [0, 1]} : …
      %b = graph.reduce_max %x {axes = [0, 1]} : …
      func.return %a, %b : …
    }
    %a, %b = graph.call @reduce_min_reduce_max(%x) : (tensor<512x512xf32>) -> (tensor<f32>, tensor<f32>)

`tensor-merge-reductions` then computes them in one loop. What a kernel computes elementwise before it reduces (the
squares of a variance, say) goes with it.

Declined for kernels whose calls read different tensors, that are called again, or that run on different devices, for
reductions over other axes or of other shapes, and for more than `MAX_REDUCTIONS` at once, whose accumulators would not
stay in registers.
"""

from collections.abc import Hashable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import DEVICE, is_kernel
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.dialects.graph.reduce import ReduceOp
from s2s.passes.graph.fuse_ops.names import UniqueNames, kernel_name
from s2s.passes.graph.fuse_ops.outline import placed_name

MAX_REDUCTIONS = 3
"""The reductions that one kernel computes."""


class CombineParallelReductionsPass(ModulePass):
    name = "graph-combine-parallel-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {each.sym_name.data: each for each in op.body.block.ops if isinstance(each, FuncOp)}
        names = UniqueNames(list(functions))
        calls = calls_of(op)
        alike: dict[Hashable, list[graph.CallOp]] = {}
        for name, kernel in functions.items():
            reduction = _reduction(kernel)
            for call in calls.get(name, []) if reduction is not None and len(calls.get(name, [])) == 1 else []:
                assert reduction is not None
                place = call.parent_block(), tuple(call.operands), kernel.attributes.get(DEVICE)
                axes = tuple(sorted(reduction.axes.get_values()))
                key = (*place, shape_of(reduction.x), axes, reduction.keepdims is not None)
                alike.setdefault(key, []).append(call)
        for group in alike.values():
            for first in range(0, len(group), MAX_REDUCTIONS):
                if len(part := group[first : first + MAX_REDUCTIONS]) > 1:
                    _combine(part, [functions[call.callee.root_reference.data] for call in part], names)


def _reduction(kernel: FuncOp) -> ReduceOp | None:
    """The reduction that a kernel ends with, after elementwise operations of its size; None if it computes more."""
    if not is_kernel(kernel) or kernel.is_declaration:
        return None
    *before, last = [op for op in kernel.body.block.ops if not isinstance(op, graph.ConstantOp | ReturnOp)] or [None]
    if not isinstance(last, ReduceOp) or any(op is None or not _is_elementwise(op, last) for op in before):
        return None
    return last


def _is_elementwise(op: Operation, reduction: ReduceOp) -> bool:
    return fusion_kind(op) <= FusionKind.BROADCAST and shape_of(op.results[0]) == shape_of(reduction.x)


def _combine(calls: Sequence[graph.CallOp], kernels: Sequence[FuncOp], names: UniqueNames) -> None:
    """Replace `calls` of `kernels` by one call of a kernel that computes them all; the first kernel becomes that."""
    first, block = kernels[0], kernels[0].body.block
    results: list[SSAValue] = []
    for kernel in kernels:
        body = kernel.body.block
        for own, other in zip(block.args, body.args, strict=True):
            if own is not other:
                other.replace_all_uses_with(own)
        end = body.last_op
        assert isinstance(end, ReturnOp)
        results += end.arguments
        end.detach()
        for op in list(body.ops) if kernel is not first else []:
            op.detach()
            block.add_op(op)
    block.add_op(ReturnOp(*results))
    computed = [op for op in block.ops if not isinstance(op, graph.ConstantOp | ReturnOp)]
    name = names.make(placed_name(kernel_name(computed), kernels))
    first.properties["sym_name"] = StringAttr(name)
    first.function_type = FunctionType.from_lists([each.type for each in block.args], [each.type for each in results])
    joined = graph.CallOp(name, list(calls[0].operands), [kind for call in calls for kind in call.result_types])
    joined.attributes |= calls[0].attributes
    copy_provenance(joined, *calls)
    Rewriter.insert_op(joined, InsertPoint.before(calls[0]))
    made = iter(joined.outputs)
    for call in calls:
        for old in call.outputs:
            new = next(made)
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        Rewriter.erase_op(call)
    for kernel in kernels[1:]:
        Rewriter.erase_op(kernel)
