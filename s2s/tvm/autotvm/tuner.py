"""Tuners under AutoTVM's names: searches of s2s/tuning that measure one task.

tuner = XGBTuner(task)
tuner.tune(n_trial=200, measure_option=measure_option(), callbacks=[callback.log_to_file("kws.log")])
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2s.errors import InputError
from s2s.tuning.measurement import Goal, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Measurer
from s2s.tuning.recording import record_of
from s2s.tuning.search_space import Point
from s2s.tuning.tuners import GeneticTuner, TunerName, make_tuner
from s2s.tuning.tuners import Tuner as Search
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure import MeasureOption
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, result_of

logger = logging.getLogger("autotvm")

BATCH = 8
"""Candidates that are proposed at a time."""
KNOWN = {
    "feature_type": ("itervar", "knob", "curve"),
    "loss_type": ("reg", "rank", "rank-binary"),
    "optimizer": ("sa",),
}
"""What TVM's XGBTuner takes."""
_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Tuner:
    """A search of one task."""

    search: TunerName

    def __init__(self, task: Task, *, seed: int = 0, batch: int = BATCH) -> None:
        self.task, self.seed, self.batch = task, seed, batch
        self.reset()

    def reset(self) -> None:
        """Forget everything that was measured."""
        self._search = self._made()
        self._incumbent: Incumbent | None = None
        self.trials = 0
        self.best_iter = 0
        self.best_config: ConfigEntity | None = None
        self.best_measure_pair: tuple[MeasureInput, MeasureResult] | None = None

    def _made(self) -> Search:
        return make_tuner(self.search, self.task.space, self.seed)

    @property
    def best_cost(self) -> float | None:
        """The least cost so far."""
        return None if self.best_measure_pair is None else self.best_measure_pair[1].costs[0]

    @property
    def best_flops(self) -> float:
        """Operations a second, or an instruction, of the best configuration so far."""
        return self.task.flop / self.best_cost if self.best_cost else 0.0

    def load_history(self, data_set: Iterable[tuple[MeasureInput, MeasureResult]]) -> None:
        """Take over earlier measurements of the task: they teach the search, and are not made again."""
        costs: dict[str, float | None] = {}
        for inp, result in data_set:
            text = self.task.text_of(result.record.decisions) if inp.task.key == self.task.key else None
            if text is not None:
                costs[text] = result.record.cost
        self._search.remember(costs)

    def tune(
        self,
        n_trial: int,
        measure_option: MeasureOption,
        early_stopping: int | None = None,
        callbacks: Sequence[Callable[["Tuner", Sequence[MeasureInput], Sequence[MeasureResult]], Any]] = (),
        si_prefix: str = "G",
    ) -> None:
        """Measure up to `n_trial` configurations, or until `early_stopping` of them in a row were no better.

        Each callback is called after each batch, with the tuner, what was measured, and the results.
        """
        measurer, end = measure_option.measurer(self.task.target), self.trials + n_trial
        goal = Goal.of(measurer.objectives[0])
        measurer.require()
        while self.trials < end:
            points = self._search.propose(min(self.batch, end - self.trials))
            if not points:
                break
            inputs, results = self._measured(points, measurer, goal, _PREFIXES[si_prefix])
            for callback in callbacks:
                callback(self, inputs, results)
            if early_stopping is not None and self.trials - self.best_iter >= early_stopping:
                logger.debug("early stopping: the best of %d trials is trial %d", self.trials, self.best_iter)
                break

    def _measured(
        self, points: Sequence[Point], measurer: Measurer, goal: Goal, unit: float
    ) -> tuple[list[MeasureInput], list[MeasureResult]]:
        task = self.task
        texts = [text for point in points if (text := task.space.text(point)) is not None]
        candidates = [Candidate(task.measurable, task.table(text)) for text in texts]
        found = measurer.measure(candidates, self._incumbent)
        self._search.learn(points, [goal.cost(each) for each in found])
        inputs = [MeasureInput(task.target.name, task, task.config_at(text)) for text in texts]
        results = [
            result_of(record_of(task, task.decisions_of(text), each, goal, measurer, task.args))
            for text, each in zip(texts, found, strict=True)
        ]
        for number, (inp, result) in enumerate(zip(inputs, results, strict=True)):
            self._note(inp, result, candidates[number], found[number])
            rate = task.flop / result.costs[0] / unit
            logger.debug("No: %d\t%.2f/%.2f\t%s\t%s", self.trials, rate, self.best_flops / unit, result[:4], inp.config)
        return inputs, results

    def _note(self, inp: MeasureInput, result: MeasureResult, candidate: Candidate, measured: Measurement) -> None:
        self.trials += 1
        if result.error_no or (self.best_cost is not None and result.costs[0] >= self.best_cost):
            return
        self.best_iter, self.best_config, self.best_measure_pair = self.trials, inp.config, (inp, result)
        self._incumbent = Incumbent(candidate, measured)


class GridSearchTuner(Tuner):
    """Takes all configurations in order."""

    search = "grid"


class RandomTuner(Tuner):
    """Takes configurations at random."""

    search = "random"


class GATuner(Tuner):
    """Crosses and mutates the best configurations so far.

    A generation has `pop_size` configurations; the best `elite_num` so far are parents of the next one, and a child is
    mutated with the probability `mutation_prob`.
    """

    search = "ga"

    def __init__(
        self, task: Task, pop_size: int = BATCH, elite_num: int = 16, mutation_prob: float = 0.7, *, seed: int = 0
    ) -> None:
        self._shape = {"parents": elite_num, "mutation": mutation_prob}
        super().__init__(task, seed=seed, batch=pop_size)

    def _made(self) -> Search:
        return GeneticTuner(self.task.space, self.seed, **self._shape)


class XGBTuner(Tuner):
    """Lets a model that learns from measurements rank configurations, and measures its favourites.

    The model is LightGBM's (`pip install 's2s-compiler[tune]'`), and the configurations it ranks come from simulated
    annealing. `plan_size` is the number of candidates proposed at a time. The model is a regression of logarithms of
    costs on features of the configuration and of the loops that it leads to: `feature_type` and `loss_type` are
    accepted for programs that were written for TVM, as are `optimizer` "sa" and the others.
    """

    search = "model"

    def __init__(
        self,
        task: Task,
        plan_size: int = BATCH,
        feature_type: str = "itervar",
        loss_type: str = "reg",
        num_threads: int | None = None,
        optimizer: str = "sa",
        diversity_filter_ratio: float | None = None,
        log_interval: int = 50,
        *,
        seed: int = 0,
    ) -> None:
        given = {"feature_type": feature_type, "loss_type": loss_type, "optimizer": optimizer}
        for name, value in given.items():
            if value not in KNOWN[name]:
                raise InputError(f"XGBTuner: {name} {value!r} is not known; give one of {', '.join(KNOWN[name])}")
        super().__init__(task, seed=seed, batch=plan_size)
