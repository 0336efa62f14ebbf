"""The tasks of a network: one for each distinct kernel, with everything that measuring it alone needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.functions import main_of
from s2s.compilation import Compilation
from s2s.decisions.decision import Table
from s2s.decisions.given import Given
from s2s.decisions.keys import computation_key, nodes_of_kernel, task_key
from s2s.decisions.schedule import ScheduledComputation, ScheduleKind
from s2s.dialects import graph, tensor
from s2s.errors import CompilerBug, UnsupportedError
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.stages.state import State
from s2s.targets import Target, get_target
from s2s.tuning.isolate import isolated
from s2s.tuning.packed import Packed, packed, unpacked
from s2s.types.sizes import varying

BEFORE = "compute"
"""The stage after which kernels are taken: the next one decides their schedules."""


@dataclass(frozen=True, eq=False)
class Task:
    """A kernel to be tuned."""

    key: str
    """Its task key."""
    name: str
    """The name of the kernel in the module."""
    nodes: str
    """The nodes of the model that it computes."""
    calls: int
    """How often one run of the network calls it."""
    state: State
    """The kernel as a network of its own."""
    options: CompileOptions
    """Those of the whole network, without names and decisions."""

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.key, self.name, self.nodes, self.calls
        return _task_of, (fields, packed(self.state), self.options)

    @property
    def target(self) -> Target:
        """What the kernel is compiled for."""
        return get_target(self.options.target)

    @property
    def compilation(self) -> Compilation:
        """The compilation of the kernel with the compiler's own decisions; candidates resume it."""
        return self._compilation

    @cached_property
    def _compilation(self) -> Compilation:
        return Compilation.of_state(self.state, self.options)

    def with_decisions(self, decisions: Table) -> Compilation:
        """Return the compilation of the kernel with other decisions."""
        return self.compilation.resume(replace(self.options, decisions=decisions))

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
    def kind(self) -> ScheduleKind:
        """What says which schedules are legal."""
        return ScheduleKind(CompilerContext(self.state.weights, [self.target], Given()))

    def concerns(self, layer: str) -> bool:
        """Whether `layer` names the task, its kernel, or one of its nodes."""
        return layer in (self.key, self.name, *self.nodes.split(", "))


def _task_of(fields: tuple[str, str, str, int], state: Packed, options: CompileOptions) -> Task:
    return Task(*fields, unpacked(state), options)


def tasks_of(compilation: Compilation) -> list[Task]:
    """Return the tasks of a network: kernels with equal keys are one task, in the order of their first calls."""
    if varying(compilation.options.dims):
        raise UnsupportedError("--dim: kernels are measured at constant sizes; give each dimension one")
    options = replace(compilation.options, name=None, decisions={}, explain=False)
    target = get_target(options.target)
    state = compilation.at(BEFORE)
    calls = calls_of(state.module)
    kernels = {func.sym_name.data: func for func in _kernels(state.module)}
    found: dict[str, Task] = {}
    for name in _in_order(state.module):
        func = kernels[name]
        if not any(isinstance(op, tensor.ComputeOp) for op in func.body.block.ops):
            continue
        key, count, nodes = task_key(func, calls, target), len(calls[name]), nodes_of_kernel(func, calls)
        if key in found:
            before = found[key]
            found[key] = replace(before, calls=before.calls + count, nodes=f"{before.nodes}, {nodes}")
            continue
        found[key] = Task(key, name, nodes, count, isolated(state, func, calls), options)
    return [_checked(task) for task in found.values()]


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
