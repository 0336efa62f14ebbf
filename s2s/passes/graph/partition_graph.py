"""Outline each region of an external code generator as a function, and give back the composites that nobody claims.

    %a = graph.call @npu_matmul_ops(%x, %w) {external = "npu", region = 0}
    %b = graph.call @npu_matmul_ops_2(%a, %v) {external = "npu", region = 0}
    %y = graph.call @npu_matmul_ops_3(%b, %u)
->
    func.func private @npu_region(%x: …, %w: …, %v: …) -> … attributes {kernel, external = "npu"} {
      %a = graph.call @npu_matmul_ops(%x, %w)
      %b = graph.call @npu_matmul_ops_2(%a, %v)
      func.return %b
    }
    %b = graph.call @npu_region(%x, %w, %v)
    %y = graph.matmul %b, %u

The results of a region are those that are used outside of it. The operations of the block are then sorted: what reads
one result of a region, and feeds no other operation of it, may have stood between its calls.
"""

from collections.abc import Sequence, Set

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import DEVICE, EXTERNAL, KERNEL, network_functions
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.errors import CompilerBug
from s2s.passes.graph.composites import (
    REGION,
    composite_calls,
    device_running,
    generator_of,
    inline,
    patterns_of,
    region_of,
)
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN
from s2s.types.symbols import function_named


@frozen
class PartitionGraphPass(ModulePass):
    """Outline the regions of every network function."""

    name = "graph-partition-graph"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = UniqueNames([each.sym_name.data for each in op.body.block.ops if isinstance(each, FuncOp)])
        for function in network_functions(op):
            block, regions = function.body.block, dict[int, list[graph.CallOp]]()
            for call, composite in composite_calls(block):
                number = region_of(call)
                if number is None:
                    _give_back(call, composite)
                else:
                    regions.setdefault(number, []).append(call)
            for calls in regions.values():
                made = _outline(calls, names)
                op.body.block.insert_op_before(made, function)
            if regions:
                _sort(block)


def _give_back(call: graph.CallOp, composite: FuncOp) -> None:
    """Put the operators of a composite back into the network, on the device that runs them."""
    device = composite.attributes.get(DEVICE)
    for op in inline(call, composite):
        if device is not None and not isinstance(op, graph.ReshapeOp):
            op.attributes[DEVICE] = device


def _outline(calls: Sequence[graph.CallOp], names: UniqueNames) -> FuncOp:
    """Move the calls of a region into a function, and put a call of that in place of the last one."""
    inside, generator = set[Operation](calls), generator_of(calls[0])
    assert generator is not None
    operands = list(dict.fromkeys(value for call in calls for value in call.operands if value.owner not in inside))
    results = [
        value for call in calls for value in call.results if any(use.operation not in inside for use in value.uses)
    ]
    device = device_running(_composite(calls[0]))
    name = names.make(_name(calls, generator, device))
    made = graph.CallOp(name, operands, [value.type for value in results])
    copy_provenance(made, *calls)
    block = calls[-1].parent_block()
    assert block is not None
    block.insert_op_before(made, calls[-1])
    for value, replacement in zip(results, made.outputs, strict=True):
        replacement.name_hint = value.name_hint
        value.replace_uses_with_if(replacement, lambda use: use.operation not in inside)
    body = Block(arg_types=[value.type for value in operands])
    arguments: dict[SSAValue, SSAValue] = dict(zip(operands, body.args, strict=True))
    hints = _hints(calls)
    for value, argument in arguments.items():
        argument.name_hint = hints.get(value)
    for call in calls:
        call.detach()
        for position, operand in enumerate(call.operands):
            call.operands[position] = arguments.get(operand, operand)
        for key in (EXTERNAL, REGION):
            call.attributes.pop(key, None)
        body.add_op(call)
    body.add_op(ReturnOp(*results))
    kind = FunctionType.from_lists([value.type for value in operands], [value.type for value in results])
    function = FuncOp(name, kind, Region(body), visibility="private")
    function.attributes |= {KERNEL: UnitAttr(), EXTERNAL: StringAttr(generator)}
    if device != MAIN:
        function.attributes[DEVICE] = StringAttr(device)
    return function


def _composite(call: graph.CallOp) -> FuncOp:
    """Return the composite that a call names."""
    found = function_named(call, call.callee.string_value())
    assert found is not None
    return found


def _hints(calls: Sequence[graph.CallOp]) -> dict[SSAValue, str | None]:
    """What the composites call their inputs."""
    found: dict[SSAValue, str | None] = {}
    for call in calls:
        for operand, argument in zip(call.operands, _composite(call).body.block.args, strict=True):
            found.setdefault(operand, argument.name_hint)
    return found


def _name(calls: Sequence[graph.CallOp], generator: str, device: str) -> str:
    what = patterns_of(_composite(calls[0]))[generator] if len(calls) == 1 else "region"
    base = f"{generator}_{what}".replace("-", "_")
    return base if device == MAIN else f"{device}_{base}"


def _sort(block: Block) -> None:
    """Order operations so that operands come before their users, and else as they stand."""
    ops, done = list(block.ops), set[Operation]()
    ordered: list[Operation] = []
    for op in ops:
        pending = [op]
        while pending:
            before = _missing(pending[-1], block, done)
            if before is None:
                last = pending.pop()
                if last not in done:
                    done.add(last)
                    ordered.append(last)
            elif len(pending) > len(ops):
                raise CompilerBug(f"{before.name} depends on itself: a region is not convex")
            else:
                pending.append(before)
    if ordered != ops:
        for op in ordered:
            op.detach()
        block.add_ops(ordered)


def _missing(op: Operation, block: Block, done: Set[Operation]) -> Operation | None:
    """An operation of the block that `op` reads a result of and that is not `done`."""
    for value in op.operands:
        if isinstance(value.owner, Operation) and value.owner.parent is block and value.owner not in done:
            return value.owner
    return None
