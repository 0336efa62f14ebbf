"""The tiles in which a computation runs together with its neighbours, for each fused loop that its kernel may have.

A schedule fits only the tiles that its kernel has. Those of a Winograd convolution follow a decision, `winograd
blocks`: with 2 tile rows of 8 tiles, products are computed for 16 tiles at a time. All others are those of the
compiler's own schedule.
"""

from collections.abc import Sequence
from dataclasses import replace

from s2s.decisions.schedule import ScheduledComputation
from s2s.decisions.winograd_blocks import WinogradBlocksKind, WinogradKernel
from s2s.dialects import tensor
from s2s.dialects.tensor import FusedTile
from s2s.schedules.directives import TileAndFuse
from s2s.schedules.directives.tile_and_fuse import in_tiles, overlaps
from s2s.schedules.transforms import fast_convolutions, fused_blocks
from s2s.support.frozen import frozen
from s2s.tuning.open_decision import OpenDecision
from s2s.tuning.task import Task


@frozen
class FusedSubject:
    """The largest computation of a task, and the tiles that it shares with its neighbours."""

    subject: ScheduledComputation
    tiles: tuple[FusedTile, ...]

    def fitted(self, schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr:
        """Return a schedule of the subject's heuristics over the tiles; heuristics know none that overlap."""
        if not any(overlaps(tile) for tile in self.tiles):
            return schedule
        return in_tiles(schedule.without(TileAndFuse), self.tiles)


def blocks_of(task: Task, others: Sequence[OpenDecision]) -> OpenDecision | None:
    """Return the decision about the tiles of the largest computation; None where that leaves no choice."""
    found = (each for each in others if (each.kind, each.subject) == (WinogradBlocksKind.name, task.largest.key))
    return next(found, None)


def fused_subjects(task: Task, blocks: OpenDecision | None) -> tuple[FusedSubject, ...]:
    """Return the largest computation with the tiles of each choice of `blocks`; without it, with its own."""
    chosen = [_of_default(task)] if blocks is None else [_of_loop(task, each) for each in blocks.choices]
    sizes = [tuple((tile.dim, tile.size) for tile in tiles) for tiles in chosen]
    return tuple(
        FusedSubject(replace(task.largest, fused=each), tiles) for each, tiles in zip(sizes, chosen, strict=True)
    )


def widest(subjects: Sequence[FusedSubject]) -> tuple[tuple[int, int], ...]:
    """Return the dimensions that have tiles in all of `subjects`, each with the size of its largest tile."""
    sizes = [dict(each.subject.fused) for each in subjects]
    common = [dim for dim in sizes[0] if all(dim in each for each in sizes)]
    return tuple((dim, max(each[dim] for each in sizes)) for dim in common)


def _of_default(task: Task) -> tuple[FusedTile, ...]:
    """The tiles of the compiler's own schedule."""
    if not task.default:
        return ()
    return task.kind.parse(task.largest, task.default).on(task.largest.op).fused


def _of_loop(task: Task, choice: str) -> tuple[FusedTile, ...]:
    """The tiles of the products in one fused loop of a Winograd convolution."""
    products = task.largest.op
    conv = next(each for each in fast_convolutions(list(task.kernel.body.block.ops)) if each.products is products)
    subject = WinogradKernel(conv, task.kernel, task.largest.key, task.nodes, task.options.threads)
    loop = WinogradBlocksKind().parse(subject, choice)
    return tuple(FusedTile(dim, size) for dim, size in fused_blocks(conv, loop).get(products, ()))
