"""Order the calls of a network so that the arena is smallest.

    %a = graph.call @wide(%x) : (tensor<16xf32>) -> tensor<1024xf32>
    %b = graph.call @wide(%x) : (tensor<16xf32>) -> tensor<1024xf32>
    %c = graph.call @narrow(%a) : (tensor<1024xf32>) -> tensor<16xf32>
->
    %a = graph.call @wide(%x) : …
    %c = graph.call @narrow(%a) : …
    %b = graph.call @wide(%x) : …

Weights come first, and a reshape follows the call that it belongs to. Inputs, outputs and weights of the network lie
outside the arena and do not count. A kernel that reads an operand elementwise is assumed to compute in place.

The order is a decision (`s2s/decisions/order.py`). Operations that run networks count as calls. Declined (the order
stays) where no other order is better, and for functions that hold anything but weights, calls and reshapes.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import is_kernel
from s2s.decisions.chooser import Chooser
from s2s.decisions.order import Calls, OrderKind
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.memory.steps import Step
from s2s.passes.context import given_of, target_of
from s2s.support.frozen import frozen
from s2s.types.dtypes import as_tensor_type, size_in_bytes
from s2s.types.sizes import SizeTable, computed_of


@frozen
class OrderCallsPass(ModulePass):
    """Order the calls of every function that holds nothing else."""

    name = "graph-order-calls"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.body.block.ops if isinstance(function, FuncOp)]
        elementwise = {
            function.sym_name.data: _elementwise_arguments(function) for function in functions if is_kernel(function)
        }
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for function in functions:
                if not is_kernel(function) and function.body.blocks and _is_network(function.body.block):
                    _order(op, function, elementwise, chooser)


def _is_network(block: Block) -> bool:
    known = (graph.WeightOp, graph.StepInterface, graph.ReshapeOp, ReturnOp)
    return all(isinstance(op, known) for op in block.ops)


def _elementwise_arguments(kernel: FuncOp) -> frozenset[int]:
    """The arguments of the result's type that the kernel reads only at the element that it computes."""
    block = kernel.body.block
    terminator = block.last_op
    assert terminator is not None
    reached: set[Operation] = {terminator}
    pending = list(terminator.operands)
    target = terminator.operands[0].type
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in reached and fusion_kind(owner) <= FusionKind.BROADCAST:
            reached.add(owner)
            pending.extend(operand for operand in owner.operands if operand.type == target)
    return frozenset(
        at
        for at, argument in enumerate(block.args)
        if argument.type == target and all(use.operation in reached for use in argument.uses)
    )


def _order(module: ModuleOp, function: FuncOp, elementwise: dict[str, frozenset[int]], chooser: Chooser) -> None:
    """Decide the order of the calls of one function."""
    _move_checks_behind(function.body.block)
    ops = list(function.body.block.ops)
    calls = [op for op in ops if isinstance(op, graph.StepInterface)]
    source = _sources(ops)
    outputs = {source[operand] for op in ops if isinstance(op, ReturnOp) for operand in op.operands}
    results = [output for call in calls for output in call.results]
    numbers: dict[SSAValue, int] = {value: number for number, value in enumerate(results)}
    sizes = [0 if value in outputs or isinstance(value.owner, graph.AdvanceOp) else _bytes(value) for value in results]
    steps = [_step(call, source, numbers, elementwise) for call in calls]
    steps, sizes = _with_checks_last(calls, *_with_sizes_of_runs(module, calls, steps, sizes))

    def arrange(order: Sequence[int]) -> None:
        _arrange(function.body.block, [calls[number] for number in order])

    if calls:
        subject = Calls(module, function.sym_name.data, tuple(steps), tuple(sizes), arrange)
        chooser.choose(OrderKind(), subject)


def _with_sizes_of_runs(
    module: ModuleOp, calls: Sequence[Operation], steps: Sequence[Step], sizes: Sequence[int]
) -> tuple[list[Step], list[int]]:
    """Return `steps` in which a size of the run that a kernel computes is a value without bytes: it is written by the
    call of that kernel, and read by the calls that need it."""
    computed = computed_of(module.attributes)
    if not computed:
        return [*steps], [*sizes]
    from s2s.analysis.network.named_sizes import sizes_made_by, sizes_needed_by

    table, numbers = SizeTable(module.attributes), {name: len(sizes) + at for at, name in enumerate(computed)}
    found: list[Step] = []
    for call, step in zip(calls, steps, strict=True):
        made, needed = sizes_made_by(call), sizes_needed_by(call, table)
        writes = tuple(numbers[name] for name in computed if name in made)
        reads = tuple(numbers[name] for name in computed if name in needed - made)
        found.append(step._replace(reads=(*step.reads, *reads), writes=(*step.writes, *writes)))
    return found, [*sizes, *[0] * len(computed)]


def _move_checks_behind(block: Block) -> None:
    """Move checks behind all other calls: copies of outputs and for devices may have been put there."""
    checks = [op for op in block.ops if isinstance(op, graph.RequireOp)]
    last = block.last_op
    assert last is not None
    for check in checks:
        check.detach()
        block.insert_op_before(check, last)


def _with_checks_last(
    calls: Sequence[Operation], steps: Sequence[Step], sizes: Sequence[int]
) -> tuple[list[Step], list[int]]:
    """Return `steps` in which a check reads a value without bytes of every other call: the tables of the graph executor
    check what a run has computed at its end."""
    checks = [isinstance(call, graph.RequireOp) for call in calls]
    if not any(checks):
        return [*steps], [*sizes]
    done = range(len(sizes), len(sizes) + len(calls))
    others = tuple(number for number, check in zip(done, checks, strict=True) if not check)
    found = [
        step._replace(reads=(*step.reads, *others)) if check else step._replace(writes=(*step.writes, number))
        for step, check, number in zip(steps, checks, done, strict=True)
    ]
    return found, [*sizes, *[0] * len(calls)]


def _arrange(block: Block, calls: Sequence[Operation]) -> None:
    """Rearrange the operations of the block: weights first, then `calls` in order."""
    ops = list(block.ops)
    for op in ops:
        op.detach()
    block.add_ops(op for op in ops if isinstance(op, graph.WeightOp))
    placed: set[Operation] = set()
    for call in calls:
        _add(call, block, placed)
    for op in ops:
        if isinstance(op, graph.ReshapeOp | ReturnOp):
            _add(op, block, placed)


def _add(op: Operation, block: Block, placed: set[Operation]) -> None:
    """Append `op` after the reshapes that it reads."""
    for operand in op.operands:
        if isinstance(operand.owner, graph.ReshapeOp):
            _add(operand.owner, block, placed)
    if op not in placed:
        placed.add(op)
        block.add_op(op)


def _sources(ops: list[Operation]) -> dict[SSAValue, SSAValue]:
    """Map each value to the one that owns its bytes: reshapes share the bytes of their operand."""
    source: dict[SSAValue, SSAValue] = {}
    for op in ops:
        for operand in op.operands:
            source.setdefault(operand, operand)
        for result in op.results:
            source[result] = source[op.operands[0]] if isinstance(op, graph.ReshapeOp) else result
    return source


def _bytes(value: SSAValue) -> int:
    kind = as_tensor_type(value.type)
    return kind.element_count() * size_in_bytes(kind.element_type)


def _step(
    call: Operation,
    source: dict[SSAValue, SSAValue],
    numbers: dict[SSAValue, int],
    elementwise: dict[str, frozenset[int]],
) -> Step:
    reads = [source[operand] for operand in call.operands]
    writes = tuple(numbers[output] for output in call.results)
    kernel = call.callee.string_value() if isinstance(call, graph.CallOp) else ""
    in_place = tuple(
        (writes[0], numbers[read])
        for at, read in enumerate(reads)
        if at in elementwise.get(kernel, ()) and read in numbers
    )
    return Step(tuple(numbers[read] for read in reads if read in numbers), writes, in_place=in_place)
