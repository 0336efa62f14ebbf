"""How much faster networks are with threads.

    taskset -c 2,3 python -m benchmarks.threads [MODEL ...] [--threads 2] [--threading pthreads] [--rounds 5]
                                                [--cache DIR] [--at-least 1.7] [--onnxruntime]

Compiles each model without threads and for a pool of them, runs both in turns, and prints the time on the clock of the
fastest runs; with `--onnxruntime` it takes turns with as many threads, and the table has our time in units of its time.
Wants as many idle cores as there are threads: CPU time would not show what threads save, so, unlike in the other
benchmarks, whatever else runs on these cores counts. Exits with 1 if the outputs are not equal bit for bit, a network
is not `--at-least` so much faster, or takes more than 0.8 of onnxruntime's time.
"""

import argparse
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import Variant, build
from benchmarks.models import CACHE, available
from s2s.options import Threading
from s2s.types.dtypes import Array

MODELS = ("resnet50", "resnet18", "mobilenet_v2", "vit_tiny", "bert_tiny")
OF_THEIRS = 0.80
"""The largest ratio to onnxruntime's time."""
SLICE = 0.5
"""Seconds that one candidate runs before the next has its turn."""


@dataclass(frozen=True)
class Figures:
    """Seconds of the fastest run on one thread and on several, and whether their outputs are equal."""

    one: float
    several: float
    equal: bool
    arena: tuple[int, int]
    theirs: float | None = None
    """Seconds of onnxruntime with several threads, where it was measured."""

    @property
    def speed_up(self) -> float:
        """How many times faster several threads are."""
        return self.one / self.several

    @property
    def ratio(self) -> float | None:
        """Our time on several threads in units of onnxruntime's."""
        return None if self.theirs is None else self.several / self.theirs


def measure(path: Path, threads: int, threading: Threading, rounds: int, *, beside: bool = False) -> Figures:
    """Build a model twice and time both in turns, `beside` onnxruntime if so asked."""
    alone = build(path, Variant())
    together = build(path, Variant(threads=threads, threading=threading), alone.inputs)
    with alone.network, together.network:
        outputs = zip(alone.outputs(), together.outputs(), strict=True)
        equal = all(np.array_equal(one, several, equal_nan=True) for one, several in outputs)
        calls: dict[str, Callable[[], object]] = {"one": alone.bound.call, "several": together.bound.call}
        if beside:
            calls["theirs"] = onnxruntime_call(path, threads, alone.inputs)
        seconds = fastest(calls, rounds)
    arena = alone.report.arena, together.report.arena
    return Figures(seconds["one"], seconds["several"], equal, arena, seconds.get("theirs"))


def onnxruntime_call(path: Path, threads: int, inputs: Mapping[str, Array]) -> Callable[[], object]:
    """Return a run of the model by onnxruntime, with inputs and outputs in place."""
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, value in inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
    for result in session.get_outputs():
        binding.bind_output(result.name)
    return lambda: session.run_with_iobinding(binding)


def fastest(calls: Mapping[str, Callable[[], object]], rounds: int, seconds: float = SLICE) -> dict[str, float]:
    """Seconds on the clock of the fastest run of each candidate, which take turns of `seconds`."""
    best = dict.fromkeys(calls, math.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            end = time.perf_counter() + seconds
            while (start := time.perf_counter()) < end:
                call()
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", default=list(MODELS), help="names, or paths of ONNX files")
    parser.add_argument("--threads", type=int, default=2, help="threads of the pool")
    parser.add_argument("--threading", choices=("pthreads", "openmp"), default="pthreads", help="what they are")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each candidate")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--onnxruntime", action="store_true", help="measure it with as many threads")
    parser.add_argument("--at-least", type=float, default=1.7, help="how much faster each has to be")
    arguments = parser.parse_args()
    found, missing = available(arguments.models, arguments.cache)
    print(f"{'model':<24}{'1 thread':>12}{f'{arguments.threads} threads':>12}  µs{'faster':>9}  equal  of ort  arena")
    passed = True
    for name, path in found.items():
        figures = measure(path, arguments.threads, arguments.threading, arguments.rounds, beside=arguments.onnxruntime)
        ratio = "–" if figures.ratio is None else f"{figures.ratio:.2f}"
        passed &= figures.equal and figures.speed_up >= arguments.at_least
        passed &= figures.ratio is None or figures.ratio <= OF_THEIRS
        print(
            f"{name:<24}{figures.one * 1e6:12.1f}{figures.several * 1e6:12.1f}{figures.speed_up:12.2f} ×"
            f"{'yes' if figures.equal else 'NO':>6}{ratio:>8}  {figures.arena[0]} -> {figures.arena[1]}",
            flush=True,
        )
    for name, reason in missing.items():
        print(f"{name:<24}skipped: {reason}")
    raise SystemExit(0 if passed else 1)


if __name__ == "__main__":
    main()
