"""Extras of the distribution: each has the packages that its features import, and commands ask before they work."""

import ast
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from s2s.cli.main import run
from s2s.errors import InputError
from s2s.support import extras
from s2s.support.extras import EXTRAS, ExtraName, optional_module, require_extra
from support.bare_environment import PROJECT, bare_environment, distributions
from support.project import ROOT

OF_OTHERS = {"torchao", "executorch", "gguf", "pytest"}
"""Modules that a model has if it reaches s2s with their operators, and those of helpers for tests: of `s2s.testing`,
which writes files, and of `s2s.tvm.testing`, which makes fixtures."""


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_brings_the_modules_that_are_imported(name: ExtraName) -> None:
    there = distributions(frozenset({name}))
    providers = metadata.packages_distributions()
    for module in EXTRAS[name].modules:
        assert {canonicalize_name(each) for each in providers[module]} & there, f"[{name}] does not bring {module}"


def test_every_extra_of_features_is_in_the_table() -> None:
    assert EXTRAS.keys() == PROJECT["optional-dependencies"].keys() - {"dev", "bench", "all"}


def imported(file: Path) -> set[str]:
    """The top-level modules that a file imports by statements or by `import_module("…")` and `optional_module("…")`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module)
            case ast.Call(func=ast.Name(id=call) | ast.Attribute(attr=call), args=[ast.Constant(value=str(name)), *_]):
                names |= {name} if call in {"import_module", "optional_module"} else set()
            case _:
                pass
    return {name.partition(".")[0] for name in names}


def test_a_module_that_no_extra_brings_is_not_imported() -> None:
    base = distributions(frozenset[str]())
    providers = metadata.packages_distributions()
    optional = {module for extra in EXTRAS.values() for module in extra.modules}
    allowed = {"s2s", *sys.stdlib_module_names, *optional, *OF_OTHERS}
    for file in sorted((ROOT / "s2s").rglob("*.py")):
        for module in imported(file) - allowed:
            assert {canonicalize_name(each) for each in providers.get(module, ())} & base, f"{file}: {module}"


def test_the_minimum_of_each_requirement_is_a_version() -> None:
    lines = [*PROJECT["dependencies"], *(each for group in PROJECT["optional-dependencies"].values() for each in group)]
    assert all(Requirement(line).name for line in lines)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"] == PROJECT


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No optional package is installed."""

    def nowhere(module: str) -> bool:
        return not module

    monkeypatch.setattr(extras, "is_installed", nowhere)


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("report none.onnx --html page.html", "report"),
        ("tune none.onnx -o none.jsonl --tuner model", "tune"),
        ("tune none.onnx -o none.jsonl --tuner tpe", "tune"),
        ("verify none.onnx --on serial:/dev/none", "serial"),
    ],
)
def test_a_missing_extra_is_named_before_the_model_is_read(
    command: str, extra: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command.split()) == 2
    assert f"pip install 's2s-compiler[{extra}]'" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing")
def test_another_way_out_is_named() -> None:
    with pytest.raises(InputError, match=r"^--tuner: needs lightgbm, which is not installed; pip .*, or --tuner ga$"):
        require_extra("tune", "--tuner", "--tuner ga")


def test_a_package_that_a_package_lacks_is_named() -> None:
    with pytest.raises(InputError, match=r"^--html: needs nowhere_at_all, which is not installed; pip install"):
        optional_module("nowhere_at_all", "report", "--html")


TUNER = """
import numpy as np
from s2s.tuning.experience import Experience
from s2s.tuning.tuners import ModelTuner

class Space:
    listed = None

tuner = ModelTuner(Space())
tuner._features = lambda point: [float(point), float(point % 3)]
score = tuner._model([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]] * 4, [0.0, 1.0, 2.0] * 4, ([], []))
assert score([2])[0] > score([0])[0]
"""
PROGRAMS: dict[ExtraName, str] = {
    "tune": TUNER,
    "report": "from s2s.report.html.charts import _matplotlib; _matplotlib().figure()",
    "verify": "import onnxruntime",
    "tflm": "from tflite_micro import runtime",
    "litert": "import ai_edge_litert.interpreter",
    "farm": "from s2s.farm.library import distributed; distributed().LocalCluster",
    "serial": "import serial, cobs.cobs",
}
"""What a feature does with the packages of its extra; torch is what `tests/frontends/torch` runs with."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_feature_runs_with_the_packages_of_its_extra(name: ExtraName, tmp_path: Path) -> None:
    python = bare_environment(tmp_path, frozenset({name}))
    done = subprocess.run([python, "-c", PROGRAMS[name]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_no_extra_brings_is_not_there(tmp_path: Path) -> None:
    python = bare_environment(tmp_path, frozenset({"tune"}))
    done = subprocess.run([python, "-c", "import pytest"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No module named 'pytest'" in done.stderr
