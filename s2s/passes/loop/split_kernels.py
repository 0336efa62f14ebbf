"""Split a kernel of several long loops into one kernel for each, so that each can be divided among threads.

    func.func private @k(%y, %x, %s) { loop.for %i … { … store to %s } loop.for %j … { load from %s, store to %y } }
    func.func @main(…) { func.call @k(%y, %x, %s) }
->
    func.func private @k_step1(%x, %s) { loop.for %i … }
    func.func private @k_step2(%y, %s) { loop.for %j … }
    func.func @main(…) { func.call @k_step1(%x, %s) func.call @k_step2(%y, %s) }

Every outermost loop with at least `least` operations that carries no values gets a kernel of its own, and so does one
that a schedule asks to divide (`parallelize`); what lies between two of them stays together. Constants are computed in
each.

Declined where that gives one kernel, where a value passes from one to the next, and for kernels that another network
than `main` calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, ModuleOp, StringAttr, SymbolRefAttr, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.cost.loops import operations_in
from s2s.analysis.memory.buffers import touches_memory
from s2s.analysis.network.arguments import IN_PLACE
from s2s.analysis.network.functions import DOC
from s2s.dialects import loop
from s2s.dialects.loop.control import SERIAL
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.support.frozen import frozen


@dataclass
class KernelSteps:
    """The steps of a kernel, and the constants that each step may recompute."""

    shared: list[Operation] = field(default_factory=list[Operation])
    groups: list[list[Operation]] = field(default_factory=list[list[Operation]])

    @staticmethod
    def of(kernel: FuncOp, least: int) -> "KernelSteps":
        """Split `kernel` into steps: each long loop alone, and the operations between two of them."""
        steps, shared, closed = KernelSteps(), set[Operation](), True
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                continue
            if not op.regions and not touches_memory(op) and _producers(op) <= shared:
                steps.shared.append(op)
                shared.add(op)
                continue
            alone = _is_long(op, least)
            if alone or closed:
                steps.groups.append([])
            steps.groups[-1].append(op)
            closed = alone
        return steps

    @property
    def is_split(self) -> bool:
        """Return whether there are several steps, and none uses a value of another."""
        owner = {op: number for number, group in enumerate(self.groups) for op in group}
        crossing = [
            made
            for number, group in enumerate(self.groups)
            for op in group
            for made in _producers(op)
            if owner.get(made, number) != number
        ]
        return len(self.groups) > 1 and not crossing


def _is_long(op: Operation, least: int) -> bool:
    """Return whether a loop gets a kernel of its own: it is long enough, or a schedule asks to divide it."""
    if not isinstance(op, loop.ForOp) or op.inits or op.down is not None or op.kind.data != SERIAL:
        return False
    return (op.most_trips or 0) > 1 and (loop.PARALLELIZE in op.attributes or operations_in(op) >= least)


def _producers(op: Operation) -> set[Operation]:
    """Return the operations outside of `op` whose results it, or an operation nested in it, uses."""
    inside = set(op.walk())
    used = {operand.owner for inner in inside for operand in inner.operands}
    return {each for each in used if isinstance(each, Operation) and each not in inside}


class SplitKernel:
    """Makes a kernel of each step."""

    def __init__(self, kernel: FuncOp, steps: KernelSteps) -> None:
        self.kernel, self.steps = kernel, steps

    def run(self, taken: set[str]) -> list[tuple[FuncOp, list[int]]]:
        """Return the new kernels in order, each with the arguments of the old one that it takes."""
        return [self._step(number, group, taken) for number, group in enumerate(self.steps.groups, 1)]

    def _step(self, number: int, group: Sequence[Operation], taken: set[str]) -> tuple[FuncOp, list[int]]:
        every = [*self.steps.shared, *group]
        used = {operand for op in every for inner in op.walk() for operand in inner.operands}
        arguments = [each for each in self.kernel.args if each in used]
        block = Block(arg_types=[each.type for each in arguments])
        values: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
        for old, new in zip(arguments, block.args, strict=True):
            new.name_hint = old.name_hint
        block.add_ops([op.clone(values) for op in every])
        block.add_op(ReturnOp())
        name = f"{self.kernel.sym_name.data}_step{number}"
        while name in taken:
            name += "_"
        taken.add(name)
        type = FunctionType.from_lists([each.type for each in arguments], [])
        made = FuncOp(name, type, Region(block), visibility="private")
        made.attributes |= self.kernel.attributes
        made.attributes[IN_PLACE] = DenseArrayBase.from_list(i64, self._in_place(arguments))
        if isinstance(doc := self.kernel.attributes.get(DOC), StringAttr):
            made.attributes[DOC] = StringAttr(f"{doc.data}\nstep {number} of {len(self.steps.groups)}")
        return made, [each.index for each in arguments]

    def _in_place(self, arguments: Sequence[BlockArgument]) -> list[int]:
        """Return the new numbers of the arguments that the result may overlap; none for a step without the result."""
        listed = self.kernel.attributes.get(IN_PLACE)
        if not isinstance(listed, DenseArrayBase) or not arguments or arguments[0].index != 0:
            return []
        old = {int(number) for number in listed.get_values()}
        return [number for number, each in enumerate(arguments) if each.index in old]


@frozen
class SplitKernelsPass(ModulePass):
    name = "loop-split-kernels"

    least: int = 0
    """The minimum number of operations of a loop to get a kernel of its own."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        taken = {each.sym_name.data for each in op.ops if isinstance(each, FuncOp) and not each.is_declaration}
        for kernel, calls in list(kernels_of_main(op)):
            if (steps := KernelSteps.of(kernel, self.least)).is_split:
                replace_kernel(kernel, SplitKernel(kernel, steps).run(taken), calls)


def replace_kernel(kernel: FuncOp, made: Sequence[tuple[FuncOp, list[int]]], calls: Sequence[CallOp]) -> None:
    """Replace the kernel and its calls by the new ones."""
    parent = kernel.parent_block()
    assert parent is not None
    parent.insert_ops_before([each for each, _ in made], kernel)
    for call in calls:
        block = call.parent_block()
        assert block is not None
        for each, numbers in made:
            step = CallOp(SymbolRefAttr(each.sym_name), [call.arguments[number] for number in numbers], [])
            step.attributes |= call.attributes
            block.insert_op_before(step, call)
        call.detach()
        call.erase()
    kernel.detach()
    kernel.erase()
