"""How many programs a command runs at a time."""

import os

import pytest

from s2s.errors import InputError
from s2s.support.jobs import VARIABLE, cores, jobs


def test_without_the_variable_it_is_the_cores_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert jobs() == cores()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to cores")
def test_cores_are_those_that_the_process_is_bound_to() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_the_variable_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")
    assert jobs() == 3


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "²"])
def test_what_is_no_positive_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError, match=r"S2S_JOBS=.* is no positive whole number; set it to 1 or more, or unset it"):
        jobs()
