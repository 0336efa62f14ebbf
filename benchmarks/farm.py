"""What a farm costs for each trial, beside measuring itself, and how much more two workers do than one.

    python -m benchmarks.farm [--trials 200] [--workers 2] [--compiled 96]

A scheduler and workers run on this machine. The first trials go all the way to the measuring process of a worker and do
nothing there, so that the time that is left is the farm's: submitting, sending the task, scheduling, and bringing the
result back. On a machine that does other things, each of these steps waits for a core; so the CPU time of the tuner and
of the farm is printed as well.

The `--compiled` trials that follow are bound by compilers: schedules are lowered, built for an emulated board and run
there. They are done by one worker and by all, each of which runs one compiler at a time. On a machine that does other
things, their time says little. So the share of the time that workers spend in trials is printed as well: with free
cores, n workers do n times that share.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.farm.measurer import FarmMeasurer
from s2s.farm.status import farm_status
from s2s.farm.trial import bytes_of, measuring_process
from s2s.options import CompileOptions
from s2s.tuning.measurement import Measurement
from s2s.tuning.measurer import Candidate
from s2s.tuning.search_space import Point
from s2s.tuning.space import Space
from s2s.tuning.task import tasks_of
from s2s.tuning.tuners import make_tuner

DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"
PORT = 28786
START_SECONDS = 300
"""A busy machine may take this long to start workers."""
LIMIT = 0.050
"""Seconds for each trial."""
BATCH = 8
BOARD = "qemu:m4"


def nothing(digest: str, task: bytes | None, decisions: Sequence[object], *_: object) -> list[Measurement] | None:
    """A trial that measures nothing."""
    packed = bytes_of(digest, task)
    if packed is None:
        return None
    count = measuring_process().submit(len, decisions).result()
    return [Measurement({"seconds": float(len(packed))}) for _ in range(count)]


@dataclass(frozen=True)
class Overhead:
    """What a trial costs that measures nothing."""

    batch: int
    """Trials that are submitted at a time."""
    seconds: float
    own: float
    """CPU time of the tuner's process, in seconds for each trial."""
    farm: float
    """The farm of the scheduler and the workers."""

    def __str__(self) -> str:
        clock, own, farm = (1e3 * each for each in (self.seconds, self.own, self.farm))
        return f"{self.batch} at a time {clock:10.1f} ms a trial; CPU time: tuner {own:.1f} ms, farm {farm:.1f} ms"


def overheads(farm: "Farm", trials: int) -> list[Overhead]:
    """Submit trials one after the other, and in batches."""
    task = max(tasks_of(Compilation(DIGITS, CompileOptions(target="c"))), key=lambda each: len(each.state.weights))
    measurer = FarmMeasurer(farm.address, "host", trial=nothing)
    measurer.measure([Candidate(task, {})] * BATCH)
    found: list[Overhead] = []
    for batch in (1, BATCH):
        started, own, others = time.perf_counter(), time.process_time(), farm.cpu_time()
        for _ in range(trials // batch):
            measurer.measure([Candidate(task, {})] * batch)
        spent = time.perf_counter() - started, time.process_time() - own, farm.cpu_time() - others
        found.append(Overhead(batch, *(each / (trials // batch * batch) for each in spent)))
    return found


@dataclass(frozen=True)
class Throughput:
    """What trials that are bound by compilers took."""

    workers: int
    seconds: float
    """For each trial, by the clock."""
    busy: float
    """The part of the workers' time that they spent in trials."""
    own: float
    """Seconds of CPU time of the tuner's process for each trial."""


def throughput(address: str, workers: int, trials: int) -> Throughput:
    """Search a space at random on a farm."""
    tasks = tasks_of(Compilation(DIGITS, CompileOptions(target="cortex-m4")))
    space = max((Space(each) for each in tasks), key=lambda each: each.size)
    tuner = make_tuner("random", space)
    measurer, proposed = FarmMeasurer(address, BOARD), list[Point]()
    for _ in range(workers):
        measurer.measure([Candidate(space.task, {})] * workers)

    def more() -> list[Candidate]:
        points = tuner.propose(min(BATCH, trials - len(proposed))) if len(proposed) < trials else []
        proposed.extend(points)
        return [Candidate(space.task, space.decisions(space.text(point) or "")) for point in points]

    started, own = time.perf_counter(), time.process_time()
    found = [each.seconds for _, each in measurer.flow(more, lambda: None)]
    seconds = time.perf_counter() - started
    return Throughput(
        workers, seconds / len(found), sum(found) / (workers * seconds), (time.process_time() - own) / len(found)
    )


def main() -> int:
    """Start a farm, measure, and print; 1 where a trial costs more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--compiled", type=int, default=96)
    given = parser.parse_args()
    with _farm(given.workers, "host") as farm:
        found = overheads(farm, given.trials)
    for each in found:
        print(each)
    if given.compiled:
        compiled: list[Throughput] = []
        for workers in (1, given.workers):
            with _farm(workers, BOARD) as farm:
                compiled.append(throughput(farm.address, workers, given.compiled))
            each = compiled[-1]
            print(
                f"{workers} workers compiling  {each.seconds * 1e3:6.0f} ms a trial, busy {each.busy:.1%},"
                f" tuner {each.own * 1e3:.0f} ms of CPU time a trial"
            )
        one, several = compiled
        ratio, free = one.seconds / several.seconds, given.workers * several.busy / one.busy
        print(f"{given.workers} workers beside one  {ratio:.2f} x by the clock, {free:.2f} x by their busy time")
    return int(found[0].seconds > LIMIT)


@dataclass(frozen=True)
class Farm:
    """A scheduler and workers on this machine."""

    address: str
    processes: Sequence[subprocess.Popen[bytes]]

    def cpu_time(self) -> float:
        """Seconds of CPU time that its processes have taken."""
        first = [psutil.Process(each.pid) for each in self.processes]
        every = [*first, *(child for each in first for child in each.children(recursive=True))]
        return sum(sum(each.cpu_times()[:4]) for each in every)


@contextmanager
def _farm(workers: int, board: str) -> Generator[Farm]:
    """A scheduler and workers on this machine, while the block runs."""
    address = f"tcp://127.0.0.1:{PORT}"
    farm = [sys.executable, "-m", "s2s", "farm"]
    one_compiler = {**os.environ, "S2S_JOBS": "1"}
    processes = [
        subprocess.Popen([*farm, "scheduler", "--host", "127.0.0.1", "--port", str(PORT)]),
        subprocess.Popen([*farm, "worker", address, "--board", board, "--count", str(workers)], env=one_compiler),
    ]
    try:
        _wait(address, workers)
        yield Farm(address, processes)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def _wait(address: str, workers: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            if len(farm_status(address).workers) >= workers:
                return
        except InputError:
            time.sleep(0.5)
    raise InputError(f"{address}: no {workers} workers within {START_SECONDS} s")


if __name__ == "__main__":
    sys.exit(main())
