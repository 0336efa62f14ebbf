"""The interface of everything that measures candidates, and what its places share."""

import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from s2s.boards import PREFIX as EMULATED
from s2s.compilation import Compilation
from s2s.decisions.decision import Table
from s2s.errors import S2SError
from s2s.support.frozen import frozen
from s2s.tuning.measurement import ErrorKind, Measurement, Objective
from s2s.tuning.sandbox import CallDiedError, CallFailedError, CallTimedOutError, call_in_sandbox
from s2s.verify.over_serial import PREFIX as SERIAL

HOPELESS = 8.0
"""A candidate that takes this many times as long to build and run as the best one is given up."""
CONFIRMING = (16,)
"""Rounds in which a candidate that seemed good is measured again."""
PATIENT_SECONDS = 30.0
"""No candidate is given up earlier, as other work can slow this machine down."""


@frozen
class Limits:
    """What a candidate may take before it is given up."""

    build_seconds: float = 120.0
    run_seconds: float = 20.0
    memory: int = 8 << 30
    """Bytes of address space of one process."""
    rounds: tuple[int, ...] = (1, 2, 4)
    """Where time is measured: rounds of each step; after a step the slower half of the candidates is dropped."""
    round_seconds: float = 0.03
    """The duration of a round."""
    calls: int = 1
    """The least number of calls between two looks at the clock."""
    cooldown: float = 0.0
    """Seconds to wait before each round."""

    def seconds_beside(self, incumbent: "Incumbent | None") -> float:
        """The time for building and running a candidate: no more than some times what the best one so far took."""
        whole = self.build_seconds + self.run_seconds
        if incumbent is None or not incumbent.measured.seconds:
            return whole
        return min(whole, max(PATIENT_SECONDS, HOPELESS * incumbent.measured.seconds))


class Measurable(Protocol):
    """What can be measured with different decisions: a kernel of a network, or a template of a user."""

    @property
    def compilation(self) -> Compilation:
        """The compilation with the decisions that are made without a tuner; it tells inputs and right outputs."""
        ...

    def with_decisions(self, decisions: Table) -> Compilation:
        """Return the compilation with other decisions."""
        ...


@frozen
class Candidate:
    """Decisions to be measured for a task."""

    task: Measurable
    decisions: Table

    @property
    def compilation(self) -> Compilation:
        """The compilation of the task with these decisions."""
        return self.task.with_decisions(self.decisions)


@frozen
class Incumbent:
    """The best candidate so far and its measurement; candidates run in turn with it where time is measured."""

    candidate: Candidate
    measured: Measurement


More = Callable[[], Sequence[Candidate]]
"""Proposes the next candidates; none at the end."""


class Measurer(ABC):
    """Builds and measures candidates in one place: this machine, or a board."""

    place: str
    """`host`, `qemu:m4` or `serial:stm32f4-discovery`."""

    def __init__(self, limits: Limits | None = None, *, parallel: int = 1) -> None:
        self.limits = limits if limits is not None else Limits()
        self.parallel = parallel
        """Candidates that are built at a time."""
        self._is_warm = False

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What can be minimised here, the usual objective first."""
        if self.place.startswith(EMULATED):
            return ("instructions", "flash", "ram")
        return ("time", "ram") if self.place.startswith(SERIAL) else ("time", "flash", "ram")

    def close(self) -> None:  # noqa: B027
        """Let go of connections, which another measurement makes anew."""

    @abstractmethod
    def require(self) -> None:
        """Raise an error if nothing can be measured here, as a port is not there or a program is not installed."""

    @property
    @abstractmethod
    def compiler(self) -> str:
        """The C compiler and its version."""

    @abstractmethod
    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        """Measure candidates of one task."""

    def confirm(self, candidates: Sequence[Candidate], incumbent: Incumbent) -> list[Measurement]:
        """Measure candidates that seemed good once more, for longer, in turn with `incumbent`: the best of many noisy
        measurements is one that was lucky."""
        usual, self.limits = self.limits, replace(self.limits, rounds=CONFIRMING)
        try:
            return [found for each in candidates for found in self.measure([each], incumbent)]
        finally:
            self.limits = usual

    def _warm(self, candidates: Sequence[Candidate]) -> None:
        """Compile a task in this process once, so that the processes of candidates, which are forked from it, have all
        modules, templates and tables of the compiler; each of them would load them again."""
        if candidates and not self._is_warm:
            self._is_warm = True
            with suppress(S2SError):
                assert candidates[0].task.compilation.tree.files

    def measure_each(self, candidates: Sequence[Candidate]) -> list[Measurement]:
        """Measure candidates of different tasks, one of each."""
        return [found for each in candidates for found in self.measure([each])]

    def stream(
        self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None
    ) -> Iterator[tuple[int, Measurement]]:
        """Measure candidates of one task, and yield their numbers and measurements as these come."""
        yield from enumerate(self.measure(candidates, incumbent))

    def flow(self, more: More, incumbent: Callable[[], Incumbent | None]) -> Iterator[tuple[int, Measurement]]:
        """Measure the candidates of one task that `more` gives in batches, until it gives none. They are numbered in
        order; `incumbent` tells the best one so far."""
        before = 0
        while batch := more():
            for number, found in self.stream(batch, incumbent()):
                yield before + number, found
            before += len(batch)


class Phases:
    """A note in the folder of a candidate of what is being done with it, for the process that waits."""

    def __init__(self, folder: Path) -> None:
        self._note = folder / "phase"

    def enter(self, kind: ErrorKind) -> None:
        """Begin the phase whose failure is an error of `kind`."""
        self._note.write_text(str(int(kind)), encoding="utf-8")

    @property
    def last(self) -> ErrorKind:
        """The kind of error that a failure now is."""
        return (
            ErrorKind(int(self._note.read_text(encoding="utf-8"))) if self._note.exists() else ErrorKind.UNKNOWN_ERROR
        )


Step = Callable[[Phases], Measurement]


def guarded(folder: Path, step: Step, seconds: float, memory: int) -> Measurement:
    """Run `step` in a process of its own, all temporary files in `folder`; what goes wrong becomes the measurement."""
    phases, started = Phases(folder), time.monotonic()

    def run() -> Measurement:
        tempfile.tempdir = str(folder)
        return step(phases)

    try:
        found = call_in_sandbox(run, seconds=seconds, memory=memory)
    except CallTimedOutError as error:
        running = phases.last is ErrorKind.RUNTIME_DEVICE
        found = Measurement(error=ErrorKind.RUN_TIMEOUT if running else ErrorKind.BUILD_TIMEOUT, message=str(error))
    except CallDiedError as error:
        found = Measurement(error=phases.last, message=str(error))
    except CallFailedError as error:
        found = Measurement(error=phases.last, message=_short(str(error)))
    return replace(found, seconds=time.monotonic() - started)


def in_parallel(
    function: Callable[[Candidate], Measurement], candidates: Sequence[Candidate], count: int
) -> list[Measurement]:
    """Apply `function` to all candidates, `count` at a time, each of which runs in a process of its own."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, candidates))


def _short(message: str) -> str:
    """The first line of a message and the first that tells an error."""
    lines = message.strip().splitlines() or [""]
    told = next((line for line in lines[1:] if "error" in line), "")
    return " ".join(filter(None, (lines[0][:300], told[:300])))
