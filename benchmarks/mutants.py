"""Damaged ONNX and TFLite files: each is compiled, or refused with one clear message, in bounded time and memory.

    python -m benchmarks.mutants {onnx,tflite} [--cases 1000] [--from 0] [--build-every 20] [--seconds 10] [--jobs 1]

Mutants of sound models are the same in every run, and named by their numbers. Each is compiled in a child of a process
that has loaded the compiler, with 2 GB of memory: none may end in a traceback, run for longer than `--seconds` of CPU
time, or take more memory. Those whose number is a multiple of `--build-every` are built, if they are accepted, with the
address and undefined-behaviour sanitizers, and their self-tests run. The exit code is 1 if one is not taken well.
"""

import argparse
import gc
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import onnx

from s2s.artifact import compile_artifact
from s2s.errors import InputError, ToolchainError, UnsupportedError
from s2s.fuzz.campaign import Plan, draw
from s2s.options import CompileOptions
from s2s.support.child import run_in_child
from s2s.verify.toolchain import run_program

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import onnx_seeds, tflite_cases, tflite_layer_cases
from support import tflite_mutants as tflite_files
from support.onnx_mutants import mutate_bytes, mutate_model

MODELS = Path(__file__).parents[2] / "shared" / "models"
MEMORY = 2 * 2**30
BATCH = 50
"""Mutants that a worker takes at a time."""
PATIENCE = 1200.0
"""Seconds after which a child counts as hanging, however busy the machine is."""
DRAWN = 400
"""Models of `s2s fuzz` that are damaged …"""
DRAWN_NODES = 3
"""… and the most nodes of one."""
UNKNOWN = "no_golden_vector"
"""A file beside networks that the interpreter does not run to their end: a loop may ask for more turns than anybody has
time for."""
LONGEST = 300.0
"""Seconds that a self-test may run, if its network ends."""
TARGETS = ("c", "host")
LARGEST = 400_000
"""Bytes of the largest file that is damaged."""
SANITIZED = (
    *("gcc", "-std=c99", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-Iinclude", "-Isrc", "-Iruntime/include"),
)
Mutate = Callable[[int], bytes]


class Mutants(NamedTuple):
    """Files to try."""

    sound: bytes
    """A file that is not damaged."""
    mutate: Mutate
    """Makes the mutant of a number."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    number: int
    accepted: bool
    seconds: float
    complaint: str = ""
    """What is wrong with how the compiler took it; empty when all is well."""
    built: bool = False
    """Whether it was built with the sanitizers."""


def onnx_mutants() -> Mutants:
    """Mutants of the shared networks, the seeds of the tests, and models that `s2s fuzz` draws."""
    files = [path.read_bytes() for path in sorted((MODELS / "onnx").glob("*.onnx")) if _is_small(path)]
    found = [path.read_bytes() for path in sorted((MODELS / "found").glob("*.onnx")) if _is_small(path)]
    drawn = run_in_child(_drawn, PATIENCE).result or []
    models = [seed().SerializeToString() for seed in onnx_seeds.SEEDS]
    parts = [models, files, found, drawn]

    def mutate(number: int) -> bytes:
        random = Random(number)
        data = random.choice(random.choices(parts, (2, 1, 1, 4))[0])
        if random.random() < 0.25:
            return mutate_bytes(data, random)
        model = onnx.load_from_string(data)
        damaged = mutate_model(model, random)
        while damaged == model:
            damaged = mutate_model(model, random)
        return damaged.SerializeToString()

    return Mutants(models[0], mutate)


def tflite_mutants() -> Mutants:
    """Mutants of the networks of MLPerf Tiny and of models of one operator each."""
    files = sorted((MODELS / "mlperf_tiny").glob("*.tflite"))
    networks = [tflite_files.seed_of(path.name, path.read_bytes()) for path in files if _is_small(path)]
    operators = [
        tflite_files.seed_of(f"{builtin} {kind}", make(np.random.default_rng(0)).model)
        for generators in (tflite_cases.GENERATORS, tflite_layer_cases.GENERATORS)
        for builtin, kinds in generators.items()
        for kind, make in kinds.items()
    ]

    def mutate(number: int) -> bytes:
        return tflite_files.mutant(networks if number % 5 == 0 and networks else operators, number)[1]

    return Mutants(operators[0].data, mutate)


FORMATS: Mapping[str, Callable[[], Mutants]] = {"onnx": onnx_mutants, "tflite": tflite_mutants}


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= LARGEST


def _drawn() -> list[bytes]:
    return [draw(Plan(seed=14, nodes=DRAWN_NODES), number).model.serialised() for number in range(DRAWN)]


def judge(number: int, take: Callable[[], object]) -> Outcome:
    """Run `take`, which may succeed or raise an error of the kinds that users see, of lines of a clear form."""
    began = time.process_time()
    accepted, complaint, lines = False, "", list[str]()
    try:
        take()
        accepted = True
    except (InputError, UnsupportedError) as error:
        lines = str(error).split("\n")
    except Exception:
        complaint = traceback.format_exc()[-1500:]
    for line in lines:
        if not line.isprintable() or ": " not in line or ";" not in line:
            complaint = f"unclear message: {line[:200]!r}"
    return Outcome(number, accepted, time.process_time() - began, complaint)


def _compile(data: bytes, number: int, folder: Path | None) -> None:
    """Compile a mutant, and write its tree to `folder` if a program may have as much memory as it needs."""
    artifact = compile_artifact(data, CompileOptions(target=TARGETS[number % len(TARGETS)], name="net"))
    tree = artifact.tree()
    if folder is not None and artifact.info.arena_size + artifact.info.ports_size < MEMORY:
        tree.write(folder / str(number))
        if not artifact.info.golden:
            (folder / str(number) / UNKNOWN).touch()


@dataclass(frozen=True)
class Work:
    """How mutants are judged."""

    mutate: Mutate
    folder: Path
    """Where trees are built."""
    build_every: int
    seconds: float
    """CPU time that one mutant may take."""

    def __call__(self, numbers: Sequence[int]) -> list[Outcome]:
        """What becomes of some mutants."""
        return [self._one(number) for number in numbers]

    def _one(self, number: int) -> Outcome:
        built = self.folder if number % self.build_every == 0 else None
        ended = run_in_child(partial(self._judged, number, built), PATIENCE, MEMORY, cpu_seconds=self.seconds + 5)
        outcome = ended.result
        if outcome is None:
            return Outcome(number, accepted=False, seconds=0.0, complaint=ended.crash)
        if outcome.seconds > self.seconds:
            return replace(outcome, complaint=f"took {outcome.seconds:.1f} s")
        tree = self.folder / str(number)
        if tree.is_dir():
            outcome = replace(outcome, built=True, complaint=outcome.complaint or sanitized(tree))
            shutil.rmtree(tree)
        return outcome

    def _judged(self, number: int, built: Path | None) -> Outcome:
        return judge(number, partial(_compile, self.mutate(number), number, built))


def warm(sound: bytes) -> None:
    """Load what compilations need, which the children then find loaded."""
    for target in TARGETS:
        compile_artifact(sound, CompileOptions(target=target, name="net")).tree()
    gc.collect()
    gc.freeze()


def run(work: Work, numbers: Sequence[int], jobs: int) -> Iterator[list[Outcome]]:
    """What becomes of the mutants, batch by batch as they end."""
    batches = [numbers[start : start + BATCH] for start in range(0, len(numbers), BATCH)]
    context = multiprocessing.get_context("fork")
    done: SimpleQueue[list[Outcome]] = context.SimpleQueue()

    def serve(share: Sequence[Sequence[int]]) -> None:
        for batch in share:
            done.put(work(batch))

    for job in range(jobs):
        context.Process(target=serve, args=(batches[job::jobs],)).start()
    for _ in batches:
        yield done.get()


def sanitized(tree: Path) -> str:
    """Build a tree with the sanitizers and run its self-test; what they say, empty when all is well."""
    sources = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.c"))
    try:
        run_program([*SANITIZED, *sources, "-o", "sanitized", "-lm"], tree)
        done = subprocess.run(
            [tree / "sanitized"], cwd=tree, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except ToolchainError as error:
        return str(error)[-1500:]
    except subprocess.TimeoutExpired:
        return "" if (tree / UNKNOWN).exists() else f"its self-test runs for over {LONGEST} s"
    return f"its self-test: {(done.stderr or done.stdout)[-1500:]}" if done.returncode else ""


def main() -> int:
    """Run as many cases as the command line asks for; 1 if one of them is not taken well."""
    parser = argparse.ArgumentParser(description="damaged model files")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--build-every", type=int, default=20, help="build one of so many, if it is accepted")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time that one mutant may take")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work side by side")
    parser.add_argument("--keep", type=Path, help="folder for the files that are not taken well")
    options = parser.parse_args()
    sound, mutate = FORMATS[options.format]()
    warm(sound)
    counts, slowest, end = Counter[str](), 0.0, options.first + options.cases
    with tempfile.TemporaryDirectory(prefix="s2s-mutants-") as name:
        work = Work(mutate, Path(name), options.build_every, options.seconds)
        for outcomes in run(work, range(options.first, end), options.jobs):
            for outcome in outcomes:
                counts["wrong" if outcome.complaint else "accepted" if outcome.accepted else "refused"] += 1
                counts["built"] += outcome.built
                slowest = max(slowest, outcome.seconds)
                if outcome.complaint:
                    _keep(options.keep, f"{outcome.number}.{options.format}", mutate(outcome.number))
                    print(f"mutant {outcome.number}: {outcome.complaint}", flush=True)
            if outcomes[-1].number % 1000 == 999:
                print(f"up to {outcomes[-1].number}: {dict(counts)}", file=sys.stderr, flush=True)
    kinds = ("accepted", "refused", "wrong", "built")
    print(f"mutants {options.first} to {end - 1}: " + ", ".join(f"{counts[kind]} {kind}" for kind in kinds), end="")
    print(f"; slowest {slowest:.2f} s")
    return 1 if counts["wrong"] else 0


def _keep(folder: Path | None, name: str, data: bytes) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
