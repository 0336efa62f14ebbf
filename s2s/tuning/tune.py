"""The tuner: measures candidates of every task of a network, and appends what it finds to a file of records."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.stages.memory import Planned
from s2s.support import progress
from s2s.targets import get_target
from s2s.tuning.measurement import UNITS, Measurement, Objective
from s2s.tuning.measurer import Candidate, Incumbent, Measurer
from s2s.tuning.places import default_target, make_measurer
from s2s.tuning.recording import record_of
from s2s.tuning.records import MeasuredRecord, RecordFile, read_measured
from s2s.tuning.search_space import Point
from s2s.tuning.space import Space
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.tuners import Tuner, TunerName, make_tuner

MINOR = 0.02
"""Tasks with less than this share of the network's cost get a quarter of the trials."""


@dataclass(frozen=True)
class TuneOptions:
    """How long to search, and how."""

    trials: int = 64
    """Measurements of each task, those of earlier runs included."""
    seconds: float | None = None
    """The time for everything; tasks get shares of it by what they cost."""
    tuner: TunerName = "auto"
    objective: Objective | None = None
    """What is minimised: `instructions` on boards and `time` on the host, unless given."""
    only: tuple[str, ...] = ()
    """Layers, kernels or task keys to which tuning is restricted."""
    batch: int = 8
    """Candidates that are proposed at a time."""
    patience: int | None = None
    """A task ends after this many trials without a better one."""
    seed: int = 0


@dataclass
class TaskSummary:
    """What is known of a task."""

    key: str
    name: str
    nodes: str
    calls: int
    space: str
    """The size of the search space in words."""
    default: float | None = None
    """The cost of the compiler's own choice."""
    best: float | None = None
    trials: int = 0
    failed: int = 0
    noise: float = 0.0
    decisions: tuple[tuple[str, str, str], ...] = ()
    """Those of the best record."""

    @property
    def speedup(self) -> float:
        """The default's cost divided by the best one's."""
        return self.default / self.best if self.default and self.best else 1.0


@dataclass
class TuneSummary:
    """The result of tuning a network."""

    target: str
    place: str
    unit: str
    tasks: list[TaskSummary] = field(default_factory=list[TaskSummary])
    interrupted: bool = False

    @property
    def default(self) -> float:
        """The cost of all calls with the compiler's own choices."""
        return sum(each.calls * each.default for each in self.tasks if each.default is not None)

    @property
    def best(self) -> float:
        """The cost of all calls with the best choices."""
        return sum(each.calls * each.best for each in self.tasks if each.best is not None)


@dataclass(frozen=True)
class Progress:
    """The state of tuning after a batch."""

    summary: TuneSummary
    task: TaskSummary
    number: int
    """The task's number, from 1."""
    trials: int
    """The trials that the task may take."""
    elapsed: float
    left: float | None
    """Seconds until the deadline; None without one."""


OnProgress = Callable[[Progress], None]
OnRecord = Callable[[MeasuredRecord], None]


def tune_model(
    model: Source,
    records: str | Path,
    *,
    compile_options: CompileOptions | None = None,
    target: str | None = None,
    on: str = "host",
    options: TuneOptions | None = None,
    parallel: int = 1,
    on_progress: OnProgress | None = None,
) -> TuneSummary:
    """Tune the kernels of `model` and append what is measured to the file `records`.

    `on` is where candidates run: `host`, or an emulated board such as `qemu:m4`, whose target is the default one.
    """
    chosen = compile_options if compile_options is not None else CompileOptions(target=target or default_target(on))
    compilation = Compilation(model, chosen)
    progress.step("finding tasks")
    tasks = tasks_of(compilation)
    return tune_tasks(tasks, records, make_measurer(on, parallel=parallel), options, on_progress)


def tune_tasks(
    tasks: Sequence[Task],
    records: str | Path,
    measurer: Measurer,
    options: TuneOptions | None = None,
    on_progress: OnProgress | None = None,
) -> TuneSummary:
    """Tune `tasks`, of one network and target. An interruption ends tuning; what was measured stays in the file."""
    options = options if options is not None else TuneOptions()
    chosen = _only(tasks, options.only)
    objective: Objective = options.objective or ("time" if measurer.place == "host" else "instructions")
    if (objective == "instructions") == (measurer.place == "host"):
        other = "time" if objective == "instructions" else "instructions"
        if objective in ("instructions", "time"):
            raise InputError(f"--objective {objective}: cannot be measured on {measurer.place}; give {other}")
    with RecordFile(records) as file:
        campaign = _Campaign(chosen, file, measurer, options, objective, on_progress)
        try:
            campaign.run()
        except KeyboardInterrupt:
            campaign.summary.interrupted = True
    return campaign.summary


def _only(tasks: Sequence[Task], layers: Sequence[str]) -> list[Task]:
    for layer in layers:
        if not any(task.concerns(layer) for task in tasks):
            names = ", ".join(task.name for task in tasks)
            raise InputError(f"--only {layer}: no task is called so; give a node of the model or one of {names}")
    return [task for task in tasks if not layers or any(task.concerns(layer) for layer in layers)]


class _Campaign:
    """The tuning of the tasks of one network."""

    def __init__(
        self,
        tasks: Sequence[Task],
        file: RecordFile,
        measurer: Measurer,
        options: TuneOptions,
        objective: Objective,
        on_progress: OnProgress | None,
    ) -> None:
        self.file, self.measurer, self.options = file, measurer, options
        self.objective: Objective = objective
        self.on_progress = on_progress
        self.unit = UNITS[objective]
        target = get_target(tasks[0].options.target).name if tasks else ""
        self.summary = TuneSummary(target, measurer.place, self.unit)
        self.started = time.monotonic()
        known = [each for each in read_measured(file.path) if each.target == target and each.unit == self.unit]
        self.searches = [
            _Search(task, self, [each for each in known if each.task == task.key], number)
            for number, task in enumerate(tasks, 1)
        ]
        self.summary.tasks += [each.summary for each in self.searches]

    def run(self) -> None:
        """Measure what the compiler itself chooses, then search, the most expensive task first."""
        for search in self.searches:
            search.measure_default()
        total = self.summary.default or 1.0
        left = sorted(self.searches, key=lambda each: -each.whole)
        while left:
            search, rest = left[0], sum(each.whole for each in left) or 1.0
            seconds = None if self.time_left is None else self.time_left * search.whole / rest
            trials = self.options.trials if search.whole >= MINOR * total else max(1, self.options.trials // 4)
            search.run(trials, seconds)
            left = left[1:]

    @property
    def time_left(self) -> float | None:
        """Seconds until the deadline; None without one."""
        if self.options.seconds is None:
            return None
        return max(0.0, self.options.seconds - (time.monotonic() - self.started))

    def note(self, search: "_Search", trials: int) -> None:
        """Tell the caller how things stand."""
        if self.on_progress is not None:
            elapsed = time.monotonic() - self.started
            self.on_progress(Progress(self.summary, search.summary, search.number, trials, elapsed, self.time_left))


class _Search:
    """The search of one task."""

    def __init__(self, task: Task, campaign: _Campaign, known: Sequence[MeasuredRecord], number: int) -> None:
        self.task, self.campaign, self.number = task, campaign, number
        self.space = Space(task)
        self.summary = TaskSummary(task.key, task.name, task.nodes, task.calls, self.space.describe())
        self.known = {text: each for each in known if (text := self._text_of(each.decisions)) is not None}
        self.incumbent: Incumbent | None = None
        self.last_gain = 0
        for text, each in self.known.items():
            if self._count(each):
                self.incumbent = Incumbent(self._candidate(text), Measurement(dict(each.costs), seconds=each.seconds))

    @property
    def whole(self) -> float:
        """The cost of all calls in one run of the network."""
        return self.task.calls * (self.summary.best or 0.0)

    def measure_default(self) -> None:
        """Measure the compiler's own choice, unless a record tells it."""
        text = self._default_text()
        if text not in self.known:
            (measured,) = self.campaign.measurer.measure([Candidate(self.task, {})], self.incumbent)
            self._record(text, measured)
        self.summary.default = self.known[text].cost
        self.campaign.note(self, 1)

    def run(self, trials: int, seconds: float | None) -> None:
        """Search until the trials or the time are used up, or nothing is left to try."""
        campaign, options = self.campaign, self.campaign.options
        deadline = None if seconds is None else time.monotonic() + seconds
        if not len(self.space) or self.summary.trials >= trials:
            return
        tuner = make_tuner(options.tuner, self.space, options.seed)
        tuner.remember({text: each.cost for text, each in self.known.items()})
        self.last_gain = self.summary.trials
        while self.summary.trials < trials and (deadline is None or time.monotonic() < deadline):
            points = tuner.propose(min(options.batch, trials - self.summary.trials))
            if not points or self._is_stuck():
                break
            self._measure(tuner, points)
            campaign.note(self, trials)

    def _measure(self, tuner: Tuner, points: Sequence[Point]) -> None:
        texts = [self.space.text(point) or "" for point in points]
        candidates = [self._candidate(text) for text in texts]
        for number, measured in self.campaign.measurer.stream(candidates, self.incumbent):
            self._record(texts[number], measured)
            tuner.learn([points[number]], [measured.cost(self.campaign.objective)])

    def _is_stuck(self) -> bool:
        patience = self.campaign.options.patience
        return patience is not None and self.summary.trials - self.last_gain >= patience

    def _candidate(self, text: str) -> Candidate:
        """Return the candidate of a schedule; the compiler's own choice for an empty text."""
        return Candidate(self.task, self.space.decisions(text) if text else {})

    def _default_text(self) -> str:
        for each in self.task.compilation.facts(Planned).decisions:
            if each.kind == "schedule" and each.subject == self.space.subject.key:
                return each.chosen
        return ""

    def _record(self, text: str, measured: Measurement) -> None:
        campaign = self.campaign
        decisions = (("schedule", self.space.subject.key, text),) if text else ()
        record = record_of(self.task, decisions, measured, campaign.objective, campaign.measurer)
        campaign.file.append(record)
        self.known[text] = record
        better = self._count(record)
        if better:
            self.incumbent = Incumbent(self._candidate(text), measured)

    def _count(self, record: MeasuredRecord) -> bool:
        """Take a record into the summary; say whether it is the best so far."""
        summary = self.summary
        summary.trials += 1
        summary.failed += record.cost is None
        if record.cost is None or (summary.best is not None and record.cost >= summary.best):
            return False
        summary.best, summary.decisions, summary.noise = record.cost, record.decisions, record.noise
        self.last_gain = summary.trials
        return True

    def _text_of(self, decisions: Sequence[tuple[str, str, str]]) -> str | None:
        if not decisions:
            return ""
        for kind, subject, chosen in decisions:
            if kind == "schedule" and subject == self.space.subject.key:
                return chosen
        return None
