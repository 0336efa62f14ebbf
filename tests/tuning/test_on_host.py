"""Candidates on this machine: who is measured how often, alone, and what is recorded of those that crash."""

import fcntl
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from s2s.compilation import Compilation
from s2s.emit.files import Tree
from s2s.options import CompileOptions
from s2s.tuning import on_host
from s2s.tuning.experience import Experience
from s2s.tuning.measurement import ErrorKind, Measurement
from s2s.tuning.measurer import Candidate
from s2s.tuning.on_host import HostMeasurer
from s2s.tuning.task import Task, tasks_of
from support.project import ROOT


@pytest.fixture(scope="module")
def task() -> Task:
    return tasks_of(Compilation(ROOT / "examples" / "digits" / "digits.onnx", CompileOptions(target="c")))[0]


def built(*_: object) -> Measurement:
    return Measurement({})


def test_the_slower_half_is_dropped_after_a_step(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = [Candidate(task, {}) for _ in range(4)]
    seconds = {id(each): 1.0 + 0.1 * number for number, each in enumerate(candidates)}
    rounds = Counter[float]()

    def timed(_: HostMeasurer, each: Any, *, first: bool) -> None:
        cost = seconds[id(each.candidate)]
        rounds[cost] += 1
        each.times.append(cost)

    monkeypatch.setattr(on_host, "_build", built)
    monkeypatch.setattr(HostMeasurer, "_time", timed)
    HostMeasurer().measure(candidates)
    assert [rounds[cost] for cost in seconds.values()] == [1 + 2 + 4, 1 + 2 + 4, 1 + 2, 1 + 2]


def test_nobody_else_times_candidates_meanwhile(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    is_free: list[bool] = []

    def raced(*_: object) -> None:
        with on_host.LOCK.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_free.append(False)
            else:
                is_free.append(True)

    monkeypatch.setattr(on_host, "_build", built)
    monkeypatch.setattr(HostMeasurer, "_race", raced)
    HostMeasurer().measure([Candidate(task, {})])
    assert is_free == [False]


def test_a_program_that_crashes_is_told(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(tree: Tree) -> None:
        program = tree.folder / on_host.PROGRAM
        program.write_text("#!/bin/sh\nkill -SEGV $$\n")
        program.chmod(0o755)

    def size(*_: object) -> SimpleNamespace:
        return SimpleNamespace(flash=0)

    monkeypatch.setattr(on_host, "build_program", crashing)
    monkeypatch.setattr(on_host, "object_size", size)
    (found,) = HostMeasurer().measure([Candidate(task, {})])
    assert (found.error, found.costs) == (ErrorKind.RUNTIME_DEVICE, {})


def test_other_tasks_teach_without_what_means_something_for_them_alone() -> None:
    experience = Experience()
    experience.keep("first", [[1.0, 2.0]], [0.5], own=[0])
    experience.keep("second", [[3.0, 4.0, 5.0]], [0.25], own=[])
    rows, scores = experience.of_others("third", width=2)
    assert ([str(each) for each in rows[0]], scores) == (["nan", "2.0"], [0.5])
    assert experience.of_others("first", width=2) == ([], [])
