"""Remove what has no effect on the outputs of the network.

    %a = graph.exp %x : tensor<4xf32>
    %b = graph.log %a : tensor<4xf32>
    func.return %x : tensor<4xf32>
->
    func.return %x : tensor<4xf32>

Kernels that nobody calls go too. Declined for operations that are not pure and for functions that are not private.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from s2s.dialects import graph


@dataclass(frozen=True)
class EliminateDeadCodePass(ModulePass):
    """Erase pure operations without users, from the end, then kernels without calls."""

    name = "graph-eliminate-dead-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        region_dce(op.body)
        called = {call.callee.string_value() for call in op.walk() if isinstance(call, graph.CallOp)}
        for function in list(op.body.block.ops):
            if isinstance(function, FuncOp) and _is_kernel(function) and function.sym_name.data not in called:
                Rewriter.erase_op(function)


def _is_kernel(function: FuncOp) -> bool:
    return "kernel" in function.attributes and function.sym_visibility is not None
