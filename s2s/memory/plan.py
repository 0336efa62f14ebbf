"""Give each buffer an offset in one arena.

Greedy orders come first, and stop as soon as one reaches the lower bound, which most networks allow. What is left over
goes to the exact search and to hill climbing, with budgets in elementary steps instead of seconds, so that the plan
does not depend on the machine.
"""

from collections.abc import Sequence

from s2s.memory.blocks import Layout, layout_of, merge_in_place, total_size
from s2s.memory.buffers import Buffer, InPlace, Plan, check_buffers, choose_in_place, lower_bound
from s2s.memory.exact import search_exact
from s2s.memory.greedy import greedy_orders
from s2s.memory.hill_climb import climb
from s2s.memory.placement import Fit, place

CLIMB_WORK = 400_000
EXACT_NODES = 3_000
CLOSE = 1.01


def plan(buffers: Sequence[Buffer], in_place: Sequence[InPlace] = ()) -> Plan:
    """The smallest plan found for `buffers`; a pair of `in_place` may share its address, no other live bytes do."""
    check_buffers(buffers, in_place)
    bound = lower_bound(buffers, in_place)
    chosen = choose_in_place(buffers, in_place)
    layout = layout_of(merge_in_place(buffers, chosen))
    offsets = _best_offsets(layout)
    if chosen and total_size(layout, offsets) > layout.bound:
        apart = layout_of(merge_in_place(buffers, ()))
        apart_offsets = _best_offsets(apart)
        if total_size(apart, apart_offsets) < total_size(layout, offsets):
            layout, offsets = apart, apart_offsets
    return Plan(_offsets_by_name(buffers, layout, offsets), total_size(layout, offsets), bound)


def _best_offsets(layout: Layout) -> list[int]:
    """Greedy, then exact, then hill climbing, until one meets the bound; a tenth of the effort if already close."""
    best: list[int] = []
    best_order: list[int] = []
    for order in greedy_orders(layout):
        for fit in Fit:
            offsets = place(layout, order, fit)
            if not best_order or total_size(layout, offsets) < total_size(layout, best):
                best, best_order = offsets, order
            if total_size(layout, best) <= layout.bound:
                return best
    thrift = 1 if total_size(layout, best) > CLOSE * layout.bound else 10
    exact = search_exact(layout, total_size(layout, best), EXACT_NODES // thrift)
    best = best if exact is None else exact
    if total_size(layout, best) > layout.bound:
        climbed = climb(layout, best_order, CLIMB_WORK // layout.work // thrift)
        best = min(best, climbed, key=lambda offsets: total_size(layout, offsets))
    return best


def _offsets_by_name(buffers: Sequence[Buffer], layout: Layout, offsets: Sequence[int]) -> dict[str, int]:
    """Offsets of all buffers in their own order; empty buffers stand at 0."""
    at = {member.name: offset for block, offset in zip(layout.blocks, offsets, strict=True) for member in block.members}
    return {buffer.name: at.get(buffer.name, 0) for buffer in buffers}
