"""Arguments that programs written for TVM pass."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from s2s.errors import InputError
from s2s.targets import get_target
from s2s.tvm import autotvm, te
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


def test_the_scope_says_that_a_tuner_measures(task: TemplateTask) -> None:
    seen: list[bool] = []

    def look(*_: object) -> None:
        seen.append(autotvm.GLOBAL_SCOPE.in_tuning)

    option = autotvm.measure_option("local", autotvm.LocalRunner(number=1, min_repeat_ms=0))
    autotvm.tuner.RandomTuner(task).tune(1, option, callbacks=[look])
    assert (seen, autotvm.GLOBAL_SCOPE.in_tuning) == ([True], False)


def test_the_scope_of_another_process_is_taken_over(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text('{"input": ["llvm", "of_nobody", [], {}], "config": {}, "result": [[1], 0, 1, 1], "version": 0.2}\n')
    before = autotvm.GLOBAL_SCOPE.silent
    try:
        given = autotvm.env.AutotvmGlobalScope()
        given.silent = True
        autotvm.env.reset_global_scope(given)
        assert autotvm.env.AutotvmGlobalScope.current is given
        autotvm.apply_history_best(str(log))
        assert caplog.text == ""
    finally:
        autotvm.GLOBAL_SCOPE.silent = before
    autotvm.apply_history_best(str(log))
    assert "1 lines are of tasks that this program does not have" in caplog.text


def test_helpers_rank_map_and_scale() -> None:
    utils = autotvm.utils
    assert utils.get_rank([0.5, 3.0, 2.0]).tolist() == [2, 0, 1]
    mapped = utils.pool_map(lambda value: [value, value**2], [1, 2, 3], batch_size=2)
    assert mapped is not None
    assert mapped.tolist() == [[1, 1], [2, 4], [3, 9]]
    assert utils.pool_map(abs, [], 4) is None
    assert utils.get_func_name(test_helpers_rank_map_and_scale) == "test_helpers_rank_map_and_scale"
    assert [utils.format_si_prefix(1.5e9, each) for each in ("G", "M", "")] == pytest.approx([1.5, 1500, 1.5e9])
    with pytest.raises(ValueError, match="si_prefix 'X': is not known"):
        utils.format_si_prefix(1, "X")
    assert utils.get_const_tuple((te.const(2), 3)) == (2, 3)
    assert utils.get_const_int(te.const(2)) == 2
    space = autotvm.task.space
    assert (space.get_pow2s(20), space.get_factors(20)) == ([1, 2, 4, 8, 16], [1, 2, 4, 5, 10, 20])


def test_values_of_knobs_have_kinds(task: TemplateTask) -> None:
    kinds = autotvm.task.space
    values = {
        kinds.SplitEntity((-1, 4)): [-1, 4],
        kinds.ReorderEntity((1, 0)): [1, 0],
        kinds.AnnotateEntity(("none", "vec")): ["none", "vec"],
        kinds.OtherOptionEntity("fast"): "fast",
    }
    assert [entity.value for entity in values] == list(values.values())
    assert isinstance(autotvm.ConfigSpace().axis(8), kinds.VirtualAxis)


@autotvm.template("tests.refusing")
def refusing(size: int) -> Any:
    """A template that refuses one of two configurations."""
    a = te.placeholder((size,), name="A")
    b = te.compute((size,), lambda i: a[i] + 1, name="B")
    config = autotvm.get_config()
    config.define_knob("taken", [True, False])
    if not config["taken"].val:
        config.raise_error("it is not to be taken")
    return te.create_schedule(b.op), [a, b]


def test_a_refused_configuration_has_an_error_of_its_own() -> None:
    task = autotvm.create("tests.refusing", (4,), "host")
    task.instantiate(task.config_space.get(0))
    with pytest.raises(autotvm.task.space.InstantiationError, match="it is not to be taken"):
        task.instantiate(task.config_space.get(1))


def test_a_log_is_written_a_file_a_task(tmp_path: Path) -> None:
    line = '{"input": ["llvm", "%s", [1], {}], "config": {"index": %d, "code_hash": null, "entity": []}, "result": [[0.5], 0, 1, 1], "version": 0.2, "tvm_version": "0.12.0"}\n'  # noqa: E501
    log = tmp_path / "two.log"
    log.write_text("# a comment\n" + line % ("first", 0) + line % ("second", 0) + line % ("first", 0))
    with log.open(encoding="utf-8") as file:
        assert [inp.task.name for inp, _ in autotvm.record.load_from_buffer(file)] == ["first", "second", "first"]
    autotvm.record.split_workload(str(log))
    assert [len(path.read_text().splitlines()) for path in sorted(tmp_path.glob("*.wkl"))] == [1, 1]
    autotvm.record.split_workload(log, clean=False)
    assert [len(path.read_text().splitlines()) for path in sorted(tmp_path.glob("*.wkl"))] == [2, 1]
