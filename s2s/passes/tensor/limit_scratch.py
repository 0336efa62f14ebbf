"""Move `cache_read` to inner loops until the scratch of each operand fits a memory budget.

    … schedule #tensor.schedule<[tile<2 by 2>, cache_read<0 at 0 as i16>]>
->
    … schedule #tensor.schedule<[tile<2 by 2>, cache_read<0 at 1 as i16>]>

A window that is copied one loop further inside is smaller, but overlaps with the next one, so some elements are
copied twice. The limit is a decision (`s2s/decisions/scratch.py`); `elements` is what a budget of RAM asks for, -1 for
no limit. Declined where the scratch is within the limit, and where the copy is inside all loops but those
of the tile.
"""

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.decisions.chooser import Chooser
from s2s.decisions.scratch import UNLIMITED, ScratchKind, ScratchOfNetwork
from s2s.dialects import tensor
from s2s.passes.context import given_of, target_of
from s2s.schedules.directives.cache_read import CacheRead, moved_copy
from s2s.support.frozen import frozen


@frozen
class LimitScratchPass(ModulePass):
    name = "tensor-limit-scratch"

    target: str = "c"
    elements: int = UNLIMITED
    """Maximum number of scratch elements of one cached operand."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            limit = chooser.choose(ScratchKind(), ScratchOfNetwork(op, self.elements))
        if limit == UNLIMITED:
            return
        for func in op.ops:
            if isinstance(func, FuncOp) and not func.is_declaration:
                for compute in func.body.block.ops:
                    if isinstance(compute, tensor.ComputeOp):
                        _limit(compute, limit)


def _limit(op: tensor.ComputeOp, elements: int) -> None:
    """Move the copy one loop inside while its window is too large and loops remain."""
    plan = CopyPlan.of(op)
    while plan is not None and plan.scratch.get_shape()[0] > elements:
        deeper = replace(plan, depth=plan.depth + 1)
        if plan.is_rows or deeper.is_rows or any(plan.tiles[dim] > 1 for dim in deeper.outer):
            break
        plan = deeper
    if plan is not None and op.schedule is not None and plan.depth:
        copy = CacheRead.of(plan.read, plan.outer[-1], widened=plan.widened)
        op.properties["schedule"] = moved_copy(op.schedule, copy)
