"""Schedule the copies that bring constants to memory before the kernels that read them.

A copy starts before some step and is waited for before the step that reads its target; before such a step the network
waits for every copy that is under way, and copies run one after the other. Until the wait the target takes memory, so
that a copy had best start as late as the steps in between still hide it.

    steps of 100, 100 and 100 cycles; copies of 150 cycles for step 2, of 40 for step 1
    -> the first one must start at cycle 50, so before step 0; the second one before that, at cycle 10, in step 0

Cycles of steps are estimates, so that copies start as if they took `SLACK` times as long.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

SLACK = 2
"""How much longer a copy may take, against the steps that hide it, than is estimated."""


class Stream(NamedTuple):
    """A constant that is copied to a buffer for one step."""

    constant: int
    """The number of the constant."""
    step: int
    """The step that reads the buffer."""
    size: int
    cycles: int
    """The time that the copy takes."""


Ahead = Mapping[Stream, int]
"""How many steps before its reader each copy starts; 0: right before it."""


def just_in_time(streams: Sequence[Stream], steps: Sequence[int], slack: int = SLACK) -> dict[Stream, int]:
    """Start each copy before the last step from which steps and copies hide it; `steps` are the cycles of each step."""
    begins = [0, *accumulate(steps)]
    found: dict[Stream, int] = {}
    free = begins[-1]
    for stream in sorted(streams, key=lambda each: (-each.step, -each.constant)):
        free = min(free, begins[stream.step]) - slack * stream.cycles
        start = max((step for step in range(stream.step + 1) if begins[step] <= free), default=0)
        found[stream] = stream.step - start
    return found


def behind_the_wait(streams: Sequence[Stream]) -> dict[Stream, int]:
    """Start the copies for a step right behind the wait of the step before that has copies: a double buffer."""
    waits = sorted({stream.step for stream in streams})
    before = dict(zip(waits, [0, *waits], strict=False))
    return {stream: stream.step - before[stream.step] for stream in streams}


def stall(ahead: Ahead, steps: Sequence[int]) -> int:
    """Return the cycles that a run waits for copies."""
    starts: dict[int, list[Stream]] = {}
    for stream, count in ahead.items():
        starts.setdefault(stream.step - count, []).append(stream)
    readers = {stream.step for stream in ahead}
    now = free = 0
    for step, cycles in enumerate(steps):
        begun = sorted(starts.get(step, ()), key=lambda each: each.step)
        for stream in (each for each in begun if each.step == step):
            free = max(free, now) + stream.cycles
        if step in readers:
            now = max(now, free)
        for stream in (each for each in begun if each.step > step):
            free = max(free, now) + stream.cycles
        now += cycles
    return now - sum(steps)
