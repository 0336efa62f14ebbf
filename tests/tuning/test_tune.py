"""Tasks, spaces, searches and whole campaigns, on a small network; costs are made up where time does not matter."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import cast

import pytest

import s2s.tuning.on_host as on_host
from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.tuning.campaign import TuneOptions
from s2s.tuning.measurement import SMALL_FLASH, ErrorKind, Measurement
from s2s.tuning.measurer import Candidate, Incumbent, Limits
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.on_host import HostMeasurer
from s2s.tuning.places import default_target, make_measurer
from s2s.tuning.records import MeasuredRecord, best_records, read_measured, write_records
from s2s.tuning.search_space import Point
from s2s.tuning.space import Space
from s2s.tuning.summary import Progress, TuneSummary
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.tune import tune_tasks
from s2s.tuning.tuners import TUNERS, Learning, ModelTuner, TunerName, graded, make_tuner
from support.boards import board_or_skip
from support.project import ROOT
from support.tuning import MadeUp, made_up_cost

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return tasks_of(Compilation(DIGITS, CompileOptions(target="x86-64-v3")))


@pytest.fixture(scope="module")
def space(tasks: list[Task]) -> Space:
    return max((Space(task) for task in tasks), key=lambda each: each.size)


def tuned(tasks: Sequence[Task], path: Path, measurer: MadeUp, **options: object) -> TuneSummary:
    return tune_tasks(tasks, path, measurer, TuneOptions(**{"trials": 6, "tuner": "random", **options}))  # type: ignore[arg-type]


def test_each_distinct_kernel_is_a_task(tasks: list[Task]) -> None:
    assert len({task.key for task in tasks}) == len(tasks)


def test_a_task_alone_computes_what_its_interpreter_says(tasks: list[Task]) -> None:
    found = HostMeasurer(replace(Limits(), round_seconds=0.001)).measure([Candidate(replace_target(tasks[0]), {})])
    assert found[0].error is ErrorKind.NO_ERROR


def replace_target(task: Task) -> Task:
    """The task for any machine."""
    return tasks_of(Compilation(DIGITS, CompileOptions(target="c")))[0] if task.target.name != "c" else task


def test_the_compilers_own_choice_is_in_the_space(space: Space) -> None:
    assert space.text(space.starts()[0]) is not None


def test_points_and_numbers_stand_for_each_other(space: Space) -> None:
    assert [space.index(space.point(number)) for number in (0, 1, space.size - 1)] == [0, 1, space.size - 1]


def test_the_point_of_a_drawn_schedule_is_found(space: Space) -> None:
    point = space.draw(Random(4))
    assert point is not None
    text = space.text(point)
    assert text is not None
    found = space.find(text)
    assert found is not None
    assert space.text(found) == text


def test_text_that_is_no_schedule_has_no_point(space: Space) -> None:
    assert space.find("nothing") is None


def test_a_candidate_may_take_some_times_as_long_as_the_best() -> None:
    best = Incumbent(Candidate(cast(Task, None), {}), Measurement(seconds=10.0))
    assert (Limits().seconds_beside(best), Limits().seconds_beside(None)) == (80.0, 140.0)


def test_every_drawn_schedule_compiles(space: Space) -> None:
    point = space.draw(Random(1))
    assert point is not None
    text = space.text(point)
    assert text is not None
    made = Candidate(space.task, space.decisions(text)).compilation
    assert "tensor.schedule" in text
    assert made.tree.files


def test_neighbours_differ_in_few_knobs(space: Space) -> None:
    start = space.starts()[0]
    near = space.neighbour(start, Random(2))
    assert near is not None
    assert 1 <= sum(a != b for a, b in zip(start.places, near.places, strict=True)) <= 2


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", TUNERS)
def test_no_search_proposes_a_schedule_twice(space: Space, name: TunerName) -> None:
    for library in {"model": ["lightgbm"], "tpe": ["optuna"]}.get(name, []):
        pytest.importorskip(library)
    tuner = make_tuner(name, space)
    texts: list[str | None] = []
    for _ in range(3):
        points = tuner.propose(6)
        texts += map(space.text, points)
        tuner.learn(points, [made_up_cost(space.text(point) or "") for point in points])
    assert len(texts) >= 12
    assert len(set(texts)) == len(texts)
    assert None not in texts


def test_a_search_of_a_small_space_takes_every_schedule(tasks: list[Task]) -> None:
    small = min((Space(task) for task in tasks if Space(task).size > 1), key=lambda each: each.size)
    assert small.listed is not None
    found = {small.text(point) for point in make_tuner("grid", small).propose(10_000)}
    assert found == set(small.listed)


def test_scores_have_grades_by_their_order() -> None:
    assert graded([0.5, 0.1, 0.9], 3) == [1, 0, 2]
    assert graded([0.5, 0.1, 0.9], 2) == [0, 0, 1]
    assert graded([], 4) == []


@pytest.mark.parametrize("learning", [Learning(), Learning(16), Learning(2, knobs_alone=True, threads=2)])
def test_the_model_proposes_cheaper_schedules_than_chance(space: Space, learning: Learning) -> None:
    pytest.importorskip("lightgbm")

    def cost(point: Point) -> float:
        return 20.0 - sum(map(bool, point.places))

    means: dict[str, float] = {}
    names: tuple[TunerName, ...] = ("random", "model")
    for name in names:
        points: list[Point] = []
        tuner = ModelTuner(space, 3, learning=learning) if name == "model" else make_tuner(name, space, seed=3)
        for _ in range(4):
            points = tuner.propose(10)
            tuner.learn(points, [cost(point) for point in points])
        means[name] = sum(map(cost, points)) / len(points)
    assert means["model"] < means["random"]


def test_measurements_are_recorded_with_their_decisions(tasks: list[Task], tmp_path: Path) -> None:
    summary = tuned(tasks[:1], tmp_path / "r.jsonl", MadeUp())
    records = read_measured(tmp_path / "r.jsonl")
    assert len(records) == summary.tasks[0].trials
    assert all(each.task == tasks[0].key and each.decisions for each in records)


def test_the_best_cost_is_the_least_recorded(tasks: list[Task], tmp_path: Path) -> None:
    summary = tuned(tasks[:1], tmp_path / "r.jsonl", MadeUp())
    costs = [each.cost for each in read_measured(tmp_path / "r.jsonl") if each.cost is not None]
    assert summary.tasks[0].best == min(costs)


def test_failures_are_recorded_with_their_kind(tasks: list[Task], tmp_path: Path) -> None:
    summary = tuned(tasks[:1], tmp_path / "r.jsonl", MadeUp(fails=True))
    assert summary.tasks[0].best is None
    assert {each.error for each in read_measured(tmp_path / "r.jsonl")} == {ErrorKind.COMPILE_DEVICE}


def test_a_second_run_measures_nothing_again(tasks: list[Task], tmp_path: Path) -> None:
    tuned(tasks[:1], tmp_path / "r.jsonl", MadeUp())
    again = MadeUp()
    tuned(tasks[:1], tmp_path / "r.jsonl", again)
    assert again.measured == []


def test_a_second_run_begins_from_a_record_without_decisions(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    known = MeasuredRecord(tasks[0].key, tasks[0].target.name, (), 1.0, "instructions", costs={"instructions": 1.0})
    write_records(path, [known])
    assert tuned(tasks[:1], path, MadeUp()).tasks[0].best == 1.0


def test_an_interruption_loses_nothing(tasks: list[Task], tmp_path: Path) -> None:
    summary = tuned(tasks[:1], tmp_path / "r.jsonl", MadeUp(interrupt_after=1), batch=2)
    assert summary.interrupted
    assert len(read_measured(tmp_path / "r.jsonl")) == 1


class Lucky(MadeUp):
    """Every schedule but the default seems faster once."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.place = "host"

    def measure(self, candidates: Sequence[Candidate], incumbent: Incumbent | None = None) -> list[Measurement]:
        fast = self.limits == Limits()
        return [Measurement({"seconds": 0.5 if fast and each.decisions else 1.0}) for each in candidates]


def test_schedules_that_were_lucky_do_not_count(tasks: list[Task], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    (found,) = tuned(tasks[:1], path, Lucky()).tasks
    assert (found.default, found.best, found.trials) == (1.0, 1.0, 6)
    assert sum(each.confirms for each in read_measured(path)) == 5
    assert best_records(read_measured(path))[0].cost == 1.0


def test_progress_tells_task_and_trials(tasks: list[Task], tmp_path: Path) -> None:
    seen: list[Progress] = []
    tune_tasks(tasks[:1], tmp_path / "r.jsonl", MadeUp(), TuneOptions(trials=4, tuner="random"), seen.append)
    assert (seen[-1].task.name, seen[-1].trials) == (tasks[0].name, 4)


def test_layers_that_are_not_there_are_refused(tasks: list[Task], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--only nothing: no task is called so"):
        tuned(tasks, tmp_path / "r.jsonl", MadeUp(), only=("nothing",))


def test_times_cannot_be_measured_on_a_board(tasks: list[Task], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--objective time"):
        tuned(tasks, tmp_path / "r.jsonl", MadeUp(), objective="time")


def test_places_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="--on moon"):
        make_measurer("moon")


def test_a_board_stands_for_its_target() -> None:
    assert (default_target("qemu:m4"), default_target("host")) == ("cortex-m4", "host")


def differing(*_: object) -> str:
    return "output 0: 3 of 10 elements differ"


def test_wrong_results_are_no_measurement(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_host, "difference", differing)
    (found,) = HostMeasurer(replace(Limits(), round_seconds=0.001)).measure([Candidate(replace_target(tasks[0]), {})])
    assert found.error is ErrorKind.WRONG_ANSWER
    assert found.costs == {}


def test_a_kernel_that_takes_too_long_is_given_up(tasks: list[Task]) -> None:
    slow = HostMeasurer(replace(Limits(), run_seconds=0.2, round_seconds=5.0))
    (found,) = slow.measure([Candidate(replace_target(tasks[0]), {})])
    assert found.error is ErrorKind.RUN_TIMEOUT


def refusing(*_: object) -> None:
    raise InputError("no such flag")


def test_what_the_c_compiler_refuses_is_told(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_host, "build_program", refusing)
    (found,) = HostMeasurer().measure([Candidate(replace_target(tasks[0]), {})])
    assert (found.error, found.message) == (ErrorKind.COMPILE_DEVICE, "no such flag")


def test_illegal_decisions_are_told(tasks: list[Task]) -> None:
    subject = Space(tasks[0]).subject.key
    illegal = {"schedule": {subject: "#tensor.schedule<[tile<99 by 3>]>"}}
    (found,) = HostMeasurer().measure([Candidate(tasks[0], illegal)])
    assert found.error is ErrorKind.INSTANTIATION_ERROR


def test_boards_count_the_same_instructions_twice() -> None:
    board_or_skip("qemu:m4")
    task = tasks_of(Compilation(DIGITS, CompileOptions(target="cortex-m4")))[0]
    measured = BoardMeasurer("qemu:m4").measure([Candidate(task, {}), Candidate(task, {})])
    assert measured[0].costs == measured[1].costs
    assert measured[0].costs["instructions"] > 100
    assert measured[0].costs[SMALL_FLASH] > 0
