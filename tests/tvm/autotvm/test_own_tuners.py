"""Searches that a program writes, measurements by hand, and templates of registered computes and schedules."""

from typing import Any

import pytest

from s2s.errors import InputError
from s2s.tvm import autotvm, te, topi
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.tuner import IndexBaseTuner, Tuner

NAME = "test/own_dense"


@autotvm.register_topi_compute(NAME)
def dense(cfg: Any, data: te.Tensor, weight: te.Tensor) -> te.Tensor:
    return topi.nn.dense(data, weight)


@autotvm.register_topi_schedule(NAME)
def schedule(cfg: Any, outs: list[te.Tensor]) -> te.Schedule:
    s = te.create_schedule(outs[0].op)
    cfg.define_split("tile", outs[0].op.axis[1], num_outputs=2)
    cfg["tile"].apply(s, outs[0], outs[0].op.axis[1])
    return s


def task() -> Any:
    return autotvm.task.create(NAME, [("TENSOR", (4, 8), "float32"), ("TENSOR", (8, 8), "float32")], "host")


class Backwards(Tuner):
    """Takes configurations from the last number to the first."""

    def __init__(self, task: Any) -> None:
        self.left = len(task.config_space)
        self.seen: list[float] = []
        super().__init__(task)

    def has_next(self) -> bool:
        return self.left > 0

    def next_batch(self, batch_size: int) -> list[ConfigEntity]:
        numbers = range(self.left - 1, max(self.left - 1 - batch_size, -1), -1)
        self.left -= len(numbers)
        return [self.task.config_space.get(each) for each in numbers]

    def update(self, inputs: Any, results: Any) -> None:
        self.seen += [each.costs[0] for each in results]


def test_a_search_of_the_program_is_asked_and_told():
    tuner, monitor = Backwards(task()), autotvm.callback.Monitor()
    tuner.tune(3, autotvm.measure_option(), callbacks=[monitor])
    assert len(tuner.seen) == len(monitor.trial_scores()) == len(monitor.trial_timestamps()) == 3
    assert tuner.best_config is not None
    assert min(tuner.seen) == tuner.best_cost


def test_numbers_in_order():
    tuner = IndexBaseTuner(task(), (1, 2))
    assert [each.index for each in tuner.next_batch(8)] == [1, 2]
    assert not tuner.has_next()
    with pytest.raises(InputError, match=r"IndexBaseTuner: range_idx \(2, 99\): there are 4"):
        IndexBaseTuner(task(), (2, 99))


def test_a_batch_is_measured_by_hand():
    one = task()
    measure = autotvm.create_measure_batch(one, autotvm.measure_option())
    [result] = measure([MeasureInput(one.target.name, one, one.config_space.get(0))])
    assert isinstance(result, MeasureResult)
    assert result.error_no == 0
    assert measure([]) == []


def test_a_context_is_updated_and_found():
    one = task()
    assert isinstance(autotvm.DispatchContext.current, autotvm.FallbackContext)
    with autotvm.FallbackContext() as context:
        assert autotvm.DispatchContext.current is context
        context.update(one.target, one.workload, one.config_space.get(2))
        assert getattr(context.query(one.target, one.workload), "index", None) == 2
    with autotvm.utils.EmptyContext():
        assert autotvm.DispatchContext.current is not context


def test_a_task_has_both_parts():
    assert NAME in autotvm.task.TASK_TABLE
    assert len(task().config_space) == 4
    with pytest.raises(InputError, match=r"argument 0 is \('TENSOR', \(4, 8\)\); give \('TENSOR', shape, dtype\)"):
        _ = autotvm.task.create(NAME, [("TENSOR", (4, 8)), ("TENSOR", (8, 8), "float32")], "host").config_space
