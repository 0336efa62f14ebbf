"""Insert a copy for each output that shares its value with another output, an input or a weight.

    func.func @main(%x) -> (tensor<4xf32>, tensor<4xf32>) { %a = graph.relu %x …  return %a, %a }
->
    func.func @main(%x) -> … { %a = graph.relu %x …  %b = graph.identity %a  return %a, %b }

A network may return an input, a weight, or one tensor twice (reshaped or not), but the caller's buffers are distinct,
so such an output becomes a copy. Declined for all other outputs, whose kernel writes the caller's buffer directly,
and for a result that is tied to the argument that it returns.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.network.functions import is_network
from s2s.analysis.network.reshapes import root_of
from s2s.dialects import graph
from s2s.dialects.graph.traits import copy_provenance


def copy_shared_outputs(last: ReturnOp, tied: Sequence[int | None]) -> None:
    """Copy each operand of `last` that is an input or a weight, or that `last` returns twice."""
    seen: set[SSAValue] = set()
    for number, (value, argument) in enumerate(zip(list(last.arguments), tied, strict=True)):
        root = root_of(value)
        if isinstance(root, BlockArgument) and root.index == argument:
            continue
        fixed = isinstance(root, BlockArgument) or isinstance(root.owner, graph.ConstantInterface)
        if fixed or root in seen:
            copy = graph.IdentityOp(value)
            copy.y.name_hint = value.name_hint
            if isinstance(value.owner, Operation):
                copy_provenance(copy, value.owner)
            Rewriter.insert_op(copy, InsertPoint.before(last))
            last.operands[number] = copy.y
        seen.add(root)


class CopyOutputsPass(ModulePass):
    name = "graph-copy-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.ops:
            if isinstance(func, FuncOp) and is_network(func):
                last = func.body.block.last_op
                if isinstance(last, ReturnOp):
                    copy_shared_outputs(last, graph.tied_arguments(func))
