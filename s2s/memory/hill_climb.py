"""Improve a placement order by moving the blocks at the top of the arena.

Only a block that reaches the current size, or one that pushed it up there, can reduce the size by moving: each round
takes one of them and swaps it with a block below it, or moves it to the front. A move is kept unless it makes the plan
larger by more than a tolerance, which decreases to zero over the rounds (threshold accepting, Dueck and Scheuer 1990).
The random choices come from a fixed seed, so the plan is the same every time.
"""

import random
from collections.abc import Sequence

from s2s.memory.blocks import Layout, total_size
from s2s.memory.placement import place

SEED = 20
TOLERANCE = 0.02
"""Relative growth of the arena that is accepted in the first round."""


def climb(layout: Layout, start: Sequence[int], rounds: int) -> list[int]:
    """Return offsets after at most `rounds` placements; stop when the size reaches the bound."""
    rng = random.Random(SEED)
    order = list(start)
    offsets = place(layout, order)
    size = total_size(layout, offsets)
    best, best_size = offsets, size
    for number in range(rounds):
        if best_size <= layout.bound:
            break
        candidate = _neighbour(layout, order, offsets, size, rng)
        candidate_offsets = place(layout, candidate)
        candidate_size = total_size(layout, candidate_offsets)
        if candidate_size <= size + TOLERANCE * layout.bound * (1 - number / rounds):
            order, offsets, size = candidate, candidate_offsets, candidate_size
            if size < best_size:
                best, best_size = offsets, size
    return best


def _neighbour(layout: Layout, order: list[int], offsets: list[int], size: int, rng: random.Random) -> list[int]:
    """Return the order with one of the blocks that cause the current size placed earlier."""
    tops = [i for i, block in enumerate(layout.blocks) if offsets[i] + block.size == size]
    culprit = rng.choice(tops)
    below = [c.other for c in layout.conflicts[culprit] if offsets[c.other] < offsets[culprit]]
    if below and rng.random() < 0.5:
        culprit = rng.choice(below)
        below = [c.other for c in layout.conflicts[culprit]]
    position = {block: at for at, block in enumerate(order)}
    earlier = [other for other in below if position[other] < position[culprit]]
    candidate = list(order)
    if earlier and rng.random() < 0.7:
        other = rng.choice(earlier)
        candidate[position[other]], candidate[position[culprit]] = culprit, other
    else:
        candidate.remove(culprit)
        candidate.insert(rng.randrange(position[culprit] + 1), culprit)
    return candidate
