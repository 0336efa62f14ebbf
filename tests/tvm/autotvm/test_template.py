"""Templates as tasks, and the configurations that contexts give them."""

from math import prod
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.tvm import autotvm, te
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.measure import LocalRunner
from s2s.tvm.autotvm.template_task import TemplateTask
from s2s.tvm.target import Target
from support.autotvm import MATMUL, MadeUpRunner, matmul

N = 16


@pytest.fixture(scope="module")
def task() -> TemplateTask:
    return autotvm.task.create(MATMUL, (N, "float32"), "host")


@pytest.fixture
def log(task: TemplateTask, tmp_path: Path) -> Path:
    """A log of made-up costs."""
    path = tmp_path / "matmul.log"
    option = autotvm.measure_option(runner=MadeUpRunner())
    autotvm.tuner.RandomTuner(task).tune(6, option, callbacks=[autotvm.callback.log_to_file(path)])
    return path


def inner_sizes() -> list[object]:
    """The sizes of the inner loops of the schedule that the template makes here."""
    s, (_, _, c) = matmul(N, "float32")
    return [loop.extent for loop in s[c].leaves[3:]]


def sizes_of(config: ConfigEntity | None) -> list[int]:
    assert config is not None
    return [config["tile_y"].size[1], config["tile_x"].size[1]]


def test_a_configuration_exists_while_a_template_runs_only() -> None:
    with pytest.raises(InputError, match="no template runs"):
        autotvm.get_config()


def test_unknown_templates_are_refused() -> None:
    with pytest.raises(InputError, match="task nothing: there is no such template"):
        autotvm.task.create("nothing", ())


def test_the_space_of_a_template_is_known_without_building(task: TemplateTask) -> None:
    assert len(task.config_space) == 5 * 5


def test_operations_are_counted(task: TemplateTask) -> None:
    assert task.flop == 2 * N**3


def test_arguments_and_target_make_the_key(task: TemplateTask) -> None:
    others = [autotvm.task.create(MATMUL, (8, "float32"), "host"), autotvm.task.create(MATMUL, (N, "float32"), "c")]
    assert task.key not in [each.key for each in others]


def test_points_have_the_numbers_of_their_configurations(task: TemplateTask) -> None:
    space = task.space
    for index in (0, 7, 24):
        text = task.config_space.get(index).text
        point = space.find(text)
        assert point is not None
        assert space.number(point) == index


def test_configurations_that_cannot_be_lowered_are_illegal() -> None:
    large = autotvm.task.create(MATMUL, (64, "float32"), "c")
    reason = large.refusal(large.config_space.get(len(large.config_space) - 1))
    assert reason is not None
    assert "accumulators" in reason
    assert large.space.listed is not None
    assert len(large.space.listed) < len(large.config_space)


def test_large_register_tiles_are_compiled_where_asked_for_and_not_searched() -> None:
    large = autotvm.task.create(MATMUL, (64, "float32"), "c")
    configs = [large.config_space.get(number) for number in range(len(large.config_space))]
    compiled = [each for each in configs if large.refusal(each) is None]
    searched = [large.config_at(text) for text in large.space.listed or ()]
    assert [max(prod(sizes_of(each)) for each in some) for some in (compiled, searched)] == [1024, 256]


def test_without_records_a_template_has_its_first_values() -> None:
    assert inner_sizes() == [1, 1]


def test_a_log_gives_the_best_configuration(task: TemplateTask, log: Path) -> None:
    best = min(autotvm.record.load_from_file(log), key=lambda pair: pair[1].costs[0])[0].config
    with autotvm.apply_history_best(log), Target("host"):
        assert inner_sizes() == sizes_of(best)


def test_records_of_another_target_do_not_count(log: Path) -> None:
    with autotvm.apply_history_best(log), Target("c"):
        assert inner_sizes() == [1, 1]


def test_the_innermost_context_counts(task: TemplateTask, log: Path) -> None:
    config = task.config_space.get(8)
    with autotvm.apply_history_best(log), autotvm.ApplyConfig(config):
        assert inner_sizes() == sizes_of(config)


def test_the_fallback_hides_contexts_around(log: Path) -> None:
    with autotvm.apply_history_best(log), autotvm.FallbackContext():
        assert inner_sizes() == [1, 1]


def test_a_context_ends_with_its_block(log: Path) -> None:
    with autotvm.apply_history_best(log):
        pass
    assert inner_sizes() == [1, 1]


def test_a_measured_template_computes_its_formula(task: TemplateTask) -> None:
    runner = LocalRunner(min_repeat_ms=1)
    tuner = autotvm.tuner.RandomTuner(task)
    tuner.tune(2, autotvm.measure_option(runner=runner))
    assert tuner.best_config is not None
    with autotvm.ApplyConfig(tuner.best_config):
        function = te.build(*matmul(N, "float32"))
    a, b = np.random.default_rng(0).random((2, N, N), np.float32)
    c = np.zeros((N, N), np.float32)
    function(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_a_context_tells_the_configuration_of_a_task(task: TemplateTask, log: Path) -> None:
    best = min(autotvm.record.load_from_file(log), key=lambda pair: pair[1].costs[0])[0].config
    found = autotvm.apply_history_best(log).query(task.target, task.workload)
    assert sizes_of(cast(ConfigEntity, found)) == sizes_of(best)


def test_a_context_without_a_record_tells_the_fallback(task: TemplateTask) -> None:
    assert autotvm.FallbackContext().query(task.target, task.workload).is_fallback


def test_shipped_records_are_a_context() -> None:
    assert autotvm.tophub.context("cortex-m4").records
