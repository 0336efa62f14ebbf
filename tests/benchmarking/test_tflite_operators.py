"""The table of TFLite's operators is printed, and a difference makes it fail."""

import re

import pytest
from frontends.tflite import test_lstm_parts
from frontends.tflite.test_table import MICRO

from benchmarks.tflite_operators import Row, main, rows, tally
from support.litert_cases import LITERT_GENERATORS
from support.project import ROOT


def test_rows_are_all_operators_and_each_once():
    names = [(row.builtin, row.kind) for row in rows()]
    assert len(names) == len(set(names))
    assert {builtin for builtin, _ in names} == {*MICRO, *LITERT_GENERATORS, *test_lstm_parts.OPERATORS}


def test_a_difference_is_counted():
    found = tally(Row("ADD", "int8", lambda seed: "differs" if seed == 3 else ""), range(5))
    assert (found.cases, dict(found.wrong)) == (5, {3: "differs"})


def test_table_of_one_operator(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["tflite_operators", "--cases", "2", "--only", "RELU6"])
    assert main() == 0
    printed = capsys.readouterr().out
    assert re.search(r"^RELU6 +int8 +2 +0$", printed, re.MULTILINE)
    assert "6 cases of 1 operators, 0 differ" in printed
