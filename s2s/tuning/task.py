"""The tasks of a network: one for each distinct kernel, with everything that measuring it alone needs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.functions import main_of
from s2s.compilation import Compilation
from s2s.decisions.given import Given
from s2s.decisions.keys import LOWERING, computation_key, nodes_of_kernel, task_key
from s2s.decisions.schedule import ScheduledComputation, ScheduleKind
from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug, UnsupportedError
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.stages.memory import Planned
from s2s.stages.state import State
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tuning.isolate import isolated
from s2s.tuning.resumable import Resumable
from s2s.types.sizes import varying

BEFORE = "compute"
"""The stage after which kernels are taken: the next one decides their schedules."""


class Task(Resumable):
    """A kernel to be tuned, as a network of its own. Its options are those of the whole network, without names and
    decisions."""

    @cached_property
    def kernel(self) -> FuncOp:
        """The kernel, before it has schedules."""
        return next(op for op in _kernels(self.state.module))

    @cached_property
    def subjects(self) -> tuple[ScheduledComputation, ...]:
        """The computations whose schedules are to be decided."""
        calls = calls_of(self.state.module)
        ops = [op for op in self.kernel.body.block.ops if isinstance(op, tensor.Computation)]
        constants = constant_arguments(self.kernel, calls)
        return tuple(
            ScheduledComputation(
                op, self.kernel, computation_key(self.key, number, len(ops)), number, self.nodes, constants
            )
            for number, op in enumerate(ops)
        )

    @cached_property
    def largest(self) -> ScheduledComputation:
        """The computation with the most steps, whose schedule is searched."""
        return max(self.subjects, key=lambda each: prod(each.op.sizes))

    @cached_property
    def default(self) -> str:
        """The schedule that the compiler itself chooses for the largest computation; empty where none is chosen."""
        for each in self.compilation.facts(Planned).decisions:
            if each.kind == "schedule" and each.subject == self.largest.key:
                return each.chosen
        return ""

    @cached_property
    def kind(self) -> ScheduleKind:
        """What says which schedules are legal."""
        return ScheduleKind(CompilerContext(self.state.weights, [self.target], Given()))

    def key_in(self, lowering: int) -> str:
        """Return the task key in another version of the lowering."""
        return task_key(self.kernel, calls_of(self.state.module), self.target, lowering)

    def concerns(self, layer: str) -> bool:
        """Whether `layer` names the task, its kernel, or one of its nodes."""
        return layer in (self.key, self.name, *self.nodes.split(", "))


@frozen(eq=False)
class FoundKernel:
    """A distinct kernel of a network, and what its task is made of."""

    key: str
    name: str
    nodes: str
    calls: int
    state: State
    """The whole network."""
    options: CompileOptions

    @property
    def target(self) -> Target:
        """What it is compiled for."""
        return self.options.target

    def key_in(self, lowering: int) -> str:
        """Return the task key in another version of the lowering."""
        if lowering == LOWERING:
            return self.key
        module = self.state.module
        func = next(each for each in _kernels(module) if each.sym_name.data == self.name)
        return task_key(func, calls_of(module), self.target, lowering)

    @cached_property
    def task(self) -> Task:
        """The kernel as a task: made when it is first asked for, as its right outputs are computed then."""
        module = self.state.module
        func = next(each for each in _kernels(module) if each.sym_name.data == self.name)
        alone = isolated(self.state, func, calls_of(module))
        return _checked(Task(self.key, self.name, self.nodes, self.calls, alone, self.options))


def tasks_of(compilation: Compilation) -> list[Task]:
    """Return the tasks of a network: kernels with equal keys are one task, in the order of their first calls."""
    return [each.task for each in kernels_of(compilation)]


def kernels_of(compilation: Compilation) -> list[FoundKernel]:
    """Return the distinct kernels of a network that can be measured, in the order of their first calls."""
    if varying(compilation.options.dims):
        raise UnsupportedError("--dim: kernels are measured at constant sizes; give each dimension one")
    options = replace(compilation.options, name=None, decisions={}, explain=False)
    target = options.target
    state = compilation.at(BEFORE)
    calls = calls_of(state.module)
    kernels = {func.sym_name.data: func for func in _kernels(state.module)}
    found: dict[str, FoundKernel] = {}
    for name in _in_order(state.module):
        func = kernels[name]
        if not any(isinstance(op, tensor.ComputeOp) for op in func.body.block.ops):
            continue
        key, count, nodes = task_key(func, calls, target), len(calls[name]), nodes_of_kernel(func, calls)
        if key in found:
            before = found[key]
            found[key] = replace(before, calls=before.calls + count, nodes=f"{before.nodes}, {nodes}")
            continue
        found[key] = FoundKernel(key, name, nodes, count, state, options)
    return list(found.values())


def keys_of_calls(kernel: FoundKernel) -> list[str]:
    """Return the task keys of all calls of kernels in the network of `kernel`, in program order."""
    module, target = kernel.state.module, kernel.target
    calls = calls_of(module)
    keys = {func.sym_name.data: task_key(func, calls, target) for func in _kernels(module)}
    names = (op.callee.root_reference.data for op in module.walk() if isinstance(op, graph.CallOp))
    return [keys.get(name, name) for name in names]


def _kernels(module: ModuleOp) -> Sequence[FuncOp]:
    return [op for op in module.ops if isinstance(op, FuncOp) and op is not main_of(module) and not op.is_declaration]


def _in_order(module: ModuleOp) -> Sequence[str]:
    """The kernels that main and its loops call, each once, in program order."""
    calls = (op for op in module.walk() if isinstance(op, graph.CallOp))
    known = {func.sym_name.data for func in _kernels(module)}
    return [name for name in dict.fromkeys(call.callee.root_reference.data for call in calls) if name in known]


def _checked(task: Task) -> Task:
    found = task_key(task.kernel, calls_of(task.state.module), task.target)
    if found != task.key:
        raise CompilerBug(f"{task.name}: the task key alone is {found}, in its network {task.key}")
    return task
