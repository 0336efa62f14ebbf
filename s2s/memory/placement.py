"""Place blocks in the arena one after the other; the order determines the quality of the plan."""

from collections.abc import Sequence
from enum import Enum

from s2s.memory.blocks import Layout
from s2s.memory.buffers import align_up


class Fit(Enum):
    """Which gap a block takes: the lowest one, or the tightest one between placed blocks."""

    FIRST = "first"
    BEST = "best"


def place(layout: Layout, order: Sequence[int], fit: Fit = Fit.FIRST) -> list[int]:
    """Return the offset of each block when the blocks are placed in this order."""
    offsets = [-1] * len(layout.blocks)
    for index in order:
        offsets[index] = _place_one(layout, index, offsets, fit)
    return offsets


def _place_one(layout: Layout, index: int, offsets: Sequence[int], fit: Fit) -> int:
    """Return the lowest or tightest offset of one block among the placed blocks that live at the same time."""
    align = layout.blocks[index].align
    forbidden = sorted(
        (offsets[c.other] - c.own + 1, offsets[c.other] + c.height)
        for c in layout.conflicts[index]
        if offsets[c.other] >= 0
    )
    candidate, best, best_gap = 0, -1, 0
    for low, high in forbidden:
        if candidate < low:
            gap = low - candidate
            if fit is Fit.FIRST:
                return candidate
            if best < 0 or gap < best_gap:
                best, best_gap = candidate, gap
        candidate = max(candidate, align_up(high, align))
    return candidate if best < 0 else best
