"""ONNX's own backend tests through the emitted C, kind by kind; benchmarks/conformance.py has the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.project import ROOT, SHARED

RUNNER = SHARED / "conformance" / "run.py"
CASES = {"simple": 7, "pytorch-operator": 35, "pytorch-converted": 82}
"""How many cases each kind has."""
NODES = {"abc": 649, "defghijklmnopq": 573, "rstuvwxyz": 537}
"""How many cases of single operators begin with these letters: each run of the runner lists all cases first."""
NETWORKS = (
    *("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50"),
    *("shufflenet", "squeezenet", "vgg19", "zfnet512"),
)
"""Cases that are whole networks, which take longest."""
SECONDS_OF_A_CASE = 600

pytestmark = [
    pytest.mark.skipif(not RUNNER.is_file(), reason="the conformance runner is not there"),
    pytest.mark.timeout(1800),
]


def check(folder: Path, count: int, *choice: str) -> None:
    """Run the chosen cases, which are so many."""
    results = folder / "results.json"
    command = [sys.executable, RUNNER, "benchmarks.conformance_adapters:run", *choice]
    command += ["--timeout", str(SECONDS_OF_A_CASE), "--json", results]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert results.is_file(), done.stdout + done.stderr
    cases = json.loads(results.read_text())["cases"]
    assert {case["name"]: case["reason"] for case in cases if not case["passed"]} == {}
    assert len(cases) == count


@pytest.mark.parametrize("kind", CASES)
def test_every_case_passes(kind: str, tmp_path: Path):
    check(tmp_path, CASES[kind], "--kind", kind)


@pytest.mark.parametrize("letters", NODES)
def test_every_case_of_an_operator_passes(letters: str, tmp_path: Path):
    check(tmp_path, NODES[letters], "--kind", "node", "--filter", f"^test_[{letters}]")


@pytest.mark.sample(2)
@pytest.mark.parametrize("network", NETWORKS)
def test_whole_networks_pass(network: str, tmp_path: Path):
    check(tmp_path, 1, "--kind", "light", "--filter", f"^test_{network}$")
