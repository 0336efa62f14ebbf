"""What a farm costs for each trial, beside measuring itself.

    python -m benchmarks.farm [--trials 200] [--workers 2]

A scheduler and workers run on this machine. The trials do nothing but take their task apart, so that the time that is
left is the farm's: submitting, sending the task, scheduling, and bringing the result back.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.farm.measurer import FarmMeasurer
from s2s.farm.status import farm_status
from s2s.options import CompileOptions
from s2s.tuning.measurement import Measurement
from s2s.tuning.measurer import Candidate
from s2s.tuning.task import tasks_of

DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"
PORT = 28786
LIMIT = 0.050
"""Seconds for each trial."""
BATCH = 8


def nothing(task: bytes, decisions: Sequence[object], *_: object) -> list[Measurement]:
    """A trial that measures nothing."""
    return [Measurement({"seconds": float(len(task))}) for _ in decisions]


def overhead(address: str, trials: int) -> tuple[float, float]:
    """The seconds for each trial, one after the other, and in batches."""
    task = max(tasks_of(Compilation(DIGITS, CompileOptions(target="c"))), key=lambda each: len(each.state.weights))
    measurer = FarmMeasurer(address, "host", trial=nothing)
    measurer.measure([Candidate(task, {})])
    found: list[float] = []
    for batch in (1, BATCH):
        started = time.perf_counter()
        for _ in range(trials // batch):
            measurer.measure([Candidate(task, {})] * batch)
        found.append((time.perf_counter() - started) / (trials // batch * batch))
    return found[0], found[1]


def main() -> int:
    """Start a farm, measure, and print; 1 where a trial costs more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    address = f"tcp://127.0.0.1:{PORT}"
    farm = [sys.executable, "-m", "s2s", "farm"]
    processes = [
        subprocess.Popen([*farm, "scheduler", "--host", "127.0.0.1", "--port", str(PORT)]),
        subprocess.Popen([*farm, "worker", address, "--count", str(given.workers)]),
    ]
    try:
        _wait(address, given.workers)
        single, batched = overhead(address, given.trials)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
    print(f"one trial at a time   {single * 1e3:6.1f} ms a trial (limit {LIMIT * 1e3:.0f})")
    print(f"{BATCH} trials at a time    {batched * 1e3:6.1f} ms a trial")
    return int(single > LIMIT)


def _wait(address: str, workers: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if len(farm_status(address).workers) >= workers:
                return
        except InputError:
            time.sleep(0.5)
    raise InputError(f"{address}: no {workers} workers within a minute")


if __name__ == "__main__":
    sys.exit(main())
