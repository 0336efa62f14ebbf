"""`s2s tune` says what it gained in words: times with units, what failed, and that the defaults stand if they do."""

from pathlib import Path

import pytest

from s2s.cli.tune import show
from s2s.tuning.summary import TaskSummary, TuneSummary


def summary_of(unit: str, default: float, best: float, *, failed: int = 0, failure: str = "") -> TuneSummary:
    task = TaskSummary("k", "conv", "n", 2, "few", default, best, trials=25, failed=failed, changes=("wider tiles",))
    return TuneSummary("host", "host", unit, [task], failure=failure)


def shown(summary: TuneSummary, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(summary, Path("r.jsonl"), as_json=False)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("seconds", "words"), [(6.377e-6, "6.38 µs"), (2.5e-4, "250 µs"), (0.012, "12 ms")])
def test_times_have_units(seconds: float, words: str, capsys: pytest.CaptureFixture[str]):
    head, row, *_ = shown(summary_of("seconds", seconds, seconds), capsys)
    assert head.split() == ["task", "default", "best", "gain"]
    assert words in row


def test_instructions_are_counted(capsys: pytest.CaptureFixture[str]):
    head, row, *_ = shown(summary_of("instructions", 12_345, 12_345), capsys)
    assert head.startswith("task, instructions")
    assert "12,345" in row


@pytest.mark.parametrize(("best", "is_said"), [(1000.0, True), (990.0, True), (900.0, False)])
def test_defaults_that_stand_are_named(best: float, is_said: bool, capsys: pytest.CaptureFixture[str]):
    lines = shown(summary_of("instructions", 1000.0, best), capsys)
    assert ("the defaults were not beaten in 25 trials" in lines) == is_said
    assert any("wider tiles" in line for line in lines) != is_said


def test_the_first_failure_is_told(capsys: pytest.CaptureFixture[str]):
    lines = shown(summary_of("instructions", 1000.0, 900.0, failed=3, failure="timed out after 10 s"), capsys)
    assert "the first trial that failed: timed out after 10 s" in lines
    assert any("25 trials, 3 failed" in line for line in lines)
