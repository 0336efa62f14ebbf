"""s2s for AVX2 beside OpenVINO held to AVX2, on one core: measured and judged.

    python -m benchmarks.avx2 [MODEL ...] [--openvino PYTHON] [--as-installed] [--cpu 1] [--rounds 7] [--slice 0.3]

Compiles for target `x86-64-v3`, and runs a copy of OpenVINO that finds no AVX-512 (`without_avx512.py`), so that a
machine with AVX-512 shows what one with AVX2 gets. With `--as-installed` it runs OpenVINO as it is installed, with
`ONEDNN_MAX_CPU_ISA=AVX2`: that holds its convolutions, not its fully connected layers. Runs
`../shared/bench/peers.py`, as `benchmarks.peers` does, on all networks of `goals.py` or those named.

Exits with 1 if a network takes longer than OpenVINO, or the geometric mean of the ratios exceeds 0.75; with 2 if
nothing could be measured.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.goals import NETWORKS
from benchmarks.models import CACHE, ROOT, SHARED, available
from benchmarks.results import INT8_TOLERANCE, TOLERANCE
from benchmarks.timing import geometric_mean
from benchmarks.without_avx512 import openvino_without_avx512

RUNNER = SHARED / "bench" / "peers.py"
THEIRS, OURS = "openvino", "avx2"
EXTRA = "benchmarks.peer:AVX2"
EACH, MEAN = 1.00, 0.75
"""The largest ratio of our time to OpenVINO's, of each network and of the geometric mean."""


def main() -> int:
    """Measure, print and judge."""
    options = _parser().parse_args()
    found, missing = available(options.models or list(NETWORKS), options.cache)
    for name, reason in missing.items():
        print(f"{name:<28}skipped: {reason}")
    if not RUNNER.is_file() or not found:
        print(f"skipped: {RUNNER} or the models are not there")
        return 2
    options.kept.mkdir(parents=True, exist_ok=True)
    try:
        environment = _environment(options)
    except ValueError as error:
        print(f"skipped: {error}")
        return 2
    ratios = [ratio for name, path in found.items() if (ratio := measure(name, path, environment, options)) is not None]
    if not ratios:
        return 2
    mean = geometric_mean(ratios)
    print(f"{'geometric mean':<28}{mean:34.2f}   asked: {MEAN:.2f}, each {EACH:.2f}")
    return 0 if mean <= MEAN and max(ratios) <= EACH else 1


def _environment(options: argparse.Namespace) -> Mapping[str, str]:
    """The variables that hold OpenVINO to AVX2."""
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
    if options.as_installed:
        return environment
    copy = openvino_without_avx512(options.openvino or Path(sys.executable), options.kept / "openvino_avx2")
    return {**environment, "PYTHONPATH": os.pathsep.join([str(copy.resolve()), os.environ.get("PYTHONPATH", "")])}


def measure(name: str, path: Path, environment: Mapping[str, str], options: argparse.Namespace) -> float | None:
    """Time one network on both, print it, and return the ratio; None if an engine fails or gives other numbers."""
    raw: Path = options.kept / f"{name}.json"
    command = [sys.executable, str(RUNNER), str(path), "--peers", THEIRS, "--extra", EXTRA, "--cpu", str(options.cpu)]
    command += ["--rounds", str(options.rounds), "--slice", str(options.slice), "--prepare", "900", "--out", str(raw)]
    command += ["--log", str(options.kept / "engines.log")]
    if options.openvino is not None:
        command += ["--venv", f"{THEIRS}={options.openvino}"]
    raw.unlink(missing_ok=True)
    subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    record: Any = json.loads(raw.read_text(encoding="utf-8")) if raw.is_file() else {"models": {}}
    models: list[Any] = list(record["models"].values())
    peers: Mapping[str, Mapping[str, Any]] = models[0]["peers"] if models else {}
    limit = INT8_TOLERANCE if "int8" in name else TOLERANCE
    for engine in (THEIRS, OURS):
        each = peers.get(engine, {})
        if "min_us" not in each or not each["err"] or each["err"]["max_rel"] > limit:
            print(f"{name:<28}skipped: {engine} {each.get('error', 'gives other numbers')}", flush=True)
            return None
    theirs, ours = (float(peers[engine]["min_us"]) for engine in (THEIRS, OURS))
    print(f"{name:<28}{theirs:12.1f}{ours:12.1f} µs{ours / theirs:7.2f}", flush=True)
    return ours / theirs


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.avx2", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", help="names, or paths of ONNX files; by default all networks with a goal")
    parser.add_argument("--openvino", type=Path, metavar="PYTHON", help="an interpreter that has OpenVINO")
    parser.add_argument("--as-installed", action="store_true", help="OpenVINO itself, held by its variable alone")
    parser.add_argument("--cpu", type=int, default=1, help="the core that everything runs on")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each engine")
    parser.add_argument("--slice", type=float, default=0.3, help="seconds of a turn")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "avx2", help="folder of results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
