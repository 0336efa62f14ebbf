"""The program of a user of TVM runs with its imports changed."""

import runpy
from collections.abc import Callable

import pytest

from support.project import ROOT


def test_the_program_runs(capsys: pytest.CaptureFixture[str]):
    main: Callable[[], None] = runpy.run_path(str(ROOT / "examples" / "coming_from_tvm.py"))["main"]
    main()
    shown = capsys.readouterr().out
    assert "add_one: [2. 3.]" in shown
    assert "matmul: timed" in shown
