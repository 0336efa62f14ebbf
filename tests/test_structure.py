"""The counts of the structure are printed, and the additions that they name are tested."""

import pytest

from support.project import ROOT
from support.structure import OUTSIDE, main


def test_the_tests_of_additions_from_outside_exist() -> None:
    assert [path for path in OUTSIDE.values() if not (ROOT / path).exists()] == []


def test_the_counts_are_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["structure", "--operations"])
    assert main() == 0
    shown = capsys.readouterr().out
    assert "imports against the order          0\n" in shown
    assert "ExtendOp" in shown
