"""Measuring configurations of one task: by a measurer of this package, or by the builder and runner of a program."""

from collections.abc import Sequence

from s2s.tuning.measurement import Goal, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Measurer
from s2s.tuning.recording import record_of
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.measure.measure import MeasureOption
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, result_of


def measured(
    inputs: Sequence[MeasureInput], measurer: Measurer, goal: Goal, incumbent: Incumbent | None = None
) -> tuple[list[Candidate], list[Measurement], list[MeasureResult]]:
    """Measure configurations of one task; return what was compiled, the measurements, and AutoTVM's results."""
    task = inputs[0].task
    assert isinstance(task, Task)
    texts = [task.text_at(one.config) for one in inputs]
    candidates = [Candidate(task.measurable, task.table(text)) for text in texts]
    costs = list(measurer.measure(candidates, incumbent))
    results = [
        result_of(record_of(task, task.decisions_of(text), cost, goal, measurer, task.args))
        for text, cost in zip(texts, costs, strict=True)
    ]
    return candidates, costs, results


class create_measure_batch:  # noqa: N801  a function of TVM, whose result has attributes
    """What measures configurations of a task: `create_measure_batch(task, option)(inputs)`."""

    def __init__(self, task: Task, option: MeasureOption) -> None:
        self._option, self._measurer = option, option.measurer(task.target)
        self.attach_objects = option.prepared(task) if self._measurer is None else None
        """What the runner of a program wants to be kept while it is used."""
        self.n_parallel = option.builder.n_parallel or option.builder.parallel
        """Configurations that are built at a time."""

    def __call__(self, measure_inputs: Sequence[MeasureInput]) -> list[MeasureResult]:
        """Return the result of each input."""
        if self._measurer is None:
            return self._option.run(measure_inputs)
        self._measurer.require()
        goal = Goal.of(self._measurer.objectives[0])
        return measured(measure_inputs, self._measurer, goal)[2] if measure_inputs else []
