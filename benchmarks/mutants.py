"""Damaged ONNX and TFLite files: each is compiled, or refused with one clear message, in bounded time and memory.

    python -m benchmarks.mutants {onnx,tflite} [--cases 1000] [--seed 0] [--build-every 10] [--seconds 10]

Mutants of sound models are the same in every run: a seed is the number of the first one. Each runs in a child process
with 2 GB of memory: none may end in a traceback, run for longer than `--seconds` of CPU time, or take more memory. Of
those that are accepted, one of `--build-every` is built with the address and undefined-behaviour sanitizers, and
its self-test runs. The exit code is 1 if one of them is not taken well.
"""

import argparse
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

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
BATCH = 16
"""Mutants that share a child process, until one of them ends it."""
PATIENCE = 120.0
"""Seconds after which a child counts as hanging, however busy the machine is."""
DRAWN = 120
"""Models of `s2s fuzz` that are damaged."""
TARGETS = ("c", "host")
LARGEST = 400_000
"""Bytes of the largest file that is damaged."""
SANITIZED = (
    *("gcc", "-std=c99", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-Iinclude", "-Isrc", "-Iruntime/include"),
)
Mutate = Callable[[int], bytes]


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    number: int
    accepted: bool
    seconds: float
    complaint: str = ""
    """What is wrong with how the compiler took it; empty when all is well."""


def onnx_mutants() -> Mutate:
    """Mutants of the shared networks, the seeds of the tests, and models that `s2s fuzz` draws."""
    files = [path.read_bytes() for path in sorted((MODELS / "onnx").glob("*.onnx")) if _is_small(path)]
    found = [path.read_bytes() for path in sorted((MODELS / "found").glob("*.onnx")) if _is_small(path)]
    drawn = run_in_child(_drawn, PATIENCE * 5).result or []
    models = [seed().SerializeToString() for seed in onnx_seeds.SEEDS]
    parts = [models, files, found, drawn]

    def mutate(number: int) -> bytes:
        random = Random(number)
        data = random.choice(random.choices(parts, (2, 1, 1, 4))[0])
        if random.random() < 0.25:
            return mutate_bytes(data, random)
        return mutate_model(onnx.load_from_string(data), random).SerializeToString()

    return mutate


def tflite_mutants() -> Mutate:
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

    return mutate


FORMATS: Mapping[str, Callable[[], Mutate]] = {"onnx": onnx_mutants, "tflite": tflite_mutants}


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= LARGEST


def _drawn() -> list[bytes]:
    return [draw(Plan(seed=14), number).model.SerializeToString() for number in range(DRAWN)]


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
    """Compile a mutant, and write its tree to `folder`."""
    artifact = compile_artifact(data, CompileOptions(target=TARGETS[number % len(TARGETS)], name="net"))
    tree = artifact.tree()
    if folder is not None:
        tree.write(folder / str(number))


def run(mutate: Mutate, numbers: Sequence[int], built: Path, build_every: int) -> Iterator[Outcome]:
    """What becomes of each mutant; trees to build are written to `built`."""
    for start in range(0, len(numbers), BATCH):
        yield from _run_batch(mutate, numbers[start : start + BATCH], built, build_every)


def _run_batch(mutate: Mutate, numbers: Sequence[int], built: Path, build_every: int) -> list[Outcome]:
    ended = run_in_child(partial(_judge_all, mutate, numbers, built, build_every), PATIENCE * len(numbers), MEMORY)
    if ended.result is not None:
        return ended.result
    if len(numbers) == 1:
        return [Outcome(numbers[0], accepted=False, seconds=0.0, complaint=ended.crash)]
    return [outcome for number in numbers for outcome in _run_batch(mutate, [number], built, build_every)]


def _judge_all(mutate: Mutate, numbers: Sequence[int], built: Path, build_every: int) -> list[Outcome]:
    folders = [built if number % build_every == 0 else None for number in numbers]
    return [
        judge(number, partial(_compile, mutate(number), number, folder))
        for number, folder in zip(numbers, folders, strict=True)
    ]


def sanitized(tree: Path) -> str:
    """Build a tree with the sanitizers and run its self-test; what they say, empty when all is well."""
    sources = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.c"))
    try:
        run_program([*SANITIZED, *sources, "-o", "sanitized", "-lm"], tree)
        run_program([tree / "sanitized"], tree)
    except ToolchainError as error:
        return str(error)[-1500:]
    return ""


def main() -> int:
    """Run as many cases as the command line asks for; 1 if one of them is not taken well."""
    parser = argparse.ArgumentParser(description="damaged model files")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--build-every", type=int, default=10, help="build one of so many, if it is accepted")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time that one mutant may take")
    parser.add_argument("--keep", type=Path, help="folder for the files that are not taken well")
    options = parser.parse_args()
    mutate = FORMATS[options.format]()
    counts, slowest = Counter[str](), 0.0
    with tempfile.TemporaryDirectory(prefix="s2s-mutants-") as name:
        numbers = range(options.seed, options.seed + options.cases)
        for outcome in run(mutate, numbers, Path(name), options.build_every):
            complaint = outcome.complaint
            if not complaint and outcome.seconds > options.seconds:
                complaint = f"took {outcome.seconds:.1f} s"
            tree = Path(name) / str(outcome.number)
            if not complaint and tree.is_dir():
                counts["built"] += 1
                complaint = sanitized(tree)
            shutil.rmtree(tree, ignore_errors=True)
            counts["wrong" if complaint else "accepted" if outcome.accepted else "refused"] += 1
            slowest = max(slowest, outcome.seconds)
            if complaint:
                _keep(options.keep, f"{outcome.number}.{options.format}", mutate(outcome.number))
                print(f"mutant {outcome.number}: {complaint}", flush=True)
            if sum(counts.values()) % 1000 < 2:
                print(f"{outcome.number + 1 - options.seed}: {dict(counts)}", file=sys.stderr, flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) + f"; slowest {slowest:.2f} s")
    return 1 if counts["wrong"] else 0


def _keep(folder: Path | None, name: str, data: bytes) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
