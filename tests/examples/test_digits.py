"""The example does what README says of it."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.project import ROOT

FOLDER = ROOT / "examples" / "digits"


def test_demo_classifies_in_c_as_well_as_onnxruntime(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("onnxruntime")
    main: Callable[[Path], None] = runpy.run_path(str(FOLDER / "demo.py"))["main"]
    main(tmp_path / "digits")
    shown = capsys.readouterr().out
    in_c, reference = map(float, re.findall(r"([\d.]+)%", shown))
    assert in_c == reference >= 97
    assert (tmp_path / "digits" / "Makefile").is_file()


def test_committed_model_is_small():
    assert (FOLDER / "digits.onnx").stat().st_size < 200_000


def test_held_out_images_belong_to_the_model():
    held_out = np.load(FOLDER / "held_out.npz")
    assert held_out["images"].shape == (360, 1, 8, 8)
    assert held_out["images"].dtype == np.float32
    assert held_out["labels"].shape == (360,)


def test_quantised_network_is_as_accurate(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("onnxruntime")
    main: Callable[[Path], None] = runpy.run_path(str(FOLDER / "quantise.py"))["main"]
    main(tmp_path)
    real, scaled, fixed = map(float, re.findall(r"([\d.]+)%", capsys.readouterr().out))
    assert min(scaled, fixed) >= real - 0.5
    assert (tmp_path / "digits_int8" / "Makefile").is_file()
