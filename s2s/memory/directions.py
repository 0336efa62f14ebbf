"""Which kernels run backwards, so that the arena is smallest.

Most chains need none of it. Where an output is larger than its input, the input may lie at the end of the output, or
the kernel runs backwards; and kernels that push their outputs down and up in turn come back to where they were. So
kernels are turned one after the other, those with most bytes first, and stay turned where that makes the plan smaller.
"""

from collections.abc import Sequence

from s2s.memory.buffers import Buffer, InPlace, Overlap, Plan, most_shared, overlapped_bound
from s2s.memory.calls import Calls
from s2s.memory.plan import plan

MOST_PLANS = 48
"""Plans that are made to find out which kernels to turn."""
WORTH_TURNING = 0.6
"""A kernel whose result and operand together take less of the arena is left as it is."""
MOST_BUFFERS = 200
"""Networks with more are left as they are."""
QUICK = 20_000
"""Work of one of these plans."""


def plan_with_directions(
    buffers: Sequence[Buffer], in_place: Sequence[InPlace], calls: Calls
) -> tuple[Plan, tuple[str, ...]]:
    """The smallest plan found, and the kernels that run backwards in it."""
    turned: list[str] = []
    best = plan(buffers, in_place, calls.overlaps())
    if len(buffers) > MOST_BUFFERS or best.size <= max((buffer.size for buffer in buffers), default=0):
        return best, ()
    candidates = calls.turnable(int(best.size * WORTH_TURNING))
    if best.size <= _floor(buffers, calls, candidates):
        return best, ()
    size, plans, improved = best.size, 0, True
    while improved and plans < MOST_PLANS:
        improved = False
        for name in candidates:
            tried = [each for each in turned if each != name] if name in turned else [*turned, name]
            found = plan(buffers, in_place, calls.overlaps(tried), work=QUICK)
            plans += 1
            if found.size < size:
                size, turned, improved = found.size, tried, True
            if plans >= MOST_PLANS:
                break
    if turned:
        found = plan(buffers, in_place, calls.overlaps(turned))
        if found.size < best.size:
            return found, tuple(turned)
    return best, ()


def _floor(buffers: Sequence[Buffer], calls: Calls, candidates: Sequence[str]) -> int:
    """No plan needs less, whichever kernels run backwards: a bound in which each pair overlaps at its best."""
    sizes = {buffer.name: buffer.size for buffer in buffers}

    def shared(overlap: Overlap) -> int:
        return most_shared(sizes[overlap.output], sizes[overlap.input], overlap.forbidden)

    pairs = zip(calls.overlaps(), calls.overlaps(candidates), strict=True)
    return overlapped_bound(buffers, [max(pair, key=shared) for pair in pairs])
