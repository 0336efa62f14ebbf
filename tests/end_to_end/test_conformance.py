"""ONNX's own backend tests through the emitted C, kind by kind; benchmarks/conformance.py has the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.project import ROOT, SHARED

RUNNER = SHARED / "conformance" / "run.py"
CASES = {"simple": 7, "pytorch-operator": 35, "pytorch-converted": 82, "light": 9}
"""How many cases each kind has; `light` are whole networks, from SqueezeNet to VGG-19, and take minutes."""
SECONDS_OF_A_CASE = 600


@pytest.mark.skipif(not RUNNER.is_file(), reason="the conformance runner is not there")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", CASES)
def test_every_case_passes(kind: str, tmp_path: Path):
    results = tmp_path / "results.json"
    command = [sys.executable, RUNNER, "benchmarks.conformance_adapters:run", "--kind", kind, "--jobs", "2"]
    command += ["--timeout", str(SECONDS_OF_A_CASE), "--json", results]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    assert results.is_file(), done.stdout + done.stderr
    cases = json.loads(results.read_text())["cases"]
    assert {case["name"]: case["reason"] for case in cases if not case["passed"]} == {}
    assert len(cases) == CASES[kind]
