"""Heuristic execution orders for parts with too many states for an exact search: a greedy order and a beam search."""

import heapq
from collections.abc import Sequence

from s2s.memory.parts import OrderedPart
from s2s.support.dataclass import dataclass

BRANCHES = 8


def greedy_order(part: OrderedPart) -> tuple[list[int], int]:
    """Execute the step that frees most, else the one that adds least; also return the largest number of ready steps.

    A step's cost changes only when it becomes the last reader of a value, and the queue is updated at that time. So the
    search is linear in steps and reads, apart from the queue.
    """
    missing = [step.before.bit_count() for step in part.steps]
    queue: list[tuple[int, int, int]] = []
    state, order, widest, ready = 0, list[int](), 0, 0

    def push(index: int) -> None:
        during, after = part.cost(state, 0, index)
        heapq.heappush(queue, (max(after, 0), during, index))

    for index, count in enumerate(missing):
        if count == 0:
            push(index)
            ready += 1
    while queue:
        _, _, index = heapq.heappop(queue)
        if state >> index & 1:
            continue
        widest = max(widest, ready)
        state |= 1 << index
        order.append(index)
        ready -= 1
        for later in part.steps[index].after:
            missing[later] -= 1
            if missing[later] == 0:
                push(later)
                ready += 1
        for use in part.steps[index].uses:
            left = use.readers & ~state
            if left.bit_count() == 1 and missing[left.bit_length() - 1] == 0:
                push(left.bit_length() - 1)
    return order, widest


@dataclass(frozen=True)
class _Walk:
    """A partial order: executed steps, live bytes, peak so far, ready steps, and the shorter order that it extends."""

    state: int
    live: int
    peak: int
    ready: tuple[int, ...]
    last: int = -1
    parent: "_Walk | None" = None

    def order(self) -> list[int]:
        order: list[int] = []
        walk: _Walk | None = self
        while walk is not None and walk.last >= 0:
            order.append(walk.last)
            walk = walk.parent
        return order[::-1]


def beam_order(part: OrderedPart, width: int) -> list[int]:
    """Extend the `width` best partial orders step by step; each branches into its few best next steps."""
    walks = [_Walk(0, part.live, part.live, tuple(part.ready(0)))]
    for _ in part.steps:
        extended: dict[int, _Walk] = {}
        for walk in walks:
            for during, after, index in _branches(part, walk):
                state = walk.state | 1 << index
                peak = max(walk.peak, during)
                if state not in extended or peak < extended[state].peak:
                    extended[state] = _Walk(state, after, peak, _ready_after(part, walk, index, state), index, walk)
        walks = sorted(extended.values(), key=lambda walk: (walk.peak, walk.live, walk.state))[:width]
    return walks[0].order()


def _branches(part: OrderedPart, walk: _Walk) -> Sequence[tuple[int, int, int]]:
    """Return the next steps to try: only one if it frees memory below the peak, else the few cheapest."""
    costs = [(*part.cost(walk.state, walk.live, index), index) for index in walk.ready]
    for during, after, index in costs:
        if during <= walk.peak and after <= walk.live:
            return [(during, after, index)]
    return heapq.nsmallest(BRANCHES, costs, key=lambda cost: (max(cost[0], walk.peak), cost[1], cost[2]))


def _ready_after(part: OrderedPart, walk: _Walk, index: int, state: int) -> tuple[int, ...]:
    fresh = (later for later in part.steps[index].after if part.steps[later].before & ~state == 0)
    return (*(ready for ready in walk.ready if ready != index), *fresh)
