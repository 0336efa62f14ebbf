"""Give every computation a schedule.

    tensor.compute [64, 49 | 16] reads(%x …, %w …) …
->
    tensor.compute [64, 49 | 16] … schedule #tensor.schedule<tile = [32, 7, 1], order = [0, 1, 2], vector = 0 by 16, …>

The choice is the target's heuristic, from shapes and target data; a schedule that is there already stays.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.constants import calls_of, constant_arguments
from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.schedules.byte_products import byte_products
from s2s.schedules.default import default
from s2s.schedules.integer_products import integer_products
from s2s.schedules.reference import reference
from s2s.schedules.vector_products import vector_products
from s2s.targets import Target, get_target

HEURISTICS = {
    "sums of bytes in vectors": vector_products,
    "sums of bytes in scalars": integer_products,
    "groups of bytes in vectors": byte_products,
    "the cheapest dimension": default,
}
"""Asked in this order; the first that is made for a computation decides, and the last one always is."""


def choose(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tuple[str, tensor.ScheduleAttr]:
    """The heuristic that decides, and the schedule of `op`."""
    for name, heuristic in HEURISTICS.items():
        if (schedule := heuristic(op, target, constants)) is not None:
            return name, schedule
    raise CompilerBug("no heuristic has a schedule for a computation")


@dataclass(frozen=True)
class PickSchedulePass(ModulePass):
    name = "tensor-pick-schedule"

    target: str = "c"
    schedule: str = "default"
    """`default`, or `reference` for plain loops."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(self.target)
        calls = calls_of(op)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            constants = constant_arguments(func, calls)
            for compute in func.body.block.ops:
                if isinstance(compute, tensor.ComputeOp) and compute.schedule is None:
                    compute.properties["schedule"] = self._choose(compute, target, constants)

    def _choose(self, op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr:
        return reference(op) if self.schedule == "reference" else choose(op, target, constants)[1]
