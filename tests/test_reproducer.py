"""An internal error writes the module before the pass that failed, which `s2s-opt` fails on in the same way."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from s2s.api import compile as compile_network
from s2s.cli import opt
from s2s.cli.main import run
from s2s.passes.graph.remove_identities import RemoveIdentitiesPass
from s2s.passes.tensor.lower_to_loop import LowerToLoopPass
from s2s.reproducer import write_reproducer
from s2s.types.weights import WeightStore
from support.onnx_text import onnx_file
from support.pages import LAYERS
from support.project import ROOT

PASSES: list[type[Any]] = [RemoveIdentitiesPass, LowerToLoopPass]


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def broken(_self: object, _ctx: object, module: ModuleOp) -> None:
    raise KeyError(f"a module of {len(list(module.ops))} functions")


@pytest.mark.parametrize("broken_pass", PASSES)
def test_a_reproducer_fails_as_the_compilation_did(
    broken_pass: type[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(broken_pass, "apply", broken)
    assert run(["compile", str(onnx_file(LAYERS, tmp_path)), "-o", str(tmp_path / "net"), "--target", "c"]) == 70
    said = capsys.readouterr().err
    told = re.search(r"s2s: (\S+\.mlir) repeats it: the module before the pass", said)
    assert told is not None
    text = Path(told[1]).read_text()
    command = re.search(r"^// RUN: s2s-opt --sample-weights -p '(.*)' %s$", text, re.MULTILINE)
    assert command is not None
    assert command[1].startswith(broken_pass.name)
    assert "KeyError: 'a module of" in text
    assert "\n// options: target='c'" in text
    with pytest.raises(KeyError, match="a module of"):
        opt.main(["--sample-weights", "-p", command[1], told[1]])


def test_a_reproducer_can_be_run_once_the_pass_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        patched.setattr(RemoveIdentitiesPass, "apply", broken)
        with pytest.raises(KeyError) as raised:
            compile_network(onnx_file(LAYERS, tmp_path), target="c")
    path = write_reproducer(raised.value, tmp_path)
    assert path is not None
    opt.main(["--sample-weights", "-p", RemoveIdentitiesPass.name, str(path)])


def test_an_error_from_elsewhere_has_none(tmp_path: Path):
    assert write_reproducer(ValueError("from a user's own code"), tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_the_file_holds_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        patched.setattr(RemoveIdentitiesPass, "apply", broken)
        with pytest.raises(KeyError) as raised:
            compile_network(ROOT / "examples" / "digits" / "digits.onnx", target="c")
    path = write_reproducer(raised.value, tmp_path)
    assert path is not None
    assert path.stat().st_size < 20_000


def test_the_weights_are_beside_it_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """`s2s-opt` reads them, and they are the model's: the text holds their hashes."""
    command = ["compile", str(ROOT / "examples/digits/digits.onnx"), "-o", str(tmp_path / "net"), "--target", "c"]
    with monkeypatch.context() as patched:
        patched.setattr(RemoveIdentitiesPass, "apply", broken)
        assert run([*command, "--reproduce-with-weights"]) == 70
    told = re.search(r"s2s: (\S+\.mlir) repeats it: .* with the weights in (\S+\.npz)", capsys.readouterr().err)
    assert told is not None
    text = Path(told[1]).read_text()
    ran = re.search(r"^// RUN: s2s-opt (--weights \S+) -p '(.*)' %s$", text, re.MULTILINE)
    assert ran is not None
    assert ran[1] == f"--weights {told[2]}"
    with np.load(told[2]) as arrays:
        assert len(arrays.files) == 6
        store = WeightStore()
        names = [store.add(name, arrays[name]) for name in arrays.files]
    assert all(store.hash(name) in text for name in names)
    opt.main([*ran[1].split(), "-p", ran[2], told[1]])
