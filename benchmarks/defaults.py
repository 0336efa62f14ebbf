"""How good the decisions are that the compiler makes by itself: their speed as a part of that of tuned ones.

    python -m benchmarks.defaults [NAME ...] [--trials 24] [--time 5m] [--before CHECKOUT] [--page docs]

Each network is tuned on this machine (`s2s tune`), for as long as `--time` allows and within the trials of each kernel.
Then three builds of it take turns, and the fastest run of each counts: with the decisions of another checkout
(`--before`), with those of this one, and with the best records. Names may be patterns, of the networks that
`benchmarks.machine_code` knows; by default these are the small ones of `benchmarks.goals`. Records are kept in a file,
and figures in another, so that further runs go on where earlier ones stopped. With `--page`, the folder gets
`defaults.md`.

Exits with 1 where the geometric mean of the
speeds is below 0.92, or that of a network below 0.85.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.goals import INT8, RECURRENT, SMALL
from benchmarks.machine_code import models_of, runner
from benchmarks.timing import fastest, geometric_mean, pin
from s2s.api import compile as compile_network
from s2s.cli.tune import parse_time
from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.options import CompileOptions
from s2s.tuning.campaign import TuneOptions
from s2s.tuning.on_host import HostMeasurer
from s2s.tuning.summary import TuneSummary
from s2s.tuning.tune import tune_network
from s2s.types.dtypes import tensor_type
from s2s.verify.bound_run import BoundRun

ROOT = Path(__file__).parents[1]
RECORDS, FIGURES = ROOT / "build" / "defaults.jsonl", ROOT / "build" / "defaults.json"
PAGE = "defaults.md"
TARGET = "host"
MEAN, MIN_RATIO = 0.92, 0.85
"""The speed that is asked for, beside tuned decisions: the geometric mean, and of each network."""
ROUNDS = 12
TOLD = 1.03
"""Kernels that gain as much are listed."""


@dataclass(frozen=True)
class Figures:
    """The seconds of a run of one network."""

    name: str
    default: float
    tuned: float
    before: float | None = None
    """With another checkout; None where it was not measured."""

    @property
    def speed(self) -> float:
        """That of the default, as a part of the speed of the best that is known."""
        return self.best / self.default

    @property
    def speed_before(self) -> float | None:
        """That of the other checkout's default."""
        return None if self.before is None else self.best / self.before

    @property
    def best(self) -> float:
        """The seconds of the fastest build."""
        return min(self.tuned, self.default)

    def row(self) -> list[str]:
        """A row of the table."""
        before = ["", ""] if self.before is None else [f"{self.before * 1e6:,.1f}", f"{self.speed_before:.3f}"]
        return [self.name, *before, f"{self.default * 1e6:,.1f}", f"{self.tuned * 1e6:,.1f}", f"{self.speed:.3f}"]


def tune(model: Path, records: Path, trials: int, seconds: float | None) -> TuneSummary:
    """Tune a network and print which kernels gain what by which decisions."""
    compilation = Compilation(model, CompileOptions(target=TARGET, records=None))
    summary = tune_network(compilation, records, HostMeasurer(), TuneOptions(trials=trials, seconds=seconds))
    every = [*([summary.network] if summary.network is not None else []), *summary.tasks]
    for each in every:
        if each.speedup >= TOLD:
            share = each.calls * (each.default or 0.0) / (summary.default or 1.0)
            print(f"  {each.speedup:.2f} x  {share:4.0%}  {each.key} {each.name}, {each.trials} trials")
            for kind, _, chosen in each.decisions:
                print(f"      {kind}: {chosen}")
    return summary


def measure(name: str, model: Path, records: Path, before: Path | None) -> Figures:
    """Let the builds of a network take turns."""
    default, tuned = (_bound(model, each) for each in (None, records))
    calls = {"default": default.call, "tuned": tuned.call}
    best = dict.fromkeys((*calls, "before"), float("inf"))
    with ExitStack() as stack:
        other = None if before is None else stack.enter_context(runner(before, model, TARGET))
        for _ in range(ROUNDS):
            found = fastest(calls, 1, 0.05)
            found["before"] = best["before"] if other is None else other()
            best = {key: min(best[key], seconds) for key, seconds in found.items()}
    return Figures(name, best["default"], best["tuned"], None if before is None else best["before"])


def _bound(model: Path, records: Path | None) -> BoundRun:
    """Compile, build and load a network with some records, on made-up inputs."""
    artifact = compile_network(model, target=TARGET, records=records)
    inputs = {port.name: sample(port.name, tensor_type(port.element, port.shape)) for port in artifact.info.inputs}
    return artifact.loaded().bind(inputs)


HEAD = """\
# How good the defaults are

Generated by `python -m benchmarks.defaults --page docs`; change the program, not the page.

Networks on the host, one thread, the fastest of runs in turns. *Tuned* is what `s2s tune` found within {trials} trials
of each kernel, and the time it was given; a speed is the time of the best build that is known over that of the default.
"""


def page(found: Sequence[Figures], trials: int) -> str:
    """The text of the page."""
    columns = ["network", "before, µs", "speed", "default, µs", "tuned, µs", "speed"]
    rows = [*(each.row() for each in found), _means(found)]
    lines = ["| " + " | ".join(each) + " |" for each in (columns, ["---"] * len(columns), *rows)]
    return HEAD.format(trials=trials) + "\n" + "\n".join(lines) + "\n"


def _means(found: Sequence[Figures]) -> list[str]:
    """The last row: geometric means of the speeds."""
    before = [each.speed_before for each in found if each.speed_before is not None]
    now = f"{geometric_mean([each.speed for each in found]):.3f}"
    return ["geometric mean", "", f"{geometric_mean(before):.3f}" if before else "", "", "", now]


def main() -> int:
    """Tune, measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--time", metavar="5m", help="for tuning each network; 0 measures what the records have")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--figures", type=Path, default=FIGURES)
    parser.add_argument("--page", type=Path, metavar="FOLDER")
    parser.add_argument("--cpu", type=int)
    given = parser.parse_args()
    given.records.parent.mkdir(parents=True, exist_ok=True)
    if given.cpu is not None:
        pin(given.cpu)
    known = _read(given.figures)
    with tempfile.TemporaryDirectory() as folder:
        models = models_of(Path(folder), given.names or [*SMALL, *INT8, *RECURRENT])
        for model in models:
            print(model.stem, flush=True)
            if given.time != "0":
                tune(model, given.records, given.trials, parse_time(given.time))
            known[model.stem] = measure(model.stem, model, given.records, given.before)
            print("  " + "  ".join(known[model.stem].row()), flush=True)
            given.figures.write_text(json.dumps([asdict(each) for each in known.values()], indent=1), encoding="utf-8")
    every = list(known.values())
    print("  ".join(_means(every)))
    if given.page is not None:
        (given.page / PAGE).write_text(page(every, given.trials), encoding="utf-8")
    speeds = [each.speed for each in every]
    return int(not speeds or min(speeds) < MIN_RATIO or geometric_mean(speeds) < MEAN)


def _read(path: Path) -> dict[str, Figures]:
    """The figures of earlier runs."""
    if not path.exists():
        return {}
    listed: list[Mapping[str, object]] = json.loads(path.read_text(encoding="utf-8"))
    return {str(each["name"]): Figures(**each) for each in listed}  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    sys.exit(main())
