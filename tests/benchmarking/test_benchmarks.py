"""The benchmarks run: on small networks, from the command line, as a reader of benchmarks/README.md would."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.chains import chain
from benchmarks.engines import relative_difference
from benchmarks.models import available, find_model
from benchmarks.peer import S2S
from s2s.compilation import Compilation
from s2s.dialects import c
from s2s.options import CompileOptions
from support.c_compilers import require
from support.onnx_text import onnx_file
from support.project import ROOT


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return onnx_file("(float[4, 4] x) => (float[4, 4] y) { a = Relu(x) y = Add(a, x) }", tmp_path)


def run(name: str, *arguments: str | Path) -> str:
    """What a benchmark prints."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def kernels(nodes: int, *, distinct: bool) -> int:
    """Functions that a chain is compiled to, without the one that calls them."""
    module = Compilation(chain(nodes, distinct=distinct), CompileOptions(target="c")).at("c").module
    return sum(isinstance(op, c.FuncOp) for op in module.ops) - 1


@pytest.mark.parametrize("nodes", [1, 2, 3, 100])
def test_a_chain_has_as_many_nodes_as_asked_for(nodes: int):
    assert len(chain(nodes, distinct=True).graph.node) == nodes


def test_layers_of_a_chain_share_kernels_unless_they_are_distinct():
    assert kernels(9, distinct=False) == kernels(6, distinct=False)
    assert kernels(9, distinct=True) - kernels(6, distinct=True) == 1


def test_a_model_is_found_by_its_path(model: Path):
    assert find_model(str(model)) == model


def test_a_model_that_was_made_before_is_taken_from_the_cache(model: Path):
    assert find_model("model", cache=model.parent) == model


def test_a_model_that_cannot_be_made_is_left_out_with_a_reason(model: Path, tmp_path: Path):
    found, missing = available([str(model), "no_such_model"], cache=tmp_path)
    assert found == {"model": model}
    assert list(missing) == ["no_such_model"]
    assert missing["no_such_model"].startswith("no_such_model: ")


def test_differences_are_counted_in_units_of_the_largest_value():
    expected = [np.array([1.0, -4.0], np.float32), np.zeros(2, np.float32)]
    assert relative_difference(expected, [np.array([1.0, -3.0]), np.zeros(2)]) == 0.25
    assert relative_difference(expected, [np.array([1.0, -4.0]), np.array([0.0, 0.5])]) == 0.5


def test_compile_time_prints_stages_and_growth():
    printed = run(
        "compile_time",
        "--nodes",
        "2",
        "4",
        "--distinct",
        "1",
        "2",
        "--models",
        "digits",
        "--networks",
        "kws",
        "--runs",
        "1",
    )
    assert re.search(r"^ +nodes +read +graph +tensor +loop +c +write +total", printed, re.MULTILINE)
    assert len(re.findall(r"^ +exp( +-?[\d.]+){7} ", printed, re.MULTILINE)) == 2
    assert re.search(r"^digits( +[\d.]+){7} +limit 1\.5 s", printed, re.MULTILINE)
    assert re.search(r"^s2s --help [\d.]+ seconds", printed, re.MULTILINE)


def test_baseline_compares_schedules(model: Path):
    require("cc")
    pytest.importorskip("onnxruntime")
    printed = run("baseline", model, "no_such_model", "--rounds", "1", "--at-least", "0")
    for variant in ("c reference", "host reference", "c", "host"):
        assert re.search(rf"^(model)? +{variant} +[\d.]+ +[\d.]+ +\d+ +\d+ +1\.000 ", printed, re.MULTILINE)
    assert "geometric mean of the speed-ups, host: " in printed
    assert "no_such_model: skipped: " in printed


def test_a_peer_computes_what_the_network_means(model: Path, tmp_path: Path):
    require("cc")
    session = pytest.importorskip("onnxruntime").InferenceSession(str(model))
    feeds = {"x": np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)}
    peer = S2S()
    peer.load(str(model), feeds, str(tmp_path))
    assert relative_difference(session.run(None, feeds), peer.outputs()) < 1e-6
    wall, cpu = peer.time_block(3)
    assert min(wall, cpu) > 0
    assert re.fullmatch(r"s2s [\d.]+.* \(.+, host\)", peer.version())
