"""Timing of a function, with TVM's parameters and result."""

import time
from collections.abc import Callable

import numpy as np

from s2s.support.frozen import frozen


@frozen
class BenchmarkResult:
    """Seconds per run: one figure for each repetition, and their statistics."""

    results: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the repetitions."""
        return float(np.mean(self.results))

    @property
    def median(self) -> float:
        """The median of the repetitions."""
        return float(np.median(self.results))

    @property
    def min(self) -> float:
        """The fastest repetition."""
        return min(self.results)

    @property
    def max(self) -> float:
        """The slowest repetition."""
        return max(self.results)

    @property
    def std(self) -> float:
        """The standard deviation of the repetitions."""
        return float(np.std(self.results))

    def __str__(self) -> str:
        """A head line and a line of milliseconds."""
        figures = (self.mean, self.median, self.max, self.min, self.std)
        names = ("mean", "median", "max", "min", "std")
        head = " ".join(f"{name + ' (ms)':>12}" for name in names)
        return f"Execution time summary:\n{head}\n" + " ".join(f"{figure * 1000:12.4f}" for figure in figures)


def measure(
    function: Callable[[], object],
    *,
    repeat: int,
    number: int,
    min_repeat_seconds: float = 0.0,
    limit_zero_time_iterations: int = 100,
    cooldown_seconds: float = 0.0,
    repeats_to_cooldown: int = 1,
    prepare: Callable[[], object] | None = None,
) -> BenchmarkResult:
    """Call `function` once to warm up, then time `repeat` times `number` calls, each time after a call of `prepare`.

    `number` grows until a repetition takes `min_repeat_seconds`; it stops growing after `limit_zero_time_iterations`
    repetitions that the clock does not see.
    """
    function()
    results: list[float] = []
    calls = max(number, 1)
    for count in range(1, max(repeat, 1) + 1):
        if prepare is not None:
            prepare()
        seconds = _time(function, calls)
        unseen = 0
        while seconds < min_repeat_seconds and unseen < limit_zero_time_iterations:
            unseen += seconds == 0.0
            calls = max(calls + 1, int(calls * min(min_repeat_seconds / max(seconds, 1e-9) + 1, 10)))
            seconds = _time(function, calls)
        results.append(seconds / calls)
        if cooldown_seconds > 0 and count % repeats_to_cooldown == 0:
            time.sleep(cooldown_seconds)
    return BenchmarkResult(tuple(results))


def _time(function: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return time.perf_counter() - start
