"""Calls in a process of their own: results come back, and what goes wrong stays there."""

import os
import subprocess
import time

import pytest

from s2s.tuning.sandbox import CallDiedError, CallFailedError, CallTimedOutError, call_in_sandbox


def test_the_result_comes_back() -> None:
    assert call_in_sandbox(lambda: {"a": os.getpid()}, seconds=20) != {"a": os.getpid()}


def test_an_exception_is_told_with_its_class() -> None:
    with pytest.raises(CallFailedError, match="no number") as failed:
        call_in_sandbox(lambda: int("no number"), seconds=20)
    assert failed.value.kind == "ValueError"


def test_a_call_that_hangs_is_killed_with_its_children() -> None:
    started = time.monotonic()
    with pytest.raises(CallTimedOutError):
        call_in_sandbox(lambda: subprocess.run(["sleep", "60"], check=False), seconds=0.3)
    assert time.monotonic() - started < 10


def test_a_call_that_crashes_is_told_so() -> None:
    with pytest.raises(CallDiedError, match="exit code 3"):
        call_in_sandbox(lambda: os._exit(3), seconds=20)


def test_a_call_gets_no_more_memory_than_allowed() -> None:
    with pytest.raises(CallFailedError) as failed:
        call_in_sandbox(lambda: len(bytearray(4 << 30)), seconds=20, memory=3 << 30)
    assert failed.value.kind == "MemoryError"
