"""Search for the smallest placement of blocks within bounded effort.

Greedy orders come first, and stop as soon as one reaches the lower bound, which most networks allow. Else an exact
search and hill climbing follow. In a large network these consider only a window of blocks around the highest block,
which are then placed before all others. Budgets count elementary steps instead of seconds, so that the plan does not
depend on the machine.
"""

from collections import deque
from collections.abc import Sequence

from s2s.memory.blocks import Layout, layout_of, total_size
from s2s.memory.exact import search_exact
from s2s.memory.greedy import greedy_orders
from s2s.memory.hill_climb import climb
from s2s.memory.placement import Fit, place

WINDOW = 80
"""The number of blocks in one window of a large network."""
LARGE = 250
"""A network with at least this many blocks is large."""
MAX_WINDOWS = 8
EXACT_NODES = 500
EXACT_GOALS = (1.0, 1.02)
"""Multiples of the bound that the exact search tries to beat, in this order."""
CLIMB_WORK = 500_000
MAX_ROUNDS = 1_000
CLOSE = 1.001
"""A plan within this factor of the bound is not improved further."""


def best_offsets(layout: Layout) -> list[int]:
    """Return the offsets of all blocks."""
    order, offsets = _greedy(layout)
    if len(layout.blocks) >= LARGE:
        order, offsets = _search_windows(layout, order, offsets)
    return offsets if _is_close(layout, offsets) else _search(layout, order, offsets)


def _is_close(layout: Layout, offsets: Sequence[int]) -> bool:
    return total_size(layout, offsets) <= CLOSE * layout.bound


def _greedy(layout: Layout) -> tuple[list[int], list[int]]:
    """Return the best greedy order and its offsets."""
    best: tuple[list[int], list[int]] | None = None
    for order in greedy_orders(layout):
        for fit in Fit:
            offsets = place(layout, order, fit)
            if best is None or total_size(layout, offsets) < total_size(layout, best[1]):
                best = (order, offsets)
            if total_size(layout, best[1]) <= layout.bound:
                return best
    assert best is not None
    return best


def _search(layout: Layout, order: Sequence[int], offsets: list[int]) -> list[int]:
    """Search exactly for an almost perfect plan, then improve the given one by hill climbing."""
    size = total_size(layout, offsets)
    for goal in EXACT_GOALS:
        found = search_exact(layout, min(size, int(layout.bound * goal) + 1), EXACT_NODES)
        if found is not None:
            return found
    climbed = climb(layout, order, min(MAX_ROUNDS, CLIMB_WORK // layout.work))
    return min(offsets, climbed, key=lambda each: total_size(layout, each))


def _search_windows(layout: Layout, order: list[int], offsets: list[int]) -> tuple[list[int], list[int]]:
    """Repeatedly search the window around the highest block and place its blocks first; return the best order found."""
    best, current, first = (order, offsets), offsets, list[int]()
    for _ in range(MAX_WINDOWS):
        if _is_close(layout, best[1]):
            break
        window = _surroundings(layout, current)
        part = layout_of([layout.blocks[index] for index in window])
        part_order, part_offsets = _greedy(part)
        if not _is_close(part, part_offsets):
            part_offsets = _search(part, part_order, part_offsets)
        if total_size(part, part_offsets) >= total_size(layout, best[1]):
            break
        height = dict(zip(window, part_offsets, strict=True))
        first = [*sorted(window, key=lambda index: height[index]), *(i for i in first if i not in height)]
        placed = set(first)
        tried = [*first, *(i for i in order if i not in placed)]
        current = place(layout, tried)
        best = min(best, (tried, current), key=lambda plan: total_size(layout, plan[1]))
    return best


def _surroundings(layout: Layout, offsets: Sequence[int]) -> list[int]:
    """Return the highest block, the blocks that live with it, the blocks that live with one of them, and so on up to
    the window size."""
    top = max(range(len(offsets)), key=lambda i: (offsets[i] + layout.blocks[i].size, -i))
    found, pending = {top}, deque([top])
    while pending and len(found) < WINDOW:
        near = [c.other for c in layout.conflicts[pending.popleft()] if c.other not in found][: WINDOW - len(found)]
        found.update(near)
        pending.extend(near)
    return sorted(found)
