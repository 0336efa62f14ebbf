"""s2s for AVX2 beside OpenVINO held to AVX2, on one core: measured and judged.

    python -m benchmarks.avx2 [MODEL ...] [--openvino PYTHON] [--cpu 1] [--rounds 7] [--slice 0.3] [--kept DIR]

Compiles for target `x86-64-v3` and sets `ONEDNN_MAX_CPU_ISA=AVX2`, so that a machine with AVX-512 shows what one with
AVX2 gets. Runs `../shared/bench/peers.py`, as `benchmarks.peers` does, on all networks of `goals.py` or those named.

The variable holds oneDNN's kernels. OpenVINO's fully connected layers may be MLAS's, which takes AVX-512 all the same
(`gemm_mlas_f32` among the kernels that OpenVINO's profile names). So the arithmetic per second of OpenVINO is compared
with the most that AVX2 can do on this core; where it is above, that network is marked, and s2s is held to a share of
that peak instead.

Exits with 1 if a network takes longer than OpenVINO held to AVX2, a marked one does less than 0.85 of the peak, or the
geometric mean of all ratios exceeds 0.75; with 2 if nothing could be measured.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.goals import NETWORKS
from benchmarks.models import CACHE, ROOT, SHARED, available
from benchmarks.results import INT8_TOLERANCE, TOLERANCE
from benchmarks.timing import geometric_mean
from s2s.profiling.machine import this_machine
from s2s.targets import get_target

RUNNER = SHARED / "bench" / "peers.py"
THEIRS, OURS = "openvino", "avx2"
EXTRA = "benchmarks.peer:AVX2"
EACH, MEAN = 1.00, 0.75
"""The largest ratio of our time to OpenVINO's, of each network and of the geometric mean."""
TARGET = "x86-64-v3"
SHARE = 0.85
"""Of the peak of AVX2, where OpenVINO does more arithmetic per second than AVX2 can."""


@dataclass(frozen=True)
class Times:
    """Seconds of a run of one network, and its arithmetic."""

    theirs: float
    ours: float
    flops: float
    """Operations on floats; 0 for a network of bytes."""

    @property
    def ratio(self) -> float:
        """Our time in units of OpenVINO's."""
        return self.ours / self.theirs

    def is_beyond(self, peak: float) -> bool:
        """Whether OpenVINO does more operations per second than `peak`."""
        return self.flops / self.theirs > peak

    def passes(self, peak: float) -> bool:
        """Whether s2s is as fast as OpenVINO, or near the peak where OpenVINO is beyond it."""
        return self.flops / self.ours >= SHARE * peak if self.is_beyond(peak) else self.ratio <= EACH


def avx2_peak() -> float:
    """Return the operations per second that AVX2 can do on this core: those of all lanes, by the share of its lanes."""
    return 1e9 * this_machine().float_gflops * get_target(TARGET).lanes / get_target("host").lanes


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
    peak = avx2_peak()
    measured = [times for name, path in found.items() if (times := measure(name, path, peak, options)) is not None]
    if not measured:
        return 2
    mean = geometric_mean([each.ratio for each in measured])
    print(f"{'geometric mean':<28}{mean:34.2f}   asked: {MEAN:.2f}, each {EACH:.2f}")
    return 0 if mean <= MEAN and all(each.passes(peak) for each in measured) else 1


def measure(name: str, path: Path, peak: float, options: argparse.Namespace) -> Times | None:
    """Time one network on both and print it; None if an engine fails or gives other numbers."""
    raw: Path = options.kept / f"{name}.json"
    command = [sys.executable, str(RUNNER), str(path), "--peers", THEIRS, "--extra", EXTRA, "--cpu", str(options.cpu)]
    command += ["--rounds", str(options.rounds), "--slice", str(options.slice), "--prepare", "900", "--out", str(raw)]
    command += ["--log", str(options.kept / "engines.log")]
    if options.openvino is not None:
        command += ["--venv", f"{THEIRS}={options.openvino}"]
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
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
    theirs, ours = (1e-6 * float(peers[engine]["min_us"]) for engine in (THEIRS, OURS))
    times = Times(theirs, ours, 0.0 if "int8" in name else float(models[0]["flops"]))
    print(f"{name:<28}{theirs * 1e6:12.1f}{ours * 1e6:12.1f} µs{times.ratio:7.2f}{_beyond(times, peak)}", flush=True)
    return times


def _beyond(times: Times, peak: float) -> str:
    """The mark of a network on which OpenVINO is not held to AVX2."""
    if not times.is_beyond(peak):
        return ""
    theirs, ours = (times.flops / seconds / peak for seconds in (times.theirs, times.ours))
    return f"   not held: {theirs:.2f} of the peak of AVX2, s2s {ours:.2f} (asked: {SHARE})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.avx2", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", help="names, or paths of ONNX files; by default all networks with a goal")
    parser.add_argument("--openvino", type=Path, metavar="PYTHON", help="an interpreter that has OpenVINO")
    parser.add_argument("--cpu", type=int, default=1, help="the core that everything runs on")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each engine")
    parser.add_argument("--slice", type=float, default=0.3, help="seconds of a turn")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--kept", type=Path, default=ROOT / "build" / "avx2", help="folder of results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
