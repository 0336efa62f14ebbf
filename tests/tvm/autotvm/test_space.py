"""Spaces with filters, searches by number, runners of a program, and logs of results that it has made itself."""

import logging
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.autotvm import ConfigSpace, FallbackConfigEntity
from s2s.tvm.autotvm.measure import BuildResult, MeasureInput, MeasureResult, Runner
from s2s.tvm.autotvm.record import decode, encode, load_from_file, measure_str_key
from s2s.tvm.autotvm.tuner import GridSearchTuner, RandomTuner
from s2s.tvm.testing.autotvm import DummyRunner, get_sample_records, get_sample_task


def tiles() -> ConfigSpace:
    """Tiles of 2 by 2 loops of 128 steps: 64 combinations, of which 34 have from 32 to 1,023 elements."""
    space = ConfigSpace()
    space.define_split("y", 128)
    space.define_split("x", 128)
    space.multi_filter(lambda each: 32 <= each["x"].size[1] * each["y"].size[1] < 1024)
    return space


def test_a_filter_of_all_knobs_leaves_numbers_out():
    space = tiles()
    assert (len(space), space.range_length, space.dims) == (34, 64, [8, 8])
    assert (space.is_index_valid(0), space.is_index_valid(15), space.is_index_valid(64)) == (False, True, False)
    assert [each.index for each in space] == [number for number in range(64) if space.is_index_valid(number)]
    with pytest.raises(InputError, match="left out by multi_filter"):
        space.get(0)
    space.define_split("y", 128, filter=lambda each: each.size[-1] < 64)
    assert (len(space), space.range_length) == (27, 48)


def test_walks_meet_kept_numbers_only():
    space = tiles()
    assert (space.subrange_length(0, 64), space.subrange_length(16, 32), space.subrange_length(16, 16)) == (34, 10, 0)
    assert (space.get_next_index(0), space.get_next_index(63, -2), space.get_next_index(60, end=63)) == (5, 57, None)
    assert all(space.is_index_valid(each) for each in space.sample_ints(20))
    assert len(set(space.sample_ints(34))) == 34
    valid = [number for number in range(64) if space.is_index_valid(number)]
    assert space.get_rand_index(to_exclude=valid[1:]) == valid[0]
    walked = space.random_walk(15)
    assert walked != 15
    assert space.is_index_valid(walked)
    with pytest.raises(InputError, match="no configuration is left"):
        space.get_rand_index(to_exclude=valid)
    with pytest.raises(InputError, match="numbers from 64 to 0"):
        space.subrange_length(64, 0)


def test_splits_of_large_loops_are_counted_not_searched():
    space = ConfigSpace()
    space.define_split("x", 2**25, num_outputs=4)
    assert len(space) == 3276


@pytest.mark.parametrize(("steps", "sizes"), [(128, [4, 8, 4]), (49, [7, 7, 1])])
def test_a_template_sets_the_split_of_an_unknown_configuration(steps: int, sizes: list[int]):
    config = FallbackConfigEntity()
    config.define_split("tile", steps, num_outputs=3)
    config.fallback_split("tile", [-1, 8, 4])
    config.define_split("tile", steps, num_outputs=3)
    assert config["tile"].size == sizes
    with pytest.raises(RuntimeError, match="no divisor of"):
        config.fallback_split("tile", [-1, 1, 0])


def test_an_unknown_configuration_takes_over_the_one_of_a_log():
    config = FallbackConfigEntity()
    config.define_split("tile_y", 128, num_outputs=2)
    config.define_split("tile_x", 128, num_outputs=2)
    config.fallback_with_reference_log(get_sample_records(20))
    assert (config["tile_y"].size, config["tile_x"].size) == ([1, 128], [64, 2])


@pytest.mark.parametrize("kind", [GridSearchTuner, RandomTuner])
def test_searches_by_number_visit_their_range_once(kind: type[GridSearchTuner | RandomTuner]):
    task, _ = get_sample_task()
    task.config_space.multi_filter(lambda each: 32 <= each["tile_x"].size[1] * each["tile_y"].size[1] < 1024)
    tuner = kind(task, range_idx=(8, 15))
    assert (tuner.begin_idx, tuner.end_idx, tuner.range_length, tuner.visited_max) == (8, 16, 8, 4)
    tuner.tune(8, autotvm.measure_option(runner=DummyRunner()))
    assert sorted(tuner.visited) == [12, 13, 14, 15]
    assert not tuner.has_next()
    assert tuner.best_config is not None


class Counting(Runner):
    """Lets the size of the inner tile be the cost, and looks at what was built."""

    def __init__(self) -> None:
        super().__init__()
        self.arguments: list[Any] = []

    def run(self, measure_inputs: Sequence[MeasureInput], build_results: Sequence[BuildResult]) -> list[MeasureResult]:
        self.arguments += [each.arg_info for each in build_results]
        return [MeasureResult((float(each.config["tile_x"].size[-1]),), 0, 0.0, 1.0) for each in measure_inputs]


def test_a_runner_of_the_program_is_asked(caplog: pytest.LogCaptureFixture):
    task, _ = get_sample_task(16)
    runner = Counting()
    tuner = GridSearchTuner(task)
    with caplog.at_level(logging.DEBUG, "autotvm"):
        tuner.tune(4, autotvm.measure_option(runner=runner))
    assert tuner.best_cost == 1.0
    assert runner.task is task
    assert runner.arguments[0] == [((16, 16), "float32")] * 3
    [result] = autotvm.create_measure_batch(task, autotvm.measure_option(runner=runner))(
        [MeasureInput("host", task, task.config_space.get(2))]
    )
    assert result.costs == (1.0,)
    assert BuildResult(MeasureInput("host", task, task.config_space.get(2))).filename.endswith(".so")


def test_results_of_the_program_go_through_a_log(tmp_path: Path):
    records = get_sample_records(4)
    path, text = tmp_path / "log.json", StringIO()
    for file in (str(path), text):
        autotvm.callback.log_to_file(file)(None, *zip(*records, strict=True))  # pyright: ignore[reportArgumentType]
    text.seek(0)
    assert [result for _, result in load_from_file(path)] == [result for _, result in records]
    pair = decode(encode(*records[1]))
    assert pair is not None
    assert measure_str_key(pair[0]) == measure_str_key(records[1][0])
    task, target = get_sample_task()
    best = str(task.config_space.get(0))
    sources: list[Any] = [path, str(path), text, records, zip(*zip(*records, strict=True), strict=True), [path, path]]
    for source in [*sources, zip([path], strict=True), [iter(records[:2]), iter(records[2:])]]:
        assert str(autotvm.apply_history_best(source).query(target, task.workload)) == best


def test_pickles_of_a_log_are_refused():
    with pytest.raises(UnsupportedError, match="reading a pickle runs what it holds"):
        encode(*get_sample_records(1)[0], protocol="pickle")


@autotvm.template("test/picky")
def picky(size: int) -> Any:
    config = autotvm.get_config()
    config.define_knob("step", [1, 3])
    if size % config["step"].val:
        config.raise_error("the step does not divide")
    return get_sample_task(size)[0].instantiate(FallbackConfigEntity())


def test_a_configuration_that_the_template_finds_fault_with_is_not_compiled():
    task = autotvm.task.create("test/picky", (16,), "llvm")
    assert task.refusal(task.config_space.get(0)) is None
    assert "the step does not divide" in (task.refusal(task.config_space.get(1)) or "")
