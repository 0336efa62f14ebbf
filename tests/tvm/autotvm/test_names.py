"""Arguments that programs written for TVM pass."""

import pytest

from s2s.errors import InputError
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
    assert autotvm.tuner.XGBTuner(task, feature_type="knob", loss_type="rank").batch > 0


def test_a_loss_that_is_not_known_is_refused(task: TemplateTask) -> None:
    with pytest.raises(InputError, match="loss_type 'best' is not known; give one of reg"):
        autotvm.tuner.XGBTuner(task, loss_type="best")


def test_runners_take_tvms_arguments() -> None:
    runner = autotvm.LocalRunner(number=5, repeat=1, min_repeat_ms=20)
    assert autotvm.measure_option(autotvm.LocalBuilder(timeout=5, build_func="default"), runner).runner is runner
    with pytest.raises(InputError, match="enable_cpu_cache_flush: candidates run in warm caches; leave it out"):
        autotvm.LocalRunner(enable_cpu_cache_flush=True)
