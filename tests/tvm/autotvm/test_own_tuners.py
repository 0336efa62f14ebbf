"""Searches that a program writes, measurements by hand, and templates of registered computes and schedules."""

from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import autotvm, te, topi
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.space import FallbackConfigEntity
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


def test_a_batch_is_measured_where_tvm_has_it():
    tuned = task()
    batch = autotvm.measure.create_measure_batch(tuned, autotvm.measure_option(runner=autotvm.LocalRunner(repeat=1)))
    results = batch([MeasureInput(tuned.target.name, tuned, tuned.config_space.get(0))])
    assert (len(results), results[0].error_no) == (1, 0)
    assert batch.n_parallel > 0


def current() -> Any:
    """The innermost dispatch context."""
    return autotvm.task.DispatchContext.current


class Counting(autotvm.measure.Builder):
    """Builds by the code of the package, and counts."""

    built = 0

    def build(self, measure_inputs: Any) -> list[Any]:
        self.built += len(measure_inputs)
        return super().build(measure_inputs)


class Loading(autotvm.measure.Runner):
    """Loads each library, and runs it once."""

    def run(self, measure_inputs: Any, build_results: Any) -> list[MeasureResult]:
        for each in build_results:
            arrays = [tvm.nd.array(np.ones(shape, dtype)) for shape, dtype in each.arg_info]
            tvm.runtime.load_module(each.filename)(*arrays)
            assert arrays[-1].numpy().max() == 8
        return [MeasureResult((1.0,), 0, 0.0, 0.0) for _ in measure_inputs]


def test_a_builder_and_a_runner_of_the_program_are_used():
    builder = Counting()
    tuner = autotvm.tuner.GridSearchTuner(task())
    tuner.tune(2, autotvm.measure_option(builder, Loading()))
    assert (builder.built, tuner.best_cost, builder.task) == (2, 1.0, tuner.task)
    with pytest.raises(InputError, match="LocalRunner: builds candidates itself; give LocalBuilder"):
        tuner.tune(1, autotvm.measure_option(builder, autotvm.LocalRunner()))


class Telling(autotvm.task.DispatchContext):
    """Tells one workload's configuration, and notes what was asked."""

    def __init__(self, workload: Any, config: ConfigEntity) -> None:
        super().__init__()
        self.known, self.asked = {workload: config}, list[Any]()

    def _query_inside(self, target: object, workload: Any) -> Any:
        self.asked.append((target, workload))
        return self.known.get(tuple(workload))

    def update(self, target: object, workload: Any, cfg: ConfigEntity) -> None:
        self.known[tuple(workload)] = cfg


def test_a_context_of_the_program_tells_templates_their_configurations():
    tuned = task()
    context = Telling(tuned.workload, tuned.config_space.get(2))
    target = tvm.target.Target("llvm")
    with context, target:
        assert current() is context
        assert context.query(target, tuned.workload) is context.known[tuned.workload]
        s, _ = tuned.func(*tuned.args)
        [divided] = [each for each in s.stages if each.relations]
        assert divided.relations[0].factor == context.known[tuned.workload]["tile"].size[-1]
        with autotvm.apply_history_best([]):
            assert current().query(target, tuned.workload) is context.known[tuned.workload]
        with autotvm.FallbackContext():
            assert current().query(target, tuned.workload).is_fallback
        assert isinstance(context.query(target, ("other",)), FallbackConfigEntity)
    assert str(context.asked[0][0]) == str(target)
    with pytest.raises(NotImplementedError, match="_query_inside: is not defined"):
        autotvm.task.dispatcher.DispatchContext().query(target, tuned.workload)


def test_one_configuration_is_that_of_every_template():
    tuned = task()
    with autotvm.task.ApplyConfig(tuned.config_space.get(1)) as context, tvm.target.Target("llvm"):
        assert current().query(None, tuned.workload).index == 1
        context.update(None, tuned.workload, tuned.config_space.get(3))
        assert current().query(None, ("any",)).index == 3


class Answers(autotvm.ApplyHistoryBest):
    """Answers otherwise than its records."""

    def _query_inside(self, target: object, workload: Any) -> None:
        """Know nothing."""


@pytest.mark.parametrize("make", [lambda: autotvm.ApplyConfig(ConfigEntity(0, {})), lambda: Answers([])])
def test_a_network_refuses_a_context_that_it_would_not_ask(make: Any):
    x = tvm.relay.var("x", shape=(2, 2))
    network = tvm.IRModule.from_expr(tvm.relay.nn.relu(x))
    with make(), pytest.raises(UnsupportedError, match="a network takes records, and asks no context of a program"):
        tvm.relay.build(network, target="c")
    with autotvm.ApplyHistoryBest([]):
        tvm.relay.build(network, target="c")
