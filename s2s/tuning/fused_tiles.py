"""The tiles in which a computation runs together with its neighbours, for each fused loop that its kernel may have.

A schedule fits only the tiles that its kernel has. Those of a Winograd convolution follow a decision, `winograd
blocks`: with 2 tile rows of 8 tiles, products are computed for 16 tiles at a time. All others are those of the
compiler's own schedule.
"""

from collections.abc import Sequence
from dataclasses import replace

from s2s.decisions.schedule import ScheduledComputation
from s2s.decisions.winograd_blocks import WinogradBlocksKind, WinogradKernel
from s2s.schedules.transforms import FusedTiles, fast_convolutions, fused_blocks
from s2s.tuning.open_decision import OpenDecision
from s2s.tuning.task import Task


def blocks_of(task: Task, others: Sequence[OpenDecision]) -> OpenDecision | None:
    """Return the decision about the tiles of the largest computation; None where that leaves no choice."""
    found = (each for each in others if (each.kind, each.subject) == (WinogradBlocksKind.name, task.largest.key))
    return next(found, None)


def fused_subjects(task: Task, blocks: OpenDecision | None) -> tuple[ScheduledComputation, ...]:
    """Return the largest computation with the tiles of each choice of `blocks`; without it, with its own."""
    tiles = [_of_default(task)] if blocks is None else [_of_loop(task, each) for each in blocks.choices]
    return tuple(replace(task.largest, fused=fused) for fused in tiles)


def widest(subjects: Sequence[ScheduledComputation]) -> FusedTiles:
    """Return the dimensions that have tiles in all of `subjects`, each with the size of its largest tile."""
    sizes = [{tile.dim: tile.size for tile in subject.fused} for subject in subjects]
    return tuple(
        tile._replace(size=max(of_loop[tile.dim] for of_loop in sizes))
        for tile in subjects[0].fused
        if all(tile.dim in of_loop for of_loop in sizes)
    )


def _of_default(task: Task) -> FusedTiles:
    """The tiles of the compiler's own schedule."""
    if not task.default:
        return ()
    return task.kind.parse(task.largest, task.default).on(task.largest.op).fused


def _of_loop(task: Task, choice: str) -> FusedTiles:
    """The tiles of the products in one fused loop of a Winograd convolution."""
    products = task.largest.op
    conv = next(each for each in fast_convolutions(list(task.kernel.body.block.ops)) if each.products is products)
    subject = WinogradKernel(conv, task.kernel, task.largest.key, task.nodes, task.options.threads)
    loop = WinogradBlocksKind().parse(subject, choice)
    return fused_blocks(conv, loop).get(products, ())
