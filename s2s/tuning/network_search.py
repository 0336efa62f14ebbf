"""The search of the decisions about a whole network: fusion, layouts, algorithms, row tiles, copies.

A candidate costs the sum of its kernels' costs, each with the best schedule that a record knows, else with the
compiler's own. A kernel that is new is measured, once. The search changes one decision of the best candidate at a time.
"""

import time
from collections.abc import Iterator, Mapping, Sequence

from s2s.stages.memory import Planned
from s2s.tuning.campaign import Campaign, best_of
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.measurer import Candidate
from s2s.tuning.network import NetworkSpace, NetworkTask
from s2s.tuning.open_decision import decided_of, table_of, text_of
from s2s.tuning.records import NETWORK, MeasuredRecord
from s2s.tuning.summary import TaskSummary
from s2s.tuning.task import FoundKernel
from s2s.tuning.tuners import SMALL, make_tuner


class KernelCosts:
    """The costs of kernels without their RAM, each measured once.

    The RAM of a network is no sum: it is the most that its kernels take one after the other, and the memory plan tells
    it.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._costs: dict[str, Mapping[str, float] | None] = {}
        """What the best record of each kernel has measured, by unit; None where every one failed."""

    def total(self, kernels: Sequence[FoundKernel]) -> float | None:
        """Return what the calls of some kernels cost in one run of a network; None where one of them fails."""
        self._measure([each for each in kernels if each.key not in self._costs])
        total = 0.0
        for each in kernels:
            costs = self._costs[each.key]
            cost = None if costs is None else self.campaign.goal.without("ram").of_run(costs, each.calls)
            if cost is None:
                return None
            total += cost
        return total

    def _measure(self, kernels: Sequence[FoundKernel]) -> None:
        new: list[FoundKernel] = []
        for each in kernels:
            known = self.campaign.known(each)
            if known:
                self._costs[each.key] = self._measured(best_of(known))
            else:
                new.append(each)
        found = self.campaign.measurer.measure_each([Candidate(each.task, {}) for each in new])
        for kernel, measured in zip(new, found, strict=True):
            task = kernel.task
            default = task.default if measured.error is ErrorKind.NO_ERROR else ""
            decisions = (("schedule", task.largest.key, default),) if default else ()
            self._costs[kernel.key] = self._measured(self.campaign.record(task, decisions, measured))

    def _measured(self, record: MeasuredRecord | None) -> Mapping[str, float] | None:
        """What a record has measured, by unit; records that others have written may tell their cost only."""
        if record is None or record.cost is None:
            return None
        return {record.unit: record.cost, **record.costs}


class NetworkSearch:
    """The search of one network."""

    def __init__(self, network: NetworkTask, campaign: Campaign) -> None:
        self.network, self.campaign = network, campaign
        self.space = NetworkSpace(network)
        self.costs = KernelCosts(campaign)
        self.summary = TaskSummary(network.key, NETWORK, "", 1, self.space.describe())
        self.best = "[]"
        """The decisions of the best candidate."""

    @property
    def kernels(self) -> Sequence[FoundKernel]:
        """The kernels of the best candidate."""
        return self.space.kernels(self.best) or ()

    def run(self, trials: int, seconds: float | None) -> None:
        """Search until the trials or the time are used up, or nothing is left to try."""
        deadline = None if seconds is None else time.monotonic() + seconds
        known = self._known()
        self.summary.default = self._cost("[]")
        name = self.campaign.options.tuner
        if name in ("auto", "model"):
            name = "grid" if self.space.size <= SMALL else "climb"
        tuner = make_tuner(name, self.space, self.campaign.options.seed)
        tuner.remember(known)
        while self.summary.trials < trials and (deadline is None or time.monotonic() < deadline):
            points = tuner.propose(1)
            if not points:
                break
            text = self.space.text(points[0]) or "[]"
            cost = self.summary.default if text == "[]" else self._cost(text)
            tuner.learn(points, [cost])
            self._count(text, cost)
            self.campaign.record_sum(self.network, decided_of(text), cost)
            self.campaign.note(self.summary, 0, trials)
        self.summary.changes = tuple(self._changes())

    def _changes(self) -> Iterator[str]:
        """What the best candidate does otherwise than the compiler itself."""
        made = {(kind, subject): chosen for kind, subject, chosen in self.summary.decisions}
        for knob in self.space.knobs:
            if (knob.kind, knob.subject) in made:
                yield f"{knob.kind} of {knob.about}: {knob.choices[0]} -> {made[knob.kind, knob.subject]}"

    def _known(self) -> dict[str, float | None]:
        """What earlier runs have tried, of other versions of the lowering too, with the costs that the kernels have
        now."""
        tried = [*self.campaign.sums(self.network), *(each for _, each in self.campaign.outdated(self.network))]
        texts = [text_of(each.decisions) for each in tried]
        found = {text: self._cost(text) for text in dict.fromkeys(texts) if self.space.find(text) is not None}
        for text, cost in found.items():
            self._count(text, cost)
        return found

    def _cost(self, text: str) -> float | None:
        kernels = self.space.kernels(text)
        if kernels is None:
            return None
        goal = self.campaign.goal
        ram = goal.weight("ram")
        total = self.costs.total(kernels) if goal.objectives != ("ram",) else 0.0
        if not ram or total is None:
            return total
        made = self.network.with_decisions(table_of(decided_of(text)))
        return total + ram * (made.facts(Planned).arena + made.info.ports_size)

    def _count(self, text: str, cost: float | None) -> None:
        summary = self.summary
        summary.trials += 1
        summary.failed += cost is None
        if cost is not None and (summary.best is None or cost < summary.best):
            self.best, summary.best, summary.decisions = text, cost, decided_of(text)
