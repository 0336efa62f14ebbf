"""A machine that runs a tree's run function and compares what each kernel wrote with the model."""

from __future__ import annotations

import numpy as np

from s2s.prove.accesses import Accesses
from s2s.prove.atoms import Atoms
from s2s.prove.buffers import Buffer
from s2s.prove.certificate import PROVED, TESTED, WRONG, Kernel
from s2s.prove.comparison import difference, order_of
from s2s.prove.control import Conflict
from s2s.prove.declarations import CType
from s2s.prove.expressions import EXPRESSIONS
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.machine import Machine
from s2s.prove.program import Program
from s2s.prove.reference.model import Model, Step, Tensor
from s2s.prove.statements import STATEMENTS
from s2s.prove.tree import Port, Tree
from s2s.prove.values import Pointer, Value, is_number

PART = "computes a part of an operator whose last kernel is not proved"


class Prover(Machine):
    """Executes a network and gives each of its kernels a verdict."""

    def __init__(self, program: Program, atoms: Atoms, model: Model, kernels: list[Kernel]) -> None:
        super().__init__(program, atoms, STATEMENTS, EXPRESSIONS)
        self.model, self.kernels = model, kernels
        self.steps = _by_node(model)
        self.producers = {id(step.output): step for step in model.steps}
        self.settled: set[int] = set()
        """Operators whose results kernels computed, or are taken to have computed."""
        self.next = 0
        """The kernel that is called next."""
        self.inside = False

    def run(self, tree: Tree) -> None:
        """Execute the run function of the tree and compare the outputs.

        Raises Fault where an output differs.
        """
        arena = Buffer("the arena", tree.arena)
        self.memory.accesses = Accesses(arena)
        inputs = [
            self._input(index, port, tensor)
            for index, (port, tensor) in enumerate(zip(tree.inputs, self.model.inputs, strict=True))
        ]
        outputs = [Buffer(f"output {port.name}", port.size) for port in tree.outputs]
        arguments: list[Value] = [Pointer(buffer, 0, None) for buffer in (arena, *inputs, *outputs)]
        status, _ = self.call(f"{tree.name}_run", arguments)
        if status is not None and not (is_number(status) and np.all(np.asarray(status) == 0)):
            msg = "the run function returns an error"
            raise Fault(msg)
        if self.next != len(self.kernels):
            msg = f"the run function returns after {self.next} of {len(self.kernels)} kernels"
            raise Fault(msg)
        for buffer, tensor in zip(outputs, self.model.outputs, strict=True):
            differs = difference(self.memory, Pointer(buffer, 0, tensor.ctype), tensor, tensor.size, in_order=True)
            reason = self._unknown_before([tensor]) if differs else ""
            if reason:
                raise Unprovable(reason)
            if differs:
                raise Fault(differs)

    def _input(self, index: int, port: Port, tensor: Tensor) -> Buffer:
        """An input whose elements are atoms."""
        buffer, ctype = Buffer(f"input {port.name}", port.size), tensor.ctype
        ids = self.arithmetic.atoms.inputs(f"input {index}", tensor.size, ctype.least, ctype.most)
        self.memory.put_atoms(buffer, np.arange(len(ids)) * ctype.size, ids, np.zeros_like(ids), ctype)
        buffer.read_only = True
        return buffer

    def call(self, name: str, arguments: list[Value]) -> tuple[Value | None, CType]:
        """Run a function; compare the result of a kernel with the reference."""
        if self.inside or self.next >= len(self.kernels) or name != self.kernels[self.next].function:
            return super().call(name, arguments)
        if self.lanes.depth:
            raise Conflict(self.lanes.loops[0][0])
        kernel = self.kernels[self.next]
        self.next += 1
        result = self._run_kernel(kernel, name, arguments)
        if self.memory.accesses is not None:
            self.memory.accesses.finish()
        if kernel.status == PROVED:
            self._settle(kernel)
            for part in self._parts(kernel):
                part.status, part.reason = PROVED, ""
        elif not self._is_part(kernel):
            self._assume(kernel, arguments)
        return result

    def _run_kernel(self, kernel: Kernel, name: str, arguments: list[Value]) -> tuple[Value | None, CType]:
        """Run a kernel and set its status; one that is not proved leaves memory as it was."""
        before = self.memory.copies(arguments)
        self.inside = True
        try:
            result = super().call(name, arguments)
            kernel.status, kernel.reason = self._verdict(kernel, arguments)
        except (Fault, Unprovable) as limit:
            self.memory.restore(before)
            self.memory.transaction = None
            self.lanes.loops.clear()
            step = self._result_step(kernel)
            kernel.status = WRONG if isinstance(limit, Fault) else TESTED
            kernel.reason = step.reason if step is not None and step.reason and kernel.status == TESTED else str(limit)
            return None, None
        finally:
            self.inside = False
        return result

    def _verdict(self, kernel: Kernel, arguments: list[Value]) -> tuple[str, str]:
        """What a kernel's result is, compared with the reference."""
        if self._is_part(kernel):
            return TESTED, PART
        if any(part.reason != PART for part in self._parts(kernel)[:-1]):
            return TESTED, "a kernel before it of the same operator is not proved"
        step = self._result_step(kernel)
        if step is None:
            return TESTED, "the model has no operator of this name"
        if step.reason:
            return TESTED, step.reason
        pointer = arguments[0] if arguments else None
        if not isinstance(pointer, Pointer) or not isinstance(pointer.target, Buffer):
            return TESTED, "its first argument is not its result"
        differs = difference(self.memory, pointer, step.output, kernel.count)
        reason = self._unknown_before([tensor for tensor in step.operands if tensor is not None]) if differs else ""
        if reason:
            return TESTED, reason
        return (WRONG, differs) if differs else (PROVED, "")

    def _unknown_before(self, tensors: list[Tensor]) -> str:
        """Why tensors depend on what the reference cannot execute, without a kernel's result between; else empty."""
        for tensor in tensors:
            step = self.producers.get(id(tensor))
            if step is None or step.number in self.settled:
                continue
            operands = [operand for operand in step.operands if operand is not None]
            reason = step.reason or self._unknown_before(operands)
            if reason:
                return reason
        return ""

    def _settle(self, kernel: Kernel) -> None:
        """Note that memory holds the reference's result of an operator."""
        step = self._result_step(kernel)
        if step is not None:
            self.settled.add(step.number)

    def _parts(self, kernel: Kernel) -> list[Kernel]:
        """The calls up to this one that compute one node together."""
        at = next(i for i, other in enumerate(self.kernels) if other is kernel)
        begin = at
        while begin and self._joins(self.kernels[begin - 1], kernel):
            begin -= 1
        return self.kernels[begin : at + 1]

    def _is_part(self, kernel: Kernel) -> bool:
        """Whether the next call computes the same node further."""
        return self.next < len(self.kernels) and self._joins(kernel, self.kernels[self.next])

    def _joins(self, before: Kernel, after: Kernel) -> bool:
        """Whether a call computes a part of what the one after it computes: the same node, or the real number that an
        operator of the later one quantises."""
        step = self._step(before)
        nodes, later = set(before.node.split(", ")), set(after.node.split(", "))
        return before.node == after.node or (step is not None and step.is_part and bool(nodes & later))

    def _step(self, kernel: Kernel) -> Step | None:
        """The last operator of the model that a kernel computes, None if there is none of such a name."""
        named = [self.steps[name] for name in (kernel.node, *kernel.node.split(", ")) if name in self.steps]
        return max(named, key=lambda step: step.number, default=None)

    def _result_step(self, kernel: Kernel) -> Step | None:
        """The operator whose result a kernel writes: where the last one it names gives a real number, what quantises
        that, as behind a MaxPool of bytes."""
        step = self._step(kernel)
        while step is not None and step.is_part and step.output.ids is None:
            readers = [other for other in self.model.steps if any(step.output is operand for operand in other.operands)]
            step = readers[0] if len(readers) == 1 else None
        return step

    def _assume(self, kernel: Kernel, arguments: list[Value]) -> None:
        """Go on as if the kernel were right, so that a fault is reported once.

        Raises Unprovable where its result's place among the reference's is not known.
        """
        step = self._result_step(kernel)
        pointer = arguments[0] if arguments else None
        order = None if step is None else order_of(step.output, kernel.shape)
        if step is None or order is None or not isinstance(pointer, Pointer):
            msg = f"{kernel.node} is not proved, and its result is not known by element"
            raise Unprovable(msg)
        buffer, tensor = pointer.target, step.output
        assert isinstance(buffer, Buffer)
        assert isinstance(pointer.offset, int)
        ctype = tensor.ctype
        cells = pointer.offset + ctype.size * np.arange(kernel.count)
        if not 0 <= pointer.offset <= len(buffer.numbers) - kernel.count * ctype.size:
            msg = f"{kernel.node} writes beyond {buffer.name}"
            raise Fault(msg)
        self._settle(kernel)
        self.memory.put_atoms(buffer, cells, tensor.atoms.reshape(-1)[order], tensor.plain.reshape(-1)[order], ctype)


def _by_node(model: Model) -> dict[str, Step]:
    """The operators of a model by the names that a tree may call them."""
    steps: dict[str, Step] = {}
    for step in model.steps:
        for name in (step.output.name, *step.output.name.split(";"), step.name):
            steps.setdefault(name, step)
    return steps
