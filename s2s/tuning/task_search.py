"""The search of one kernel: proposes schedules, has them measured, and keeps the best."""

import time
from collections.abc import Iterator, Sequence
from math import inf

from s2s.tuning.campaign import Campaign, best_of
from s2s.tuning.changes import changes_between
from s2s.tuning.measurement import Measurement
from s2s.tuning.measurer import Candidate, Incumbent
from s2s.tuning.records import MeasuredRecord
from s2s.tuning.remeasure import renamed
from s2s.tuning.search_space import Point
from s2s.tuning.space import Space
from s2s.tuning.summary import TaskSummary
from s2s.tuning.task import Task
from s2s.tuning.tuners import Tuner, make_tuner

TAKEN_OVER = 8
"""Schedules of other tasks that are tried early."""


class TaskSearch:
    """The search of one task."""

    def __init__(self, task: Task, campaign: Campaign, number: int) -> None:
        self.task, self.campaign, self.number = task, campaign, number
        self.space = Space(task)
        self.summary = TaskSummary(task.key, task.name, task.nodes, task.calls, self.space.describe())
        known = ((self.space.text_of(each.decisions), each) for each in campaign.known(task))
        self.known = {text: each for text, each in known if text is not None}
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
        text = self.task.default
        if text not in self.known:
            (measured,) = self.campaign.measurer.measure([Candidate(self.task, {})], self.incumbent)
            self._record(text, measured)
        self.summary.default = self.known[text].cost
        self.campaign.note(self.summary, self.number, 1)

    def run(self, trials: int, seconds: float | None) -> None:
        """Search until the trials or the time are used up, or nothing is left to try."""
        deadline = None if seconds is None else time.monotonic() + seconds
        if self.space.size and self.summary.trials < trials:
            tuner = self._tuner()
            self.last_gain = self.summary.trials
            self._search(tuner, trials, deadline)
            self.campaign.note(self.summary, self.number, trials)
            tuner.teach()
            self._confirm()
        self._keep_best()
        best = self.space.text_of(self.summary.decisions)
        if best:
            self.summary.changes = changes_between(self.space, self.task.default, best)

    def _tuner(self) -> Tuner:
        """The search, which knows what was measured, of this task and of others."""
        options = self.campaign.options
        tuner = make_tuner(options.tuner, self.space, options.seed, self.campaign.experience, self.task.key)
        tuner.remember({text: each.cost for text, each in self.known.items()})
        best: dict[str, MeasuredRecord] = {}
        for each in self.campaign.elsewhere(self.task.key):
            before = best.get(each.task)
            if before is None or (each.cost or 0.0) < (before.cost or 0.0):
                best[each.task] = each
        made = (decision for each in best.values() for decision in each.decisions)
        texts = dict.fromkeys((*self._outdated(), *(chosen for kind, _, chosen in made if kind == "schedule")))
        tuner.begin_with([point for text in texts if (point := self.space.find(text)) is not None][:TAKEN_OVER])
        return tuner

    def _outdated(self) -> Iterator[str]:
        """Yield the choices that were good in other versions of the lowering, which are measured anew."""
        for key, each in self.campaign.outdated(self.task):
            text = self.space.text_of(renamed(each.decisions, key, self.task.key))
            if text:
                yield text

    def _search(self, tuner: Tuner, trials: int, deadline: float | None) -> None:
        """Have proposals measured; where many are measured at a time, the next ones are made before all are done."""
        proposed: list[Point] = []
        before = self.summary.trials

        def more() -> Sequence[Candidate]:
            left = trials - before - len(proposed)
            if left <= 0 or self._is_stuck() or (deadline is not None and time.monotonic() >= deadline):
                return []
            if proposed:
                self.campaign.note(self.summary, self.number, trials)
            points = tuner.propose(min(self.campaign.options.batch, left))
            proposed.extend(points)
            return [self._candidate(self.space.text(point) or "") for point in points]

        for number, measured in self.campaign.measurer.flow(more, lambda: self.incumbent):
            point = proposed[number]
            record = self._record(self.space.text(point) or "", measured)
            tuner.learn([point], [record.cost])

    def _is_stuck(self) -> bool:
        patience = self.campaign.options.patience
        return patience is not None and self.summary.trials - self.last_gain >= patience

    def _candidate(self, text: str) -> Candidate:
        """Return the candidate of a schedule; the compiler's own choice for an empty text."""
        return Candidate(self.task, self.space.decisions(text) if text else {})

    def _record(self, text: str, measured: Measurement) -> MeasuredRecord:
        decisions = tuple(
            (kind, subject, chosen)
            for kind, choices in (self.space.decisions(text) if text else {}).items()
            for subject, chosen in choices.items()
        )
        record = self.campaign.record(self.task, decisions, measured)
        self.known[text] = record
        if self._count(record):
            self.incumbent = Incumbent(self._candidate(text), measured)
        return record

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

    def _confirm(self) -> None:
        """Where time counts, measure the best one again, until the best was measured twice or is the default."""
        default, confirmed = self.known.get(self.task.default), {self.task.default}
        if default is None or default.cost is None or "time" not in self.campaign.goal.objectives:
            return
        incumbent = Incumbent(self._candidate(""), Measurement(dict(default.costs), seconds=default.seconds))
        while True:
            text, best = min(self.known.items(), key=lambda each: inf if each[1].cost is None else each[1].cost)
            if text in confirmed or best.confirms:
                break
            confirmed.add(text)
            (found,) = self.campaign.measurer.confirm([self._candidate(text)], incumbent)
            self.known[text] = self.campaign.record(self.task, best.decisions, found, confirms=True)
        self.summary.best, self.summary.decisions, self.summary.noise = best.cost, best.decisions, best.noise

    def _keep_best(self) -> None:
        """Write the best record with its cost by this goal, where it was measured for another one: compilations compare
        records of one unit."""
        best = best_of(list(self.known.values()))
        if best is not None and not self.campaign.is_written(best):
            self.campaign.write(best)
