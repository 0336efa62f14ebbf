"""Tuners under AutoTVM's names: searches of s2s/tuning that measure one task.

tuner = XGBTuner(task)
tuner.tune(n_trial=200, measure_option=measure_option(), callbacks=[callback.log_to_file("kws.log")])
"""

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from s2s.errors import InputError
from s2s.tuning.measurement import Goal
from s2s.tuning.measurer import Incumbent, Measurer
from s2s.tuning.search_space import Point
from s2s.tuning.tuners import GeneticTuner, Learning, ModelTuner, TunerName, make_tuner
from s2s.tuning.tuners import Tuner as Search
from s2s.tvm.autotvm.base_task import Configurations, Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.env import tuning
from s2s.tvm.autotvm.measure.batch import measured
from s2s.tvm.autotvm.measure.measure import MeasureOption
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, record_of_pair
from s2s.tvm.autotvm.utils import format_si_prefix

logger = logging.getLogger("autotvm")

BATCH = 8
"""Candidates that are proposed at a time."""
GRADES = {"reg": 0, "rank": 16, "rank-binary": 2}
"""The grades of costs that each loss of TVM's XGBTuner learns the order of; 0 where it learns the costs."""
LOG_INTERVAL = 50
KNOWN = {
    "feature_type": ("itervar", "knob"),
    "loss_type": tuple(GRADES),
    "optimizer": ("sa",),
}
"""What TVM's XGBTuner takes."""
Pairs = tuple[list[MeasureInput], list[MeasureResult]]
"""What was measured, and the results."""


class Tuner:
    """A search of one task.

    A program's own search is a class that overrides `next_batch`, and `has_next` and `update` where it wants to.
    """

    search: TunerName = "auto"

    def __init__(self, task: Task, *, seed: int = 0, batch: int = BATCH) -> None:
        self.task, self.seed, self.batch = task, seed, batch
        self.n_trial = 0
        self.early_stopping: int | None = None
        self.reset()

    def has_next(self) -> bool:
        """Whether there may be another configuration; an empty batch ends the search as well."""
        return True

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        """Return up to `batch_size` configurations to measure next."""
        points = self._search.propose(batch_size)
        texts = [(point, text) for point in points if (text := self.task.space.text(point)) is not None]
        self._points |= {text: point for point, text in texts}
        return [self.task.config_at(text) for _, text in texts]

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        """Learn from measurements."""
        pairs = [
            (self._points.get(self.task.text_at(inp.config)), result)
            for inp, result in zip(inputs, results, strict=True)
        ]
        costs = [(point, None if result.error_no else result.costs[0]) for point, result in pairs if point is not None]
        self._search.learn([point for point, _ in costs], [cost for _, cost in costs])

    def reset(self) -> None:
        """Forget everything that was measured."""
        self._search = self._new_search()
        self._points: dict[str, Point] = {}
        self._incumbent: Incumbent | None = None
        self.trials = 0
        self.best_iter = 0
        self.best_config: ConfigEntity | None = None
        self.best_measure_pair: tuple[MeasureInput, MeasureResult] | None = None

    def _new_search(self) -> Search:
        return make_tuner(self.search, self.task.space, self.seed)

    @property
    def space(self) -> Configurations:
        """The configurations of the task."""
        return self.task.config_space

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
            record = record_of_pair(inp, result)
            text = None if record is None or inp.task.key != self.task.key else self.task.text_of(record.decisions)
            if record is not None and text is not None:
                costs[text] = record.cost
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
        self.n_trial, self.early_stopping = n_trial, early_stopping
        with tuning(), self._measuring(measure_option, 1 / format_si_prefix(1.0, si_prefix)) as measure:
            self._tune(measure, self.trials + n_trial, early_stopping, callbacks)

    def _tune(
        self,
        measure: Callable[[Sequence[ConfigEntity]], Pairs],
        end: int,
        early_stopping: int | None,
        callbacks: Sequence[Callable[["Tuner", Sequence[MeasureInput], Sequence[MeasureResult]], Any]],
    ) -> None:
        """Measure batches until there are `end` trials, no more proposals, or no better ones for long enough."""
        while self.trials < end and self.has_next():
            configs = self.next_batch(min(self.batch, end - self.trials))
            if not configs:
                break
            inputs, results = measure(configs)
            self.update(inputs, results)
            for callback in callbacks:
                callback(self, inputs, results)
            if early_stopping is not None and self.trials - self.best_iter >= early_stopping:
                logger.debug("early stopping: the best of %d trials is trial %d", self.trials, self.best_iter)
                break

    @contextmanager
    def _measuring(self, option: MeasureOption, unit: float) -> Generator[Callable[[Sequence[ConfigEntity]], Pairs]]:
        """Give what measures a batch: a measurer of this package, which is closed in the end, or the runner of a
        program."""
        measurer = option.measurer(self.task.target)
        if measurer is None:
            kept = option.prepared(self.task)
            yield lambda configs: self._run_by(option, configs, unit)
            del kept
            return
        goal = Goal.of(measurer.objectives[0])
        measurer.require()
        try:
            yield lambda configs: self._measured(configs, measurer, goal, unit)
        finally:
            measurer.close()

    def _run_by(self, option: MeasureOption, configs: Sequence[ConfigEntity], unit: float) -> Pairs:
        inputs = [MeasureInput(self.task.target.name, self.task, config) for config in configs]
        results = option.run(inputs)
        for inp, result in zip(inputs, results, strict=True):
            self._note(inp, result)
            self._tell(inp, result, unit)
        return inputs, results

    def _measured(self, configs: Sequence[ConfigEntity], measurer: Measurer, goal: Goal, unit: float) -> Pairs:
        inputs = [MeasureInput(self.task.target.name, self.task, config) for config in configs]
        candidates, found, results = measured(inputs, measurer, goal, self._incumbent)
        for number, (inp, result) in enumerate(zip(inputs, results, strict=True)):
            if self._note(inp, result):
                self._incumbent = Incumbent(candidates[number], found[number])
            self._tell(inp, result, unit)
        return inputs, results

    def _tell(self, inp: MeasureInput, result: MeasureResult, unit: float) -> None:
        rate = self.task.flop / result.costs[0] / unit
        logger.debug("No: %d\t%.2f/%.2f\t%s\t%s", self.trials, rate, self.best_flops / unit, result[:4], inp.config)

    def _note(self, inp: MeasureInput, result: MeasureResult) -> bool:
        """Count a trial; return whether it is the best one so far."""
        self.trials += 1
        if result.error_no or (self.best_cost is not None and result.costs[0] >= self.best_cost):
            return False
        self.best_iter, self.best_config, self.best_measure_pair = self.trials, inp.config, (inp, result)
        return True


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

    def _new_search(self) -> Search:
        return GeneticTuner(self.task.space, self.seed, **self._shape)


class XGBTuner(Tuner):
    """Lets a model that learns from measurements rank configurations, and measures its favourites.

    The model is LightGBM's (`pip install 's2s-compiler[tune]'`), trained by `num_threads`, and the configurations it
    ranks come from simulated annealing. `plan_size` is the number of candidates proposed at a time. `loss_type` "reg"
    is a regression of logarithms of costs, "rank" learns their order in 16 grades, and "rank-binary" in two.
    `feature_type` "itervar" sees the configuration and the loops that it leads to, "knob" the configuration alone.
    """

    def __init__(
        self,
        task: Task,
        plan_size: int = BATCH,
        feature_type: str = "itervar",
        loss_type: str = "reg",
        num_threads: int | None = None,
        optimizer: str = "sa",
        diversity_filter_ratio: float | None = None,
        log_interval: int = LOG_INTERVAL,
        *,
        seed: int = 0,
    ) -> None:
        choices = {"feature_type": feature_type, "loss_type": loss_type, "optimizer": optimizer}
        for name, value in choices.items():
            if value not in KNOWN[name]:
                raise InputError(f"XGBTuner: {name} {value!r} is not known; give one of {', '.join(KNOWN[name])}")
        if diversity_filter_ratio is not None:
            raise InputError("XGBTuner: diversity_filter_ratio: a fifth of a batch is drawn at random; leave it out")
        if log_interval != LOG_INTERVAL:
            raise InputError("XGBTuner: log_interval: the annealing tells nothing; leave it out")
        self.learning = Learning(GRADES[loss_type], feature_type == "knob", num_threads or 1)
        super().__init__(task, seed=seed, batch=plan_size)

    def _new_search(self) -> Search:
        return ModelTuner(self.task.space, self.seed, learning=self.learning)
