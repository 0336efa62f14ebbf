"""Choose a schedule for every computation.

    tensor.compute [64, 49 | 16] reads(%x …, %w …) …
->
    tensor.compute [64, 49 | 16] … schedule #tensor.schedule<[tile<0 by 32, 1 by 7>, vectorize<0 by 16>, …]>

The chooser decides (`s2s/decisions/schedule.py`): a schedule that the user or a record gives, else the one that
heuristics choose from shapes and target data. A schedule of nothing but `tile_and_fuse` states tiles that neighbouring
computations share: its other directives are chosen for one tile. Any other schedule stays as it is.
"""

from collections.abc import Mapping
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.network.constants import calls_of, constant_arguments
from s2s.analysis.structure.block_sums import all_block_sums
from s2s.decisions.chooser import Chooser
from s2s.decisions.keys import computation_key, nodes_of_kernel, task_key
from s2s.decisions.schedule import ScheduledComputation, ScheduleKind
from s2s.decisions.winograd_blocks import WinogradBlocksKind, WinogradKernel
from s2s.dialects import graph, tensor
from s2s.passes.context import given_of, target_of
from s2s.schedules.block_products import fused_rows
from s2s.schedules.transforms import FusedTiles, fast_convolutions, fused_blocks
from s2s.support.frozen import frozen
from s2s.targets import Target


@frozen
class PickSchedulePass(ModulePass):
    name = "tensor-pick-schedule"

    target: str = "c"
    schedule: str = "default"
    """`default`, or `reference` for plain loops."""
    threads: int = 1
    """Number of threads that will share a kernel; the number of blocks is chosen so that they get equal shares."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        calls, kind = calls_of(op), ScheduleKind(ctx)
        with Chooser(given_of(ctx), target) as chooser:
            for func in op.ops:
                if isinstance(func, FuncOp) and not func.is_declaration:
                    for subject in self._subjects(func, calls, chooser):
                        chooser.choose(kind, subject)

    def _subjects(
        self, func: FuncOp, calls: Mapping[str, list[graph.CallOp]], chooser: Chooser
    ) -> list[ScheduledComputation]:
        """Return the schedule decisions of a kernel: its computations with their candidates."""
        computations = [each for each in func.body.block.ops if isinstance(each, tensor.Computation)]
        if not computations:
            return []
        plain = self.schedule == "reference"
        key, constants = task_key(func, calls, chooser.target), constant_arguments(func, calls)
        nodes = nodes_of_kernel(func, calls)
        fused: dict[tensor.Computation, FusedTiles] = {}
        for conv in [] if plain else fast_convolutions(list(func.body.block.ops)):
            number = computations.index(conv.products)
            name = computation_key(key, number, len(computations))
            subject = WinogradKernel(conv, func, name, nodes, self.threads)
            fused |= fused_blocks(conv, chooser.choose(WinogradBlocksKind(), subject))
        for sums in [] if plain else all_block_sums(list(func.body.block.ops)):
            fused |= fused_rows(sums, chooser.target)
        return [
            ScheduledComputation(
                each,
                func,
                computation_key(key, number, len(computations)),
                number,
                nodes,
                constants,
                _tiles_of(each, fused),
                self.threads,
                plain or _sums_varying_integers(each),
                partial(_reason_against, func, each, constants, chooser.target, fused),
            )
            for number, each in enumerate(computations)
        ]


def _reason_against(
    kernel: FuncOp,
    op: tensor.Computation,
    constants: frozenset[SSAValue],
    target: Target,
    fused: Mapping[tensor.Computation, FusedTiles],
    choice: tensor.ScheduleAttr,
) -> str | None:
    """Return why the kernel around a computation does not allow a schedule: few compilations ask, and import."""
    from s2s.schedules.verify import reason_against

    return reason_against(kernel, op, constants, target, fused, choice)


def _sums_varying_integers(op: tensor.Computation) -> bool:
    """Return whether a reduction of integers has a size that varies: intrinsics take groups of a constant size."""
    if not isinstance(op, tensor.ComputeOp) or not any(op.sizes_at_run_time[op.rank :]):
        return False
    return not any(isinstance(tensor.element_type(value), AnyFloat) for value in op.reads)


def _tiles_of(op: tensor.Computation, fused: Mapping[tensor.Computation, FusedTiles]) -> FusedTiles:
    """Return the tiles that `op` shares with its neighbours, stated by an earlier pass or in `fused`."""
    if op.schedule is None:
        return fused.get(op, ())
    return op.schedule.on(op).fused if op.schedule.states_tiles else ()
