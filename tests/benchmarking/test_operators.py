"""The benchmark of single operators runs, and its cases are what onnxruntime takes."""

import pytest

from benchmarks.beside import measure
from benchmarks.operators import cases, chosen


def test_an_operator_is_measured_beside_onnxruntime() -> None:
    pytest.importorskip("onnxruntime")
    case = cases()["Gather rows"]
    outcome = measure(case.model(), rounds=1, seconds=0.01, inputs=case.inputs())
    assert outcome.ours > 0
    assert outcome.difference == 0


def test_patterns_choose_cases() -> None:
    assert list(chosen(["CumSum axis*"])) == ["CumSum axis 0", "CumSum axis 1"]
