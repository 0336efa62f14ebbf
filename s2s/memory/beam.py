"""Heuristic execution orders for parts with too many states for an exact search: a greedy order and a beam search."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from s2s.memory.parts import OrderedPart

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


class _PartialOrder(NamedTuple):
    """A partial order: executed steps, live bytes, peak so far, ready steps, and the shorter order that it extends."""

    state: int
    live: int
    peak: int
    ready: tuple[int, ...]
    last: int = -1
    parent: "_PartialOrder | None" = None

    def order(self) -> list[int]:
        order: list[int] = []
        step: _PartialOrder | None = self
        while step is not None and step.last >= 0:
            order.append(step.last)
            step = step.parent
        return order[::-1]


def beam_order(part: OrderedPart, width: int) -> list[int]:
    """Extend the `width` best partial orders step by step; each branches into its few best next steps."""
    partial = [_PartialOrder(0, part.live, part.live, tuple(part.ready(0)))]
    for _ in part.steps:
        extended: dict[int, _PartialOrder] = {}
        for before in partial:
            for during, after, index in _branches(part, before):
                state = before.state | 1 << index
                peak = max(before.peak, during)
                if state not in extended or peak < extended[state].peak:
                    extended[state] = _PartialOrder(
                        state, after, peak, _ready_after(part, before, index, state), index, before
                    )
        partial = sorted(extended.values(), key=lambda each: (each.peak, each.live, each.state))[:width]
    return partial[0].order()


def _branches(part: OrderedPart, before: _PartialOrder) -> Sequence[tuple[int, int, int]]:
    """Return the next steps to try: only one if it frees memory below the peak, else the few cheapest."""
    costs = [(*part.cost(before.state, before.live, index), index) for index in before.ready]
    for during, after, index in costs:
        if during <= before.peak and after <= before.live:
            return [(during, after, index)]
    return heapq.nsmallest(BRANCHES, costs, key=lambda cost: (max(cost[0], before.peak), cost[1], cost[2]))


def _ready_after(part: OrderedPart, before: _PartialOrder, index: int, state: int) -> tuple[int, ...]:
    fresh = (later for later in part.steps[index].after if part.steps[later].before & ~state == 0)
    return (*(ready for ready in before.ready if ready != index), *fresh)
