"""Whether two checkouts of the compiler give the same machine code, network by network, and how fast each is if not.

    python -m benchmarks.machine_code --against CHECKOUT [NAME ...] [--target host] [--jobs N] [--time]

Compiles each network with this checkout and with the other one, builds both trees with `make`, and compares the
instructions of all functions without names and addresses. Equal instructions take equal time, so only networks that
differ need a measurement: with `--time` each checkout measures those in turns, and the shortest run of each counts.
Names may be patterns; without names these are the networks of `benchmarks.networks` and `benchmarks.checkouts`, the
shapes of `benchmarks.convolutions`, and the ready-made models. Prints a row for each network that differs. Exits with 1
if one has other instructions, or with `--time` if one takes more than 1.04 times as long or the geometric mean of all
networks is above 1.01.
"""

import argparse
import fnmatch
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import convolutions
from benchmarks.checkouts import NETWORKS as COMPILED
from benchmarks.models import READY_MADE, ROOT
from benchmarks.networks.__main__ import NETWORKS
from benchmarks.timing import geometric_mean

ROUNDS = 10
"""Turns of each checkout."""
MAX_RATIO, MAX_MEAN = 1.04, 1.01
"""How much longer one network, and all of them on average, may take."""
HEX = re.compile(r"\b(0x)?[0-9a-f]+\b(?= <)|<[^>]*>|#.*")
"""Addresses that a disassembly gives, the names behind them, and its notes."""
RUNNER = """
import sys
from pathlib import Path
from benchmarks.engines import Variant, build
from benchmarks.timing import fastest

built = build(Path(sys.argv[1]), Variant(sys.argv[2]))
run = getattr(built.bound.call, "run", built.bound.call)
for _ in sys.stdin:
    print(fastest({"run": run}, 3, 0.1)["run"], flush=True)
"""
"""Measures a round of the C function, without Python's checks before it, for each line that it reads; works in
checkouts of all ages."""


@dataclass(frozen=True)
class Code:
    """The machine code of a tree: how often each function's instructions occur, by their digest, and their number."""

    functions: Mapping[str, int]
    instructions: int


@dataclass(frozen=True)
class Difference:
    """The instructions of a network before and now, where any function differs."""

    name: str
    before: int
    now: int
    ratio: float | None
    """Time now over time before, where it was measured."""

    def __str__(self) -> str:
        time = "" if self.ratio is None else f"{self.ratio:8.3f} of the time"
        return f"{self.name:<32}{self.before:>10,} -> {self.now:>9,} instructions{time}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare all networks that were named."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.machine_code", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("names", nargs="*", default=[], help="of networks, with * and ?")
    parser.add_argument("--against", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--target", default="host")
    parser.add_argument("--jobs", type=int, default=1, help="networks that are compiled at the same time")
    parser.add_argument("--time", action="store_true", help="measure the networks that differ")
    options = parser.parse_args(arguments)
    checkouts = options.against.resolve(), ROOT

    def compare(model: Path) -> Difference | None:
        return difference(model, checkouts, options.target)

    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        models = models_of(Path(name), options.names)
        found: list[Difference] = []
        differences = zip(models, pool.map(compare, models), strict=True)
        for model, each in [*differences] if options.time else differences:
            if each is not None:
                timed = replace(each, ratio=ratio(model, checkouts, options.target)) if options.time else each
                found.append(timed)
                print(timed, flush=True)
    ratios = [each.ratio for each in found if each.ratio is not None]
    print(f"{len(models)} networks, the machine code of {len(found)} differs")
    if not options.time:
        return 1 if found or not models else 0
    mean = geometric_mean([*ratios, *[1.0] * (len(models) - len(ratios))])
    print(f"geometric mean of the time, equal code counted as 1: {mean:.4f}")
    return 1 if not models or mean > MAX_MEAN or max(ratios, default=1.0) > MAX_RATIO else 0


def difference(model: Path, checkouts: tuple[Path, Path], target: str) -> Difference | None:
    """The difference of the code that two checkouts give for `model`, None if there is none."""
    before, now = (machine_code(checkout, model, target) for checkout in checkouts)
    same = before.functions == now.functions
    return None if same else Difference(model.stem, before.instructions, now.instructions, None)


def ratio(model: Path, checkouts: tuple[Path, Path], target: str) -> float:
    """The time of one run with the second checkout over that with the first, which stay loaded and take turns."""
    with ExitStack() as stack:
        runners = [stack.enter_context(runner(checkout, model, target)) for checkout in checkouts]
        rounds = [[measure() for measure in runners] for _ in range(ROUNDS)]
    before, now = (min(column) for column in zip(*rounds, strict=True))
    return now / before


@contextmanager
def runner(checkout: Path, model: Path, target: str) -> Generator[Callable[[], float]]:
    """Load `model` as `checkout` compiles it in a process of its own; give what measures the seconds of a run there."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", RUNNER, str(model), target]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=checkout, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, replies = process.stdin, process.stdout

        def seconds() -> float:
            requests.write("\n")
            requests.flush()
            return float(replies.readline())

        yield seconds
        requests.close()


def machine_code(checkout: Path, model: Path, target: str) -> Code:
    """What `checkout` and the C compiler make of `model`."""
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name) / "tree"
        command = [sys.executable, "-m", "s2s", "compile", str(model), "-o", str(tree), "--target", target]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        subprocess.run(command, check=True, capture_output=True, cwd=checkout, env=environment)
        subprocess.run(["make", "-C", str(tree), "all"], check=True, capture_output=True)
        shown = [_disassembly(path) for path in sorted((tree / "build").rglob("*.o"))]
    functions: Counter[str] = Counter()
    for function in (part for text in shown for part in text.split("\n\n")):
        functions[hashlib.sha256(function.encode()).hexdigest()] += 1
    return Code(functions, sum(text.count("\t") for text in shown))


def _disassembly(path: Path) -> str:
    """The instructions of an object file, functions apart."""
    command = ["objdump", "-d", "--no-show-raw-insn", "--no-addresses", str(path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line for line in shown.splitlines()[3:] if not line.startswith("Disassembly")]
    return "\n".join(HEX.sub("", "" if line.startswith("<") else line) for line in lines)


def models_of(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The networks whose names match, as files."""
    made = {
        **NETWORKS,
        **COMPILED,
        **{shape.name: shape.model for shape in convolutions.SHAPES},
    }
    paths: list[Path] = []
    for name, make in made.items():
        if _is_wanted(name, patterns):
            paths.append(folder / f"{re.sub('[^A-Za-z0-9_]', '_', name)}.onnx")
            paths[-1].write_bytes(make().SerializeToString())
    for path in sorted(READY_MADE.glob("*.onnx")):
        if _is_wanted(path.stem, patterns):
            paths.append(folder / path.name)
            shutil.copy(path, paths[-1])
    return paths


def _is_wanted(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns or ["*"])


if __name__ == "__main__":
    sys.exit(main())
