"""The three scripts of a user of TVM run with their imports changed: an ONNX model, tuning on a farm, own code."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2s.external.registry import remove_codegen
from support.boards import board_or_skip
from support.project import ROOT


def script(*place: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT.joinpath("examples", *place)))


def test_an_onnx_model_is_compiled_exported_and_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    names = script("tvm_onnx.py")
    assert names["main"](names["residual_network"](), tmp_path) < 1e-5
    shown = capsys.readouterr().out
    assert "passes, left" in shown
    assert "dumped: _tvmdbg_execution_trace.json, _tvmdbg_graph_dump.json, output_tensors.params" in shown
    assert (tmp_path / "deploy.so").is_file()


def test_a_template_and_kernels_are_tuned_on_a_farm(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("distributed")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    main: Callable[[Path, int], int] = script("tvm_farm.py")["main"]
    trials = 2
    assert main(tmp_path, trials) == 2 * trials
    assert "server:rk3399" in capsys.readouterr().out


def test_code_of_a_generator_two_devices_and_pools_run_from_an_archive(tmp_path: Path):
    board_or_skip("qemu:m4")
    try:
        assert script("tvm_byoc", "tvm_byoc.py")["main"](tmp_path) == 0
    finally:
        remove_codegen("products")
