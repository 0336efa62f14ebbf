"""`s2s compile` loads the modules that a network needs: a small one is compiled for the most part by importing them."""

import subprocess
import sys

import pytest

from support.project import ROOT

MAX_MODULES = 676
"""Modules of the package that compiling a small convolutional network loads, and some more: they are 669."""

PROGRAM = """
import sys
from s2s.cli.main import run
assert run(["compile", sys.argv[1], "-o", sys.argv[2], "--target", "c", "--quiet"]) == 0
print(*(name for name in sys.modules if name.split(".")[0] == "s2s"))
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The modules of the package that compiling a small network loads."""
    folder = tmp_path_factory.mktemp("loaded")
    model = ROOT / "examples" / "digits" / "digits.onnx"
    command = [sys.executable, "-c", PROGRAM, str(model), str(folder / "tree")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_they_are_few(modules: list[str]):
    assert len(modules) <= MAX_MODULES


@pytest.mark.parametrize(
    "other",
    [
        "api",
        "boards",
        "farm",
        "frontends.decoder",
        "frontends.gguf.decoder",
        "frontends.gguf.reader",
        "frontends.onnx.operators",
        "frontends.onnx.texts",
        "frontends.tflite.importer",
        "frontends.torch.importer",
        "frontends.torch.program",
        "interpret.graph.trees",
        "interpret.routines",
        "packagings",
        "passes.graph.lower_to_tensor.trees",
        "passes.loop.coded_constant",
        "quantization",
        "relay",
        "report",
        "runtime",
        "te",
        "tuning",
        "verify",
    ],
)
def test_what_other_models_and_commands_need_is_not_among_them(other: str, modules: list[str]):
    assert not [name for name in modules if f"{name}.".startswith(f"s2s.{other}.")]
