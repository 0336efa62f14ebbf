"""`s2s inspect --why-layout`: which layout each tensor has, how each kernel runs, and what decided it.

The reasons come from the code that decides: this module runs the pipeline up to it and asks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.network.functions import main_of
from s2s.analysis.structure.compute import dim_names, shape_of
from s2s.dialects import graph, tensor
from s2s.frontends.model import Source, read
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.passes.manager import PassManager
from s2s.passes.tensor.block_channels import BlockChannelsPass
from s2s.passes.tensor.channel_layouts import LayoutDecision, TensorLayout, nodes_of
from s2s.passes.tensor.describe_kernels import describe_schedule
from s2s.passes.tensor.pick_schedule import PickSchedulePass, choose
from s2s.pipeline import LEVELS, pipeline
from s2s.schedules.default import Choice, Declined, candidates
from s2s.targets import Target, get_target

NO_VECTORS = "the target has no vectors"
BEFORE = "an earlier pass"
"""What decides where a computation has its schedule before schedules are picked."""


@dataclass(frozen=True)
class ScheduleReason:
    """How one computation runs, and why."""

    kernel: str
    nodes: str
    """What its kernel computes in the model; `and 3 more` where equal layers share it."""
    schedule: str
    decided_by: str
    candidates: tuple[str, ...]
    """What was compared, with its cost for a result, and what was out of the question."""


@dataclass(frozen=True)
class Reasons:
    """The layouts and schedules of a network on a target."""

    target: str
    tensors: tuple[TensorLayout, ...]
    kernels: tuple[ScheduleReason, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def explain(model: Source, options: CompileOptions) -> Reasons:
    """Compile `model` up to its schedules, and tell what was decided."""
    target = get_target(options.target)
    found = read(model, options.shapes, options.name, options.tflite_rounding)
    levels = pipeline(options, found.name)
    passes = [each for level in LEVELS[:2] for each in levels[level]]
    manager = PassManager(CompilerContext(found.weights, [target]), passes)
    tensors, given = list(_inputs(found.module)), set[tensor.ComputeOp]()
    for each in passes:
        if each.name == BlockChannelsPass.name:
            tensors += _layouts(found.module, target)
        if each.name == PickSchedulePass.name:
            given = {op for _, op in _computes(found.module) if op.schedule is not None}
        manager.run(found.module, [each])
        if each.name == PickSchedulePass.name:
            break
    return Reasons(target.name, tuple(tensors), tuple(_schedules(found.module, target, given)))


def _inputs(module: ModuleOp) -> Iterator[TensorLayout]:
    reason = "input of the network, whose layout is the caller's"
    for number, argument in enumerate(main_of(module).args):
        yield TensorLayout(argument.name_hint or f"input {number}", "", shape_of(argument), 0, (reason,))


def _layouts(module: ModuleOp, target: Target) -> list[TensorLayout]:
    if target.lanes > 1:
        return LayoutDecision(module, target).layouts()
    calls = [op for op in module.walk() if isinstance(op, graph.CallOp)]
    return [
        TensorLayout(value.name_hint or "", nodes_of(value), shape_of(value), 0, (NO_VECTORS,))
        for call in calls
        for value in call.results
    ]


def _computes(module: ModuleOp) -> Iterator[tuple[FuncOp, tensor.ComputeOp]]:
    for func in module.ops:
        if isinstance(func, FuncOp):
            yield from ((func, op) for op in func.walk() if isinstance(op, tensor.ComputeOp))


def _schedules(module: ModuleOp, target: Target, given: set[tensor.ComputeOp]) -> Iterator[ScheduleReason]:
    calls = calls_of(module)
    for func, op in _computes(module):
        name, constants = func.sym_name.data, constant_arguments(func, calls)
        by = BEFORE if op in given else choose(op, target, constants)[0]
        compared = [_told(op, each) for each in candidates(op, target, constants)] if op not in given else []
        yield ScheduleReason(name, _nodes(calls, name), describe_schedule(op) or "plain loops", by, tuple(compared))


def _nodes(calls: Mapping[str, list[graph.CallOp]], kernel: str) -> str:
    every = [nodes_of(call.results[0]) for call in calls.get(kernel, ()) if call.results]
    more = f" and {len(every) - 1} more" if len(every) > 1 else ""
    return f"{every[0]}{more}" if every else ""


def _told(op: tensor.ComputeOp, candidate: Choice | Declined) -> str:
    """A candidate in words."""
    dims = dim_names(op)
    if isinstance(candidate, Declined):
        where = "vectors" if candidate.dim is None else f"vectors along {dims[candidate.dim]}"
        return f"no {where}: {candidate.reason}"
    how = "scalars" if candidate.lanes == 1 else f"{candidate.lanes} lanes along {dims[candidate.dim]}"
    packed = ", constants packed for it" if candidate.lanes > 1 and candidate.panels else ""
    return f"{how}: {candidate.cost:.4g}{packed}"
