"""The format of a model is recognised by its content, whatever it is called, and by every command alike."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.frontends.formats import load_model
from s2s.frontends.recognition import format_of
from support.gguf_models import Model, write
from support.project import ROOT


def onnx_file(path: Path) -> Path:
    shutil.copy(ROOT / "examples" / "digits" / "digits.onnx", path)
    return path


def gguf_file(path: Path) -> Path:
    write(path, Model(kind="Q8_0"))
    return path


def tflite_file(path: Path) -> Path:
    path.write_bytes(b"\x1c\0\0\0TFL3" + bytes(64))
    return path


def torch_file(path: Path) -> Path:
    path.write_bytes(b"PK\x03\x04" + bytes(64))
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "ONNX": onnx_file,
    "GGUF": gguf_file,
    "TFLite": tflite_file,
    "PyTorch": torch_file,
}
SUFFIXES = {"ONNX": ".onnx", "GGUF": ".gguf", "TFLite": ".tflite", "PyTorch": ".pt2"}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("suffix", [".bin", "", ".onnx"])
def test_content_tells_the_format(kind: str, suffix: str, tmp_path: Path):
    path = MAKERS[kind](tmp_path / f"model{suffix}")
    assert format_of(path) == format_of(str(path)) == format_of(path.read_bytes()) == kind


@pytest.mark.parametrize("kind", SUFFIXES)
def test_the_suffix_tells_the_format_of_what_has_no_content(kind: str, tmp_path: Path):
    (tmp_path / f"empty{SUFFIXES[kind]}").touch()
    for name in ("empty", "absent"):
        path = tmp_path / f"{name}{SUFFIXES[kind]}"
        assert format_of(path) == kind
        with pytest.raises(InputError, match=f"{name}{SUFFIXES[kind]}: .*; "):
            load_model(path)


def test_a_function_of_a_python_file_is_a_program():
    assert (format_of("model.py:make"), format_of("model.py")) == ("PyTorch", "PyTorch")


@pytest.mark.parametrize("suffix", [".gguf", ".onnx"])
@pytest.mark.parametrize(
    "command",
    [
        ["inspect"],
        ["inspect", "--dim", "positions=4", "--json"],
        ["compile", "--target", "c", "--untrusted", "-o", "tree"],
        ["verify", "--target", "c"],
        ["report", "--target", "c"],
        ["new", "--board", "qemu-m4", "-o", "project"],
    ],
    ids=" ".join,
)
def test_commands_read_gguf_files(
    command: list[str], suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    gguf_file(tmp_path / f"model{suffix}")
    name, *options = command
    assert run([name, f"model{suffix}", *options]) == 0, capsys.readouterr().err


def test_gguf_files_are_not_quantised_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = gguf_file(tmp_path / "model.bin")
    np.savez(tmp_path / "data.npz", token=np.zeros(1))
    assert run(["quantize", str(model), "--data", str(tmp_path / "data.npz")]) == 2
    assert "model.bin: is a GGUF file, which only llama-quantize" in capsys.readouterr().err


def test_the_bytes_of_files_are_models(tmp_path: Path):
    network = api.inspect(gguf_file(tmp_path / "m.gguf").read_bytes())
    assert [port.name for port in network.inputs[:2]] == ["token", "position"]
    with pytest.raises(InputError, match="bytes of a program of PyTorch; give the path"):
        api.inspect(torch_file(tmp_path / "m.pt2").read_bytes())
