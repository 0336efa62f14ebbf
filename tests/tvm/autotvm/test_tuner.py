"""Tuners under AutoTVM's names: how long they go on, what they remember, and whom they tell."""

import logging
from pathlib import Path

import pytest

from s2s.errors import InputError
from s2s.tvm import autotvm
from s2s.tvm.autotvm.measure import MeasureOption
from s2s.tvm.autotvm.template_task import TemplateTask
from s2s.tvm.autotvm.tuner import GATuner, GridSearchTuner, RandomTuner, Tuner, XGBTuner
from support.autotvm import MATMUL, MadeUpRunner

TUNERS = (GridSearchTuner, RandomTuner, GATuner, XGBTuner)


@pytest.fixture(scope="module")
def task() -> TemplateTask:
    return autotvm.task.create(MATMUL, (16, "float32"), "host")


def option(runner: MadeUpRunner | None = None) -> MeasureOption:
    return autotvm.measure_option(runner=runner if runner is not None else MadeUpRunner())


@pytest.mark.parametrize("kind", TUNERS)
def test_a_tuner_takes_as_many_trials_as_it_may(task: TemplateTask, kind: type[Tuner]) -> None:
    if kind is XGBTuner:
        pytest.importorskip("lightgbm")
    runner = MadeUpRunner()
    tuner = kind(task)
    tuner.tune(10, option(runner))
    assert (tuner.trials, len(runner.measured)) == (10, 10)


def test_the_best_configuration_has_the_least_cost(task: TemplateTask) -> None:
    costs: list[float] = []
    tuner = RandomTuner(task)
    tuner.tune(10, option(), callbacks=[lambda _, __, results: costs.extend(each.costs[0] for each in results)])
    assert tuner.best_cost == min(costs)
    assert tuner.best_iter == costs.index(min(costs)) + 1


def test_a_grid_ends_with_its_space(task: TemplateTask) -> None:
    tuner = GridSearchTuner(task)
    tuner.tune(1000, option())
    assert task.space.listed is not None
    assert tuner.trials == len(task.space.listed)


def test_trials_without_a_gain_end_early(task: TemplateTask) -> None:
    tuner = RandomTuner(task)
    tuner.tune(1000, option(MadeUpRunner(fails=True)), early_stopping=8)
    assert tuner.trials == 8
    assert tuner.best_config is None


def test_history_is_not_measured_again(task: TemplateTask, tmp_path: Path) -> None:
    log = tmp_path / "matmul.log"
    GridSearchTuner(task).tune(1000, option(), callbacks=[autotvm.callback.log_to_file(log)])
    again = MadeUpRunner()
    tuner = GridSearchTuner(task)
    tuner.load_history(autotvm.record.load_from_file(log))
    tuner.tune(1000, option(again))
    assert again.measured == []


def test_the_logger_is_told_of_every_trial(task: TemplateTask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "autotvm")
    RandomTuner(task).tune(3, option())
    assert [line.split("\t")[0] for line in caplog.messages] == ["No: 1", "No: 2", "No: 3"]


def test_progress_ends_with_all_trials(task: TemplateTask, capsys: pytest.CaptureFixture[str]) -> None:
    RandomTuner(task).tune(3, option(), callbacks=[autotvm.callback.progress_bar(3, prefix="[1/1]")])
    assert "[1/1] Current/Best" in (shown := capsys.readouterr().err)
    assert "Progress: (3/3)" in shown


def test_unknown_builders_are_refused() -> None:
    with pytest.raises(InputError, match="builder 'remote' is not known"):
        autotvm.measure_option(builder="remote")
