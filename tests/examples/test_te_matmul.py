"""The tutorial of tensor expressions prints a line for every step, each of which computes the product."""

import runpy
from collections.abc import Callable

import pytest

from support.project import ROOT


def test_every_step_computes_the_product(capsys: pytest.CaptureFixture[str]):
    main: Callable[[int], dict[str, float]] = runpy.run_path(str(ROOT / "examples" / "te_matmul.py"))["main"]
    seconds = main(64)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20].strip() for line in lines[1:]] == list(seconds)
    assert "write cache" in seconds
