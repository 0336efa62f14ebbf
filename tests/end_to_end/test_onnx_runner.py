"""ONNX's own backend tests in ONNX's own runner; `python -m benchmarks.onnx_backend` runs all of them."""

import re
from functools import cache

import pytest

from benchmarks.onnx_backend import Outcome, cases_of_onnx, run_tests
from s2s.onnx_backend import EXCLUDED

PARTS = 80
"""A run takes one part of the tests, of about 25; the seed that pytest prints says which."""


@cache
def every() -> list[str]:
    """The names of all tests on the CPU."""
    return list(cases_of_onnx(re.compile(""), ()))


@pytest.mark.timeout(900)
@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_models_of_onnx_pass(part: int):
    named = [name.partition(" ")[2] for name in every()[part::PARTS]]
    chosen = cases_of_onnx(re.compile("|".join(f"^{name}$" for name in named)), tuple(EXCLUDED))
    outcomes: list[Outcome] = list(run_tests(chosen, 1))
    assert [f"{each.name}: {each.reason}" for each in outcomes if each.result == "failed"] == []
    assert any(each.result == "passed" for each in outcomes)


@pytest.mark.parametrize("pattern", EXCLUDED)
def test_each_exclusion_names_tests_of_onnx_and_says_why(pattern: str):
    assert EXCLUDED[pattern]
    found = [name for name in every() if re.search(pattern, name.partition(" ")[2])]
    assert 0 < len(found) < 50
