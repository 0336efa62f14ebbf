"""Number the regions that external code generators compute in one call each.

    %a = graph.call @npu_matmul_ops(%x, %w) {external = "npu"}
    %b = graph.call @npu_matmul_ops_2(%a, %v) {external = "npu"}
->
    %a = graph.call @npu_matmul_ops(%x, %w) {external = "npu", region = 0}
    %b = graph.call @npu_matmul_ops_2(%a, %v) {external = "npu", region = 0}

Neighbours share a region if one device runs them, their generator computes several composites at once, and no path from
one to the other leads through anything else (`s2s/external/regions.py`). Declined across functions, so that no region
spans a loop or the state of a network, which are arguments and results of functions.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import network_functions
from s2s.external.regions import merge_regions
from s2s.external.registry import codegen_named
from s2s.passes.graph.composites import (
    REGION,
    composite_calls,
    device_running,
    generator_of,
)
from s2s.support.frozen import frozen


@frozen
class MergeCompilerRegionsPass(ModulePass):
    """Number the regions of every network function."""

    name = "graph-merge-compiler-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first = 0
        for function in network_functions(op):
            first += _number(function.body.block, first)


def _number(block: Block, first: int) -> int:
    """Number the regions of a block from `first` on; return how many there are."""
    ops = list(block.ops)
    place = {op: number for number, op in enumerate(ops)}
    claimed: dict[Operation, tuple[str, str]] = {
        call: (name, device_running(composite))
        for call, composite in composite_calls(block)
        if (name := generator_of(call)) is not None
    }
    edges = [
        (place[operand.owner], place[op])
        for op in ops
        for operand in op.operands
        if isinstance(operand.owner, Operation) and operand.owner in place
    ]
    owners = [claimed.get(op) for op in ops]
    merging = [each if each is not None and codegen_named(each[0]).regions else None for each in owners]
    merged = merge_regions(edges, merging)
    numbers: dict[int, int] = {}
    for number, op in enumerate(ops):
        if owners[number] is not None:
            key = merged[number]
            op.attributes[REGION] = IntegerAttr(
                first + numbers.setdefault(number if key is None else key, len(numbers)), i64
            )
    return len(numbers)
