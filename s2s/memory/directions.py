"""Choose which kernels run backwards to make the arena small.

A kernel that computes its result from the end to the start may place a larger result at the start of its operand. Most
chains need no reversal. Kernels are reversed one after the other, those with most bytes first, and stay reversed if
that makes the plan smaller.
"""

from collections.abc import Sequence
from functools import partial

from s2s.memory.buffers import Buffer, InPlace, Overlap, Plan, most_shared, overlapped_bound
from s2s.memory.calls import Calls
from s2s.memory.plan import plan

MAX_PLANS = 48
"""Upper bound of the plans computed to find the kernels to reverse."""
MIN_SHARE = 0.6
"""A kernel is considered only if its result and operand take at least this share of the arena."""
MAX_BUFFERS = 200
"""No kernel of a network with more buffers than this is reversed."""
PLAN_WORK = 20_000
"""The work limit of each of these plans."""


def plan_with_directions(
    buffers: Sequence[Buffer], in_place: Sequence[InPlace], calls: Calls
) -> tuple[Plan, tuple[str, ...]]:
    """Return the smallest plan found and the kernels that run backwards in it."""
    chosen: list[str] = []
    best = plan(buffers, in_place, calls.overlaps())
    if len(buffers) > MAX_BUFFERS or best.size <= max((buffer.size for buffer in buffers), default=0):
        return best, ()
    candidates = calls.reversible(int(best.size * MIN_SHARE))
    if best.size <= _floor(buffers, calls, candidates):
        return best, ()
    size, plans, improved = best.size, 0, True
    while improved and plans < MAX_PLANS:
        improved = False
        for name in candidates:
            tried = [each for each in chosen if each != name] if name in chosen else [*chosen, name]
            found = plan(buffers, in_place, calls.overlaps(tried), work=PLAN_WORK)
            plans += 1
            if found.size < size:
                size, chosen, improved = found.size, tried, True
            if plans >= MAX_PLANS:
                break
    if chosen:
        found = plan(buffers, in_place, calls.overlaps(chosen))
        if found.size < best.size:
            return found, tuple(chosen)
    return best, ()


def most_shares(buffers: Sequence[Buffer], calls: Calls) -> list[tuple[str, str, int]]:
    """Return the most bytes that each result shares with an operand, whichever kernels run backwards, by name."""
    found = _widest(buffers, calls, calls.reversible(0))
    return [(each.output, each.input, _shared(buffers, each)) for each in found]


def _floor(buffers: Sequence[Buffer], calls: Calls, candidates: Sequence[str]) -> int:
    """Return a lower bound of every plan, whichever kernels run backwards: each pair overlaps as far as its best
    direction permits."""
    return overlapped_bound(buffers, _widest(buffers, calls, candidates))


def _widest(buffers: Sequence[Buffer], calls: Calls, candidates: Sequence[str]) -> list[Overlap]:
    """Return the overlaps of all pairs, each in the direction in which it shares most."""
    pairs = zip(calls.overlaps(), calls.overlaps(candidates), strict=True)
    return [max(pair, key=partial(_shared, buffers)) for pair in pairs]


def _shared(buffers: Sequence[Buffer], overlap: Overlap) -> int:
    sizes = {buffer.name: buffer.size for buffer in buffers}
    return most_shared(sizes[overlap.output], sizes[overlap.input], overlap.forbidden)
