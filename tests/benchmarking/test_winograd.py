"""The comparison of direct sums with Winograd's algorithm measures each form, and judges by its limits."""

import numpy as np
import pytest

from benchmarks import winograd
from benchmarks.winograd import Case, floats, integers, sums_in_doubles
from support.c_compilers import require

CASE = Case(16, 8)


def test_forms_of_floats_are_shown_with_their_errors(capsys: pytest.CaptureFixture[str]):
    require("gcc")
    assert floats(CASE, rounds=1)
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("16 channels, 8x8")
    assert all(0 < float(row.split()[-1]) < 1e-5 for row in rows)


def test_an_error_above_its_limit_is_told(monkeypatch: pytest.MonkeyPatch):
    require("gcc")
    monkeypatch.setattr(winograd, "LIMITS", dict.fromkeys(winograd.LIMITS, 0.0))
    assert not floats(CASE, rounds=1)


def test_forms_of_bytes_are_equal(capsys: pytest.CaptureFixture[str]):
    require("gcc")
    pytest.importorskip("onnxruntime")
    assert integers(CASE, rounds=1)
    assert [float(row.split()[-1]) for row in capsys.readouterr().out.splitlines()] == [0.0, 0.0, 0.0]


def test_sums_in_doubles_are_those_of_the_convolution():
    x = np.zeros((1, 1, 3, 3), np.float32)
    x[0, 0, 0, 0] = 2
    w = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    assert np.array_equal(sums_in_doubles(x, w)[0, :, :, 0], [[8, 6, 0], [2, 0, 0], [0, 0, 0]])
