"""Arguments that programs written for TVM pass."""

from collections.abc import Mapping
from typing import Any

import pytest

from s2s.errors import InputError
from s2s.targets import get_target
from s2s.tvm import autotvm
from s2s.tvm.autotvm.template_task import TemplateTask
from support.autotvm import MATMUL


@pytest.fixture(scope="module")
def task() -> TemplateTask:
    return autotvm.task.create(MATMUL, (16, "float32"), "host")


def test_points_and_places_stand_for_each_other(task: TemplateTask) -> None:
    space = task.config_space
    assert [space.knob2point(space.point2knob(number)) for number in range(len(space))] == list(range(len(space)))


def test_places_are_those_of_the_configuration(task: TemplateTask) -> None:
    space = task.config_space
    places = space.point2knob(7)
    values = [space.space_map[name][place] for name, place in zip(space.space_map, places, strict=True)]
    assert values == list(space.get(7).entities.values())


def test_a_drawn_number_is_valid(task: TemplateTask) -> None:
    space = task.config_space
    assert space.is_index_valid(space.get_rand_index(start=3))
    assert not space.is_index_valid(len(space))


def test_the_genetic_tuner_takes_the_size_of_generations(task: TemplateTask) -> None:
    assert autotvm.tuner.GATuner(task, pop_size=50).batch == 50


def test_the_learned_tuner_takes_tvms_arguments(task: TemplateTask) -> None:
    pytest.importorskip("lightgbm")
    for loss in ("reg", "rank", "rank-binary"):
        tuner = autotvm.tuner.XGBTuner(task, 5, feature_type="knob", loss_type=loss, num_threads=2)
        assert (tuner.batch, tuner.learning.knobs_alone, tuner.learning.threads) == (5, True, 2)
    assert not autotvm.tuner.XGBTuner(task).learning.knobs_alone


REFUSED_OF_TUNER: Mapping[str, Mapping[str, Any]] = {
    "feature_type 'curve' is not known": {"feature_type": "curve"},
    "optimizer 'reg' is not known": {"optimizer": "reg"},
    "diversity_filter_ratio: a fifth of a batch is drawn at random": {"diversity_filter_ratio": 2.0},
    "log_interval: the annealing tells nothing": {"log_interval": 10},
}


@pytest.mark.parametrize(("fact", "given"), REFUSED_OF_TUNER.items(), ids=REFUSED_OF_TUNER.keys())
def test_what_the_learned_tuner_cannot_do_is_refused(task: TemplateTask, fact: str, given: Mapping[str, Any]) -> None:
    with pytest.raises(InputError, match=fact):
        autotvm.tuner.XGBTuner(task, **given)


def test_a_loss_that_is_not_known_is_refused(task: TemplateTask) -> None:
    with pytest.raises(InputError, match="loss_type 'best' is not known; give one of reg"):
        autotvm.tuner.XGBTuner(task, loss_type="best")


def test_runners_take_tvms_arguments() -> None:
    runner = autotvm.LocalRunner(timeout=7, number=5, repeat=1, min_repeat_ms=20, cooldown_interval=0.5)
    limits = runner.measurer(get_target("host"), autotvm.LocalBuilder(timeout=9)).limits
    assert (limits.build_seconds, limits.run_seconds, limits.rounds) == (9, 7, (1,))
    assert (limits.round_seconds, limits.calls, limits.cooldown) == (0.02, 5, 0.5)
    assert autotvm.measure_option(autotvm.LocalBuilder(timeout=5, build_func="default"), runner).runner is runner
    with pytest.raises(InputError, match="enable_cpu_cache_flush: candidates run in warm caches; leave it out"):
        autotvm.LocalRunner(enable_cpu_cache_flush=True)
