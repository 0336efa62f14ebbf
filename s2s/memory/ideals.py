"""Find the execution order of a part with the smallest peak, as a shortest path over sets of executed steps.

States of smaller peak are expanded first, and among equals those with more executed steps, so that a part without a
better order is recognised quickly. A step that does not raise the peak and frees at least what it keeps is always
executed at once: a delay could only keep more bytes live.
"""

import heapq
from typing import NamedTuple

from s2s.memory.parts import OrderedPart


class Found(NamedTuple):
    """The result of a search: the best order (None if none beats the given peak), and whether the search was
    complete."""

    order: list[int] | None
    complete: bool


def best_order(part: OrderedPart, peak_to_beat: int, max_states: int) -> Found:
    """Return the order of smallest peak below `peak_to_beat`, after at most `max_states` states."""
    everything = (1 << len(part.steps)) - 1
    best = {0: part.live}
    came_from: dict[int, tuple[int, int]] = {}
    queue: list[tuple[int, int, int, int]] = [(part.live, 0, 0, part.live)]
    while queue:
        peak, _, state, live = heapq.heappop(queue)
        if state == everything:
            return Found(_trace(came_from, state), True)
        if peak > best[state]:
            continue
        if len(best) > max_states:
            return Found(None, False)
        for index, during, after in _moves(part, state, live, peak):
            following, reached = state | 1 << index, max(peak, during)
            if reached < best.get(following, peak_to_beat):
                best[following] = reached
                came_from[following] = (state, index)
                heapq.heappush(queue, (reached, -following.bit_count(), following, after))
    return Found(None, True)


def _moves(part: OrderedPart, state: int, live: int, peak: int) -> list[tuple[int, int, int]]:
    """Return the next steps to try, with the live bytes during and after each; only one if it is certainly optimal."""
    moves: list[tuple[int, int, int]] = []
    for index in part.ready(state):
        during, after = part.cost(state, live, index)
        if during <= peak and after <= live:
            return [(index, during, after)]
        moves.append((index, during, after))
    return moves


def _trace(came_from: dict[int, tuple[int, int]], state: int) -> list[int]:
    order: list[int] = []
    while state:
        state, index = came_from[state]
        order.append(index)
    return order[::-1]
