"""How long compiling takes, stage by stage, and how it grows with the network.

    python -m benchmarks.compile_time [--nodes 100 200 400 800 1600] [--distinct 50 100 200 400]
                                      [--models digits resnet50] [--cache DIR] [--runs 3]
                                      [--networks resnet50 …] [--against CHECKOUT] [--only-networks]

Compiles chains of 100 to 1,600 nodes (`benchmarks/chains.py`) whose layers share kernels, and shorter ones with a
kernel for every block, and writes their trees; prints the seconds of each stage and of one more node, and the exponent
of the growth. Then real models, as `s2s compile` takes them, and how long `s2s --help` takes. All times are CPU time on
one core, without the C compiler. Last, `s2s compile` of the networks of `benchmarks/checkouts.py`, those that end in
`_sizes` for all sizes within bounds, with `--against` beside that of another checkout, in turns; `--only-networks`
prints nothing else. Exits with 1 if a limit is exceeded or the growth is not linear.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import checkouts
from benchmarks.chains import chain
from benchmarks.models import CACHE, DIGITS, available
from benchmarks.timing import children, growth, now, pin
from s2s.api import compile as compile_network
from s2s.frontends.onnx import ModelSource
from s2s.options import CompileOptions
from s2s.pipeline import LEVELS, pipeline
from s2s.support.progress import listening

STAGES = ("read", *LEVELS, "write")
NODES = (100, 200, 400, 800, 1600)
DISTINCT = (50, 100, 200, 400)
"""Shorter chains where every block has a kernel of its own: no network has as many."""

LIMITS = {"digits": 1.5, "resnet50": 15.0, "--help": 0.4}
"""Seconds that commands may take."""

LINEAR = 1.1
"""An exponent up to here is linear growth, measured on a machine that does other things as well."""


@dataclass
class Stopwatch:
    """Seconds of each stage of one compilation, told apart by the steps that the compiler announces."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    _stage: str = STAGES[0]
    _since: float = 0.0

    def turn_to(self, stage: str) -> None:
        """The running stage ends and `stage` begins."""
        moment = now()
        self.seconds[self._stage] += moment - self._since
        self._stage, self._since = stage, moment

    @contextmanager
    def running(self) -> Generator[None]:
        """Measure what happens inside the block."""
        self._since = now()
        coming = [(each.name, level) for level, passes in pipeline(CompileOptions()).items() for each in passes]

        def step(name: str) -> None:
            if coming and name == coming[0][0]:
                self.turn_to(coming.pop(0)[1])

        with listening(step):
            yield
        self.turn_to(self._stage)


def seconds_of_stages(model: ModelSource) -> dict[str, float]:
    """Compile `model` and write its tree; seconds of each stage."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder, watch.running():
        artifact = compile_network(model)
        watch.turn_to("write")
        artifact.write(Path(folder) / "tree")
    return watch.seconds


def fastest_command(arguments: Sequence[str], runs: int) -> float:
    """Seconds of the fastest of some runs of `s2s` in a process of its own, start-up included."""
    best = float("inf")
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            start = children()
            subprocess.run([sys.executable, "-m", "s2s", *arguments], check=True, capture_output=True, cwd=folder)
            best = min(best, children() - start)
    return best


def measure_chains(sizes: Sequence[int], *, distinct: bool) -> bool:
    """Print the table of one kind of chain; whether it grows linearly."""
    print(
        f"\nconv, {'clip' if distinct else 'relu'}, add: {'a kernel for every block' if distinct else 'shared kernels'}"
    )
    print(f"{'nodes':>6}" + "".join(f"{stage:>9}" for stage in (*STAGES, "total")) + "   seconds")
    rows: list[list[float]] = []
    for nodes in sizes:
        seconds = seconds_of_stages(chain(nodes, distinct=distinct))
        rows.append([*seconds.values(), sum(seconds.values())])
        print(f"{nodes:>6}" + "".join(f"{value:9.3f}" for value in rows[-1]), flush=True)
    if len(sizes) < 2:
        return True
    fits = [growth(sizes, column) for column in zip(*rows, strict=True)]
    print(f"{'slope':>6}" + "".join(f"{fit.per_item * 1e3:9.3f}" for fit in fits) + "   milliseconds per node")
    print(f"{'exp':>6}" + "".join(f"{fit.exponent:9.2f}" for fit in fits) + "   exponent of the growth")
    return fits[-1].exponent <= LINEAR


def measure_models(names: Sequence[str], cache: Path, runs: int) -> bool:
    """Print the seconds of `s2s compile` on real models; whether all keep their limits."""
    found, missing = available([str(DIGITS) if name == "digits" else name for name in names], cache)
    print(f"\n{'model':<22}" + "".join(f"{stage:>9}" for stage in STAGES) + "  command   seconds")
    kept = True
    for name, path in found.items():
        seconds = seconds_of_stages(path)
        whole = fastest_command(["compile", str(path.resolve()), "-o", "tree"], runs)
        kept &= whole <= LIMITS.get(name, whole)
        stages = "".join(f"{value:9.3f}" for value in seconds.values())
        print(f"{name:<22}{stages}{whole:9.2f}   {_limit(name)}", flush=True)
    for name, reason in missing.items():
        print(f"{name:<22} skipped: {reason}")
    return kept


def measure_start(runs: int) -> bool:
    """Print how long `s2s --help` takes; whether it keeps its limit."""
    seconds = fastest_command(["--help"], runs)
    print(f"\ns2s --help {seconds:.2f} seconds   {_limit('--help')}")
    return seconds <= LIMITS["--help"]


def _limit(name: str) -> str:
    return f"limit {LIMITS[name]} s" if name in LIMITS else ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="*", default=list(NODES), help="lengths of the chains")
    parser.add_argument(
        "--distinct", type=int, nargs="*", default=list(DISTINCT), help="the same with distinct kernels"
    )
    parser.add_argument("--models", nargs="*", default=["digits", "resnet50"], help="names, or paths of ONNX files")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder that holds models that have been made")
    parser.add_argument("--runs", type=int, default=3, help="of each command; the fastest counts")
    parser.add_argument("--networks", nargs="*", default=list(checkouts.NAMES), choices=list(checkouts.NAMES))
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout to be compared with")
    parser.add_argument("--only-networks", action="store_true", help="leave chains and models out")
    arguments = parser.parse_args()
    if arguments.only_networks:
        checkouts.measure(arguments.networks, arguments.against, arguments.runs)
        return
    chains: dict[bool, list[int]] = {False: arguments.nodes, True: arguments.distinct}
    pin()
    kept = True
    if any(chains.values()):
        seconds_of_stages(chain(3, distinct=True))
    for distinct, sizes in chains.items():
        if sizes:
            kept &= measure_chains(sizes, distinct=distinct)
    kept &= measure_models(arguments.models, arguments.cache, arguments.runs)
    kept &= measure_start(arguments.runs)
    checkouts.measure(arguments.networks, arguments.against, arguments.runs)
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
