"""The shared state of the searches of one network: the file of records, the measurer, the clock, and known
measurements."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from s2s.decisions.keys import LOWERING
from s2s.support.frozen import frozen
from s2s.tuning.experience import Experience
from s2s.tuning.measurement import ErrorKind, Goal, Measurement
from s2s.tuning.measurer import Measurer
from s2s.tuning.recording import Named, record_of
from s2s.tuning.records import Decided, MeasuredRecord, RecordFile, read_measured
from s2s.tuning.summary import OnProgress, Progress, TaskSummary, TuneSummary
from s2s.tuning.tuners import TunerName

SUM = "{}, sum of kernels"
"""The unit of what the kernels of a network cost together."""


@frozen
class TuneOptions:
    """How long to search, and how."""

    trials: int = 64
    """Measurements of each task, earlier runs included."""
    seconds: float | None = None
    """The time for everything; tasks get shares of it by what they cost."""
    tuner: TunerName = "auto"
    objective: str | None = None
    """What is minimised: `instructions` on boards and `time` on the host, unless given; `instructions=1,flash=50` for a
    weighted sum."""
    only: tuple[str, ...] = ()
    """Layers, kernels or task keys to which tuning is restricted."""
    batch: int = 8
    """Candidates that are proposed at a time."""
    patience: int | None = None
    """A task ends after this many trials without a better one."""
    seed: int = 0


class Keyed(Protocol):
    """What has a task key in each version of the lowering."""

    def key_in(self, lowering: int) -> str:
        """Return the task key in a version of the lowering."""
        ...


class Campaign:
    """The tuning of one network."""

    def __init__(
        self,
        file: RecordFile,
        measurer: Measurer,
        options: TuneOptions,
        goal: Goal,
        target: str,
        on_progress: OnProgress | None,
    ) -> None:
        self.file, self.measurer, self.options, self.goal = file, measurer, options, goal
        self.on_progress = on_progress
        self.summary = TuneSummary(target, measurer.place, goal.unit)
        self.experience = Experience()
        self.started = time.monotonic()
        self._of_lowerings: dict[int, dict[str, list[MeasuredRecord]]] = {LOWERING: {}}
        for each in read_measured(file.path):
            if each.target == target and each.place in ("", measurer.place):
                self._of_lowerings.setdefault(each.lowering, {}).setdefault(each.task, []).append(each)
        self._known = self._of_lowerings[LOWERING]

    def known(self, task: Named) -> list[MeasuredRecord]:
        """Return what earlier runs have measured of a task, whatever they minimised, with its cost by this goal."""
        found = (self._scored(each, task.calls) for each in self._known.get(task.key, ()))
        return [each for each in found if each is not None]

    def outdated(self, task: Keyed) -> list[tuple[str, MeasuredRecord]]:
        """Return the measurements of a task by other versions of the lowering, the cheapest first, each with the key of
        the task there, whose costs now are unknown."""
        keys = {lowering: task.key_in(lowering) for lowering in self._of_lowerings if lowering != LOWERING}
        found = [(key, each) for lowering, key in keys.items() for each in self._of_lowerings[lowering].get(key, ())]
        return sorted((pair for pair in found if pair[1].cost is not None), key=lambda pair: pair[1].cost or 0.0)

    def elsewhere(self, key: str) -> Iterable[MeasuredRecord]:
        """Yield the successful records of other tasks."""
        for task, records in self._known.items():
            if task != key:
                yield from (each for each in records if each.unit == self.goal.unit and each.cost is not None)

    def record(
        self, task: Named, decisions: Decided, measured: Measurement, *, confirms: bool = False
    ) -> MeasuredRecord:
        """Append the record of a measurement to the file; `confirms`: of decisions that seemed good."""
        made = replace(record_of(task, decisions, measured, self.goal, self.measurer), confirms=confirms)
        if made.cost is None:
            self.summary.failure = self.summary.failure or made.message
        self.write(made)
        return made

    def write(self, record: MeasuredRecord) -> None:
        """Append a record to the file."""
        self.file.append(record)
        self._known.setdefault(record.task, []).append(record)

    def sums(self, network: Named) -> list[MeasuredRecord]:
        """Return the records of what candidates of a whole network cost by their kernels."""
        unit = SUM.format(self.goal.unit)
        return [each for each in self._known.get(network.key, ()) if each.unit == unit]

    def record_sum(self, network: Named, decisions: Decided, cost: float | None) -> None:
        """Append what the kernels of a candidate of a whole network cost together."""
        failed = Measurement(error=ErrorKind.UNKNOWN_ERROR, message="a kernel of it fails")
        made = record_of(network, decisions, Measurement() if cost is not None else failed, self.goal, self.measurer)
        self.write(replace(made, cost=cost, unit=SUM.format(self.goal.unit)))

    def is_written(self, record: MeasuredRecord) -> bool:
        """Whether the file has a record as it is, with its cost by this goal."""
        return any(each == record for each in self._known.get(record.task, ()))

    @property
    def time_left(self) -> float | None:
        """Seconds until the deadline; None without one."""
        if self.options.seconds is None:
            return None
        return max(0.0, self.options.seconds - (time.monotonic() - self.started))

    def note(self, summary: TaskSummary, number: int, trials: int) -> None:
        """Tell the caller how things stand."""
        if self.on_progress is not None:
            elapsed = time.monotonic() - self.started
            self.on_progress(Progress(self.summary, summary, number, trials, elapsed, self.time_left))

    def _scored(self, record: MeasuredRecord, calls: int) -> MeasuredRecord | None:
        if record.unit == self.goal.unit:
            return record
        if record.cost is None:
            return replace(record, unit=self.goal.unit)
        cost = self.goal.of_costs(record.costs, calls)
        return None if cost is None else replace(record, cost=cost, unit=self.goal.unit)


def best_of(records: Sequence[MeasuredRecord]) -> MeasuredRecord | None:
    """Return the cheapest of some records."""
    return min((each for each in records if each.cost is not None), key=lambda each: each.cost or 0.0, default=None)
