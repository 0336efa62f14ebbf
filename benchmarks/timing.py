"""Timing on a machine that others use as well: one core, CPU time, short slices in turn, the fastest of each kept.

On an idle core the CPU time of a program with one thread is the time on the clock; on a busy one it does not count the
time in which others ran.
"""

import math
import os
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Call = Callable[[], object]

SLICE = 0.2
"""Seconds that one candidate runs before the next has its turn."""

BLOCK = 200e-6
"""Seconds of runs between two looks at the clock, which takes part of a microsecond itself."""

now = time.process_time
"""Seconds of CPU time that this process has taken."""


def children() -> float:
    """Seconds of CPU time that ended processes started by this one have taken."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def pin(cpu: int | None = None) -> int:
    """Keep this process, and what it starts, on one processor: the last one allowed, unless another is named."""
    chosen = max(os.sched_getaffinity(0)) if cpu is None else cpu
    os.sched_setaffinity(0, {chosen})
    return chosen


def fastest(calls: Mapping[str, Call], rounds: int, seconds: float = SLICE) -> dict[str, float]:
    """Seconds of one run of each candidate, from the fastest block of runs.

    The candidates take turns, starting with another one in each round, so that a disturbance meets all of them; what
    comes from elsewhere only ever adds time, so the fastest block is the one that shows the program.
    """
    blocks = {name: _runs_in_block(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, math.inf)
    names = list(calls)
    for number in range(rounds):
        first = number % len(names)
        for name in (*names[first:], *names[:first]):
            best[name] = min(best[name], _fastest_block(calls[name], blocks[name], seconds))
    return best


def _runs_in_block(call: Call) -> int:
    """How many runs a look at the clock is worth; they also warm the caches."""
    return max(1, math.ceil(BLOCK / max(min(_seconds(call, 1) for _ in range(2)), 1e-8)))


def _fastest_block(call: Call, runs: int, seconds: float) -> float:
    """Seconds of one run in the fastest of the blocks that fit in `seconds`, at least one."""
    end = now() + seconds
    best = _seconds(call, runs)
    while now() < end:
        best = min(best, _seconds(call, runs))
    return best / runs


def _seconds(call: Call, runs: int) -> float:
    start = now()
    for _ in range(runs):
        call()
    return now() - start


def geometric_mean(ratios: Sequence[float]) -> float:
    """The mean of ratios that does not care which side of a ratio stands on top."""
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


@dataclass(frozen=True)
class Growth:
    """How a time grows with a size."""

    per_item: float
    """Seconds for one more, from the line through all points: a fixed cost does not count."""
    exponent: float
    """Slope of the line through the logarithms: 1 is linear, 2 is quadratic, a fixed cost makes it smaller."""


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> Growth:
    """Fit both lines by least squares."""
    per_item = np.polyfit(sizes, seconds, 1)[0]
    exponent = np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-9)), 1)[0]
    return Growth(float(per_item), float(exponent))
