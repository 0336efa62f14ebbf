"""How good the decisions are that the compiler makes by itself: their speed as a part of the speed of tuned ones.

    python -m benchmarks.defaults [NAME ...] [--trials 24] [--time 5m] [--before CHECKOUT] [--resume] [--page docs]

Each network is tuned on this machine (`s2s tune`), for as long as `--time` allows and within the trials of each kernel.
Then three builds of it take turns, and the fastest run of each counts: with the decisions of another checkout
(`--before`), with those of this one, and with the best records. Names may be patterns, of the networks that
`benchmarks.machine_code` knows, and of `benchmarks.goals`, all of whose networks are measured by default. Records are
kept in a file, and figures in another, which is written after each network: further runs know what earlier ones have
measured, and `--resume` leaves the networks out that have figures. With `--page`, the folder gets `defaults.md`: the
table, and network by network what tuning does otherwise.

Exits with 1 where the geometric mean of the speeds is below 0.92, or that of a network below 0.85; where tuning gains
less than 5 % on the geometric mean of the networks whose speed was below 0.95 before; or where a network that was asked
for has no figures.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks.goals import NETWORKS
from benchmarks.machine_code import models_of, runner
from benchmarks.models import find_model
from benchmarks.timing import fastest, geometric_mean, pin
from s2s.api import compile as compile_network
from s2s.cli.tune import parse_time
from s2s.compilation import Compilation
from s2s.data.samples import sample
from s2s.options import CompileOptions
from s2s.support.files import write_file
from s2s.tuning.campaign import TuneOptions
from s2s.tuning.places import make_measurer
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
SLOW, MIN_GAIN = 0.95, 1.05
"""Networks whose speed was below this one, and what tuning is to gain on their geometric mean."""
TOLD = 1.03
"""Kernels that gain as much are listed."""


@dataclass(frozen=True)
class Lesson:
    """What tuning does otherwise for a kernel, or for the decisions about a whole network."""

    name: str
    gain: float
    """The default's time over the tuned one's."""
    share: float
    """The part of the network's time that the kernel takes."""
    changes: tuple[str, ...]
    """In words."""


@dataclass(frozen=True)
class Figures:
    """The seconds of a run of one network."""

    name: str
    default: float
    tuned: float
    before: float | None = None
    """With another checkout; None where it was not measured."""
    trials: int = 0
    """Measurements of its kernels, earlier runs included."""
    lessons: tuple[Lesson, ...] = ()

    @property
    def speed(self) -> float:
        """The speed of the default, as a part of the best known speed."""
        return self.best / self.default

    @property
    def speed_before(self) -> float | None:
        """The speed of the other checkout's default."""
        return None if self.before is None else self.best / self.before

    @property
    def best(self) -> float:
        """The seconds of the fastest build."""
        return min(self.tuned, self.default)

    def row(self) -> list[str]:
        """A row of the table."""
        before = ["", ""] if self.before is None else [f"{self.before * 1e6:,.1f}", f"{self.speed_before:.3f}"]
        now = [f"{self.default * 1e6:,.1f}", f"{self.tuned * 1e6:,.1f}", f"{self.speed:.3f}", f"{self.trials:,}"]
        return [self.name, *before, *now]


def tune(model: Path, records: Path, trials: int, seconds: float | None) -> tuple[int, tuple[Lesson, ...]]:
    """Tune a network; return the trials of its kernels, and what gains more than `TOLD` by which decisions."""
    compilation = Compilation(model, CompileOptions(target=TARGET, records=None))
    options = TuneOptions(trials=trials, seconds=seconds)
    summary = tune_network(compilation, records, make_measurer(TARGET), options)
    every = [*([summary.network] if summary.network is not None else []), *summary.tasks]
    lessons = tuple(
        Lesson(each.name, each.speedup, each.calls * (each.default or 0.0) / (summary.default or 1.0), each.changes)
        for each in every
        if each.speedup >= TOLD and each.changes
    )
    for each in lessons:
        print(f"  {_told(each)}", flush=True)
    return sum(each.trials for each in summary.tasks), lessons


def _told(lesson: Lesson) -> str:
    return f"{lesson.name}, {lesson.share:.0%} of the time, {lesson.gain:.2f} x: {'; '.join(lesson.changes)}"


def measure(name: str, model: Path, records: Path, before: Path | None) -> Figures:
    """Let the C functions of the builds of a network take turns."""
    default, tuned = (_bound(model, each) for each in (None, records))
    calls = {"default": default.call.run, "tuned": tuned.call.run}
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

Networks on the host, one thread, the fastest of runs in turns. *Tuned* is what `s2s tune` found within
{limits};
*trials* are the measurements of a network's kernels. A speed is the time of the best build that is known over that of
the default. *Before* are the defaults of an older compiler, where it was measured.
"""
LESSONS = """
## What tuning does otherwise

Kernels that gain 3 % or more, with their part of the network's time. The first line of a network may be the decisions
about it as a whole.

"""


def page(found: Sequence[Figures], limits: str) -> str:
    """The text of the page."""
    columns = ["network", "before, µs", "speed", "default, µs", "tuned, µs", "speed", "trials"]
    rows = [*(each.row() for each in found), _means(found)]
    lines = ["| " + " | ".join(each) + " |" for each in (columns, ["---"] * len(columns), *rows)]
    gain = gain_of_slow(found)
    told = "" if gain is None else f"\nTuning gains {gain:.3f} x on the networks whose speed was below {SLOW} before.\n"
    text = HEAD.format(limits=limits) + "\n" + "\n".join(lines) + "\n" + told
    taught = [each for each in found if each.lessons]
    return text + (LESSONS + "\n\n".join(map(_taught, taught)) + "\n" if taught else "")


def _taught(figures: Figures) -> str:
    """The lessons of a network as a list."""
    return "\n".join([f"**{figures.name}**\n", *(f"- {_told(each)}" for each in figures.lessons)])


def _means(found: Sequence[Figures]) -> list[str]:
    """The last row: geometric means of the speeds."""
    before = [each.speed_before for each in found if each.speed_before is not None]
    now = f"{geometric_mean([each.speed for each in found]):.3f}"
    return ["geometric mean", "", f"{geometric_mean(before):.3f}" if before else "", "", "", now, ""]


def gain_of_slow(found: Sequence[Figures]) -> float | None:
    """How many times faster tuned networks are whose default was slow before; None where no such one is known."""
    slow = [each for each in found if each.before is not None and each.before * SLOW > each.best]
    return geometric_mean([(each.before or 0.0) / each.best for each in slow]) if slow else None


def missed(found: Sequence[Figures], names: Iterable[str]) -> list[str]:
    """Say which bounds the figures miss, and which networks have none."""
    known = {each.name: each for each in found}
    reasons = [f"{name}: has no figures" for name in names if name not in known]
    reasons += [f"{each.name}: {each.speed:.3f} is below {MIN_RATIO}" for each in found if each.speed < MIN_RATIO]
    if found and (mean := geometric_mean([each.speed for each in found])) < MEAN:
        reasons.append(f"the geometric mean {mean:.3f} is below {MEAN}")
    gain = gain_of_slow(found)
    if gain is not None and gain < MIN_GAIN:
        reasons.append(f"tuning gains {gain:.3f} on networks that were below {SLOW}, less than {MIN_GAIN}")
    return reasons


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--time", metavar="5m", help="for tuning each network; 0 measures what the records have")
    parser.add_argument("--resume", action="store_true", help="leave out networks that have figures")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--figures", type=Path, default=FIGURES)
    parser.add_argument("--page", type=Path, metavar="FOLDER")
    parser.add_argument("--cpu", type=int)
    return parser.parse_args()


def main() -> int:
    """Tune, measure, print, and write the page."""
    given = arguments()
    given.records.parent.mkdir(parents=True, exist_ok=True)
    if given.cpu is not None:
        pin(given.cpu)
    known = read(given.figures)
    with tempfile.TemporaryDirectory() as folder:
        models = models_named(Path(folder), given.names)
        for number, model in enumerate(models, 1):
            if given.resume and model.stem in known:
                continue
            print(f"{number} of {len(models)}: {model.stem}", flush=True)
            known[model.stem] = _figures(model, given, known.get(model.stem))
            print("  " + "  ".join(known[model.stem].row()), flush=True)
            write_file(given.figures, json.dumps([asdict(each) for each in known.values()], indent=1))
    every = sorted(known.values(), key=lambda each: each.speed)
    print("  ".join(_means(every)))
    if given.page is not None:
        limits = f"{given.trials} trials of each kernel" + (f" and {given.time} a network" if given.time else "")
        write_file(given.page / PAGE, page(every, limits))
    reasons = missed(every, [model.stem for model in models])
    print("\n".join(reasons))
    return int(bool(reasons))


def models_named(folder: Path, names: Sequence[str]) -> list[Path]:
    """Return the networks of the goals whose names match, or others; all of the goals without names."""
    goals = [name for name in NETWORKS if not names or any(fnmatchcase(name, each) for each in names)]
    others = [each for each in names if not any(fnmatchcase(name, each) for name in NETWORKS)]
    return [*map(find_model, goals), *(models_of(folder, others) if others else ())]


def _figures(model: Path, given: argparse.Namespace, before: Figures | None) -> Figures:
    """Tune and measure a network; without time for tuning, records are from earlier runs."""
    if given.time == "0":
        trials, lessons = (before.trials, before.lessons) if before is not None else (0, ())
    else:
        trials, lessons = tune(model, given.records, given.trials, parse_time(given.time))
    return replace(measure(model.stem, model, given.records, given.before), trials=trials, lessons=lessons)


def read(path: Path) -> dict[str, Figures]:
    """The figures of earlier runs."""
    if not path.exists():
        return {}
    listed: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, Figures] = {}
    for fields in listed:
        lessons = tuple(replace(Lesson(**each), changes=tuple(each["changes"])) for each in fields.get("lessons", ()))
        found[fields["name"]] = replace(Figures(**fields), lessons=lessons)
    return found


if __name__ == "__main__":
    sys.exit(main())
