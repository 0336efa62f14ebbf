"""Remove operations and functions that have no effect on the outputs of the network.

    %a = graph.exp %x : tensor<4xf32>
    %b = graph.log %a : tensor<4xf32>
    func.return %x : tensor<4xf32>
->
    func.return %x : tensor<4xf32>

Kernels and networks without calls are removed too, and operations that compute a size of the run that nothing needs.
Declined for other operations that are not pure and for functions that are not private.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from s2s.analysis.network.functions import networks_run_by
from s2s.dialects import graph
from s2s.dialects.walk import walk
from s2s.types.sizes import SizeTable


class EliminateDeadCodePass(ModulePass):
    """Erase unused pure operations in reverse order, then private functions without calls."""

    name = "graph-eliminate-dead-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        region_dce(op.body)
        while _remove_sizes(op):
            region_dce(op.body)
        removed = True
        while removed:
            removed = _remove_uncalled(op)


def _remove_sizes(module: ModuleOp) -> bool:
    """Erase what computes sizes that neither a tensor has nor an operation names; return whether there was any."""
    unread = [op for op in walk(module) if isinstance(op, graph.NonzeroOp) and op.y.first_use is None]
    if not unread:
        return False
    from s2s.analysis.network.named_sizes import sizes_named_by

    named = {name for op in walk(module) for name in sizes_named_by(op, SizeTable(module.attributes))}
    dead = [op for op in unread if op.size.data not in named]
    for op in dead:
        Rewriter.erase_op(op)
    return bool(dead)


def _remove_uncalled(module: ModuleOp) -> bool:
    """Erase the private functions without calls; return whether there were any."""
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    called = {name for op in module.walk() for name in _called_by(op)}
    dead = [func for func in functions if func.sym_visibility is not None and func.sym_name.data not in called]
    for function in dead:
        Rewriter.erase_op(function)
    return bool(dead)


def _called_by(op: Operation) -> tuple[str, ...]:
    return (op.callee.string_value(),) if isinstance(op, graph.CallOp) else networks_run_by(op)
