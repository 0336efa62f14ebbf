"""Give every computation a schedule.

    tensor.compute [64, 49 | 16] reads(%x …, %w …) …
->
    tensor.compute [64, 49 | 16] … schedule #tensor.schedule<tile = [32, 7, 1], order = [0, 1, 2], vector = 0 by 16, …>

The choice is the target's heuristic, from shapes and target data; a schedule that is there already stays.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.passes.context import target_of
from s2s.schedules.byte_products import byte_products
from s2s.schedules.default import default
from s2s.schedules.integer_products import integer_products
from s2s.schedules.reference import reference
from s2s.schedules.transforms import Walk, blocks_in_cache, fast_convolutions, in_walk, transform_schedule
from s2s.schedules.vector_products import vector_products
from s2s.targets import Target

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


@contextmanager
def one_block(op: tensor.Computation, walk: Walk) -> Generator[None]:
    """Let `op` be as large as one block of what it walks through, for schedules to fit a block."""
    whole, sizes = op.domain, list(op.sizes)
    for dim, size in walk:
        sizes[dim] = min(size, sizes[dim])
    op.properties["domain"] = tensor.integers(sizes)
    try:
        yield
    finally:
        op.properties["domain"] = whole


def _walks(func: FuncOp, target: Target, threads: int) -> dict[tensor.Computation, Walk]:
    walks: dict[tensor.Computation, Walk] = {}
    for conv in fast_convolutions(list(func.body.block.ops)):
        walks |= blocks_in_cache(conv, target, threads)
    return walks


@dataclass(frozen=True)
class PickSchedulePass(ModulePass):
    name = "tensor-pick-schedule"

    target: str = "c"
    schedule: str = "default"
    """`default`, or `reference` for plain loops."""
    threads: int = 1
    """The threads that will share a kernel: blocks are as many as they can have equal parts of."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        calls = calls_of(op)
        for func in op.ops:
            if not isinstance(func, FuncOp) or func.is_declaration:
                continue
            constants = constant_arguments(func, calls)
            walks = {} if self.schedule == "reference" else _walks(func, target, self.threads)
            for compute in func.body.block.ops:
                if isinstance(compute, tensor.Computation) and compute.schedule is None:
                    walk = walks.get(compute, ())
                    with one_block(compute, walk):
                        schedule = self._choose(compute, target, constants, 1 if walk else self.threads)
                    compute.properties["schedule"] = in_walk(compute, schedule, walk)

    def _choose(
        self, op: tensor.Computation, target: Target, constants: frozenset[SSAValue], threads: int
    ) -> tensor.ScheduleAttr:
        if isinstance(op, tensor.TransformOp):
            return transform_schedule(op, target, threads)
        return reference(op) if self.schedule == "reference" else choose(op, target, constants)[1]
