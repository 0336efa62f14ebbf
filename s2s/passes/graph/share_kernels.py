"""Let calls of equal kernels call the same one.

    func.func private @conv_3x3_relu(…) …
    func.func private @conv_3x3_relu_2(…) …
->
    func.func private @conv_3x3_relu(…) …

Two kernels are equal when they do the same operations with the same attributes and constants on the same types in the
same order; names of values and of source nodes do not count. The calls keep their nodes.

Declined for functions that are not kernels.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.dialects import graph
from s2s.dialects.graph.traits import PROVENANCE


@dataclass(frozen=True)
class ShareKernelsPass(ModulePass):
    """Keep the first of each set of equal kernels."""

    name = "graph-share-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first: dict[Hashable, FuncOp] = {}
        kept: dict[str, SymbolRefAttr] = {}
        for function in list(op.body.block.ops):
            if isinstance(function, FuncOp) and "kernel" in function.attributes:
                original = first.setdefault(_structure(function), function)
                if original is not function:
                    kept[function.sym_name.data] = SymbolRefAttr(original.sym_name)
                    Rewriter.erase_op(function)
        for call in op.walk():
            if isinstance(call, graph.CallOp) and call.callee.string_value() in kept:
                call.callee = kept[call.callee.string_value()]


def _structure(kernel: FuncOp) -> Hashable:
    """Everything that matters about a kernel, with its values numbered in order."""
    numbers: dict[SSAValue, int] = {argument: at for at, argument in enumerate(kernel.body.block.args)}
    ops: list[Hashable] = []
    for op in kernel.body.block.ops:
        attributes = frozenset((name, value) for name, value in op.attributes.items() if name != PROVENANCE)
        operands = tuple(numbers[operand] for operand in op.operands)
        ops.append((op.name, operands, frozenset(op.properties.items()), attributes, tuple(op.result_types)))
        for result in op.results:
            numbers[result] = len(numbers)
    attributes = frozenset(kernel.attributes.items())
    return (kernel.function_type, attributes, tuple(ops))
