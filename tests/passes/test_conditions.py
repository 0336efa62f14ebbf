"""When the pipeline runs a pass, by the options of a compilation."""

import pytest

from s2s.options import CompileOptions
from s2s.passes.conditions import convolution_algorithms, results_apart


@pytest.mark.parametrize(("prefer", "runs"), [("time", True), ("size", False), ("ram", False), (None, False)])
def test_algorithms_that_take_memory_want_time_under_a_budget(prefer: str | None, runs: bool):
    assert convolution_algorithms(CompileOptions(ram_budget=1 << 16, prefer=prefer)) == runs  # pyright: ignore[reportArgumentType]


def test_algorithms_that_take_memory_run_without_a_budget():
    assert convolution_algorithms(CompileOptions())
    assert not convolution_algorithms(CompileOptions(schedule="reference"))


def test_results_stand_apart_unless_memory_is_short():
    assert results_apart(CompileOptions(io="caller"))
    assert not results_apart(CompileOptions(io="arena"))
    assert not results_apart(CompileOptions(io="caller", ram_budget=1 << 16))
