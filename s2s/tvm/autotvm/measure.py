"""How candidates are built and run: `measure_option(builder=LocalBuilder(), runner=LocalRunner())`.

A candidate runs where its target does: on this machine, or on the board that QEMU emulates for it, whose instructions
are counted. Its results are compared with the right ones before its cost counts.
"""

from abc import ABC, abstractmethod
from dataclasses import replace

from s2s.boards import BOARDS, PREFIX
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.support.jobs import jobs
from s2s.targets import Target
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.on_host import ROUND_SECONDS, HostMeasurer

MeasureErrorNo = ErrorKind
LOCAL = "local"


@frozen
class LocalBuilder:
    """Builds candidates on this machine, each within `timeout` seconds, `n_parallel` at a time; None for as many as
    `S2S_JOBS` or the cores allow. They are run one after the other."""

    timeout: float = Limits.build_seconds
    n_parallel: int | None = None
    build_func: str = "default"
    """TVM's: there is one way to build."""

    @property
    def parallel(self) -> int:
        """Candidates that are built at a time."""
        return self.n_parallel or jobs()


class Runner(ABC):
    """Runs candidates that were built."""

    @abstractmethod
    def measurer(self, target: Target, builder: LocalBuilder) -> Measurer:
        """Return what measures candidates for a target."""


@frozen
class LocalRunner(Runner):
    """Runs candidates on this machine, or on an emulated board.

    `timeout` is in seconds. A round of measuring takes `min_repeat_ms`, in which a candidate runs `number` times or
    more; the number of rounds follows from how a candidate compares with the best one. `repeat` and what follows
    `min_repeat_ms` are TVM's.
    """

    timeout: float = Limits.run_seconds
    number: int = 4
    repeat: int = 3
    min_repeat_ms: int = int(1000 * ROUND_SECONDS)
    cooldown_interval: float = 0.0
    enable_cpu_cache_flush: bool = False

    def measurer(self, target: Target, builder: LocalBuilder) -> Measurer:
        limits = replace(Limits(), build_seconds=builder.timeout, run_seconds=self.timeout)
        place = place_of(target)
        if place != "host":
            return BoardMeasurer(place, limits, parallel=builder.parallel)
        return HostMeasurer(limits, parallel=builder.parallel, seconds=max(self.min_repeat_ms, 1) / 1000)


@frozen
class MeasureOption:
    """A builder and a runner."""

    builder: LocalBuilder
    runner: Runner

    def measurer(self, target: Target) -> Measurer:
        """Return what measures candidates for a target."""
        return self.runner.measurer(target, self.builder)


def measure_option(builder: LocalBuilder | str = LOCAL, runner: Runner | str = LOCAL) -> MeasureOption:
    """Return how candidates are measured; `"local"` stands for a builder and a runner on this machine."""
    for what, given in (("builder", builder), ("runner", runner)):
        if isinstance(given, str) and given != LOCAL:
            raise InputError(f"measure_option: {what} {given!r} is not known; give {LOCAL!r} or an object")
    return MeasureOption(
        LocalBuilder() if isinstance(builder, str) else builder, LocalRunner() if isinstance(runner, str) else runner
    )


def place_of(target: Target) -> str:
    """Return where candidates for a target run: the board that has its processor, or this machine."""
    return next((f"{PREFIX}{board.name}" for board in BOARDS if board.target == target.name), "host")
