"""Find the execution order with the smallest peak of live bytes.

A network splits at steps that every other step must precede or follow; the best order is the best order of each part
between them. A part is searched exactly while it has few states (a state is a set of executed steps; networks with a
few branches have some dozens), else by a greedy order and a beam search. The given order stays where it is as good, or
where a part does not decide the peak, so that users recognise their network in the output.
"""

from collections.abc import Sequence

from s2s.memory.beam import beam_order, greedy_order
from s2s.memory.ideals import best_order
from s2s.memory.parts import OrderedPart, parts_of
from s2s.memory.steps import Network, Step

EXACT_WORK = 400_000
BEAM_WORK = 300_000
MAX_BEAM = 64


def order_steps(steps: Sequence[Step], sizes: Sequence[int], kept: Sequence[int] = ()) -> list[int]:
    """Return the indices of `steps` in their best execution order.

    `steps` come in some valid order. `sizes` are the bytes of each value, by number; `kept` are the values that stay
    live after the last step.
    """
    parts = parts_of(Network.of(steps, sizes, kept))
    orders = [list(range(len(part.steps))) for part in parts]
    peaks = [part.walk(order)[0] for part, order in zip(parts, orders, strict=True)]
    decided = 0
    for number in sorted(range(len(parts)), key=lambda i: (-peaks[i], i)):
        if peaks[number] > decided:
            orders[number] = _improve(parts[number], peaks[number])
            decided = max(decided, parts[number].walk(orders[number])[0])
    return [part.steps[i].number for part, order in zip(parts, orders, strict=True) for i in order]


def peak_of(steps: Sequence[Step], sizes: Sequence[int], kept: Sequence[int] = ()) -> int:
    """Return the largest number of bytes live at once when the steps are executed in the given order."""
    network = Network.of(steps, sizes, kept)
    if not steps:
        return network.live_at_start
    return OrderedPart.of(network, range(len(steps)), network.live_at_start).walk(range(len(steps)))[0]


def _improve(part: OrderedPart, given_peak: int) -> list[int]:
    """Return a better order of one part, or the given one."""
    given = list(range(len(part.steps)))
    if len(given) < 2:
        return given
    found = best_order(part, given_peak, EXACT_WORK // len(given))
    if found.complete:
        return given if found.order is None else found.order
    greedy, widest = greedy_order(part)
    candidates = [given, greedy]
    width = min(MAX_BEAM, BEAM_WORK // (len(given) * widest))
    if width > 1:
        candidates.append(beam_order(part, width))
    return min(candidates, key=lambda order: part.walk(order)[0])
