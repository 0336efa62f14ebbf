"""`s2s prove` prints what was proved and ends with an exit code that says so."""

import json
import re
from pathlib import Path

import pytest

from s2s.cli.main import run
from s2s.errors import ToolchainError
from support.project import ROOT
from support.proved_networks import quantised_network


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "small.tflite"
    path.write_bytes(quantised_network())
    return path


def test_a_proof_is_shown_written_and_checked(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    certificate = tmp_path / "proof.json"
    assert run(["prove", str(model), "--target", "c", "-o", str(certificate)]) == 0
    assert "proved for every input" in capsys.readouterr().out
    assert json.loads(certificate.read_text())["outputs"]["status"] == "proved"
    assert run(["prove", str(model), "--target", "c", "--check", str(certificate)]) == 0
    certificate.write_text("{}")
    assert run(["prove", str(model), "--target", "c", "--check", str(certificate)]) == 2


def test_what_is_tested_only_gives_another_exit_code(capsys: pytest.CaptureFixture[str]):
    assert run(["prove", str(ROOT / "examples" / "digits" / "digits.onnx"), "--target", "c"]) == 3
    assert re.search(r"^outputs +tested only: not every kernel is proved", capsys.readouterr().out, re.MULTILINE)


def test_a_missing_c_compiler_is_said(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    certificate = tmp_path / "proof.json"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["prove", str(model), "--target", "c", "-o", str(certificate)]) == ToolchainError.exit_code
    assert "cc: cannot be started: No such file or directory; install a C compiler" in capsys.readouterr().err
    assert not certificate.exists()
