"""How good the searches of the tuner are: the best cost after each trial, on an emulated board that counts exactly.

    python -m benchmarks.tuning [CASE ...] [--trials 200] [--seeds 3] [--records build/tuning.jsonl] [--page docs]

Each large case is searched by the learned tuner and at random, from several seeds. Each small one is measured whole,
and the learned tuner is asked when it has found the optimum. Costs are kept in a file of records, so that no schedule
is built twice, whoever proposes it, and a run that was interrupted goes on. With `--page`, the folder gets `tuning.md`
and `tuning.svg`.

Exits with 1 where the learned tuner is behind after all trials, or misses the optimum of a small case.
"""

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log
from pathlib import Path
from typing import Any

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.measurement import Goal
from s2s.tuning.measurer import Candidate, Measurer
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.recording import record_of
from s2s.tuning.records import RecordFile, read_measured
from s2s.tuning.space import Space
from s2s.tuning.task import Task, tasks_of
from s2s.tuning.tuners import TunerName, make_tuner

ROOT = Path(__file__).parents[1]
KWS = ROOT.parent / "shared" / "models" / "mlperf_tiny" / "kws_ref_model_int8.tflite"
RECORDS = ROOT / "build" / "tuning.jsonl"
PAGE, PLOT = "tuning.md", "tuning.svg"
ON, TARGET = "qemu:m4", "cortex-m4"
BATCH = 8
SEARCHES: Mapping[TunerName, str] = {"random": "#8c8c8c", "model": "#1f6fb4"}
MARKS = (25, 50, 100, 200)
"""Trials after which the table compares the searches."""


@dataclass(frozen=True)
class Case:
    """A kernel of a model."""

    name: str
    model: Path
    kernel: str
    small: bool = False
    """Whether its space is measured whole."""


CASES = (
    Case("kws pointwise int8", KWS, "conv_1x1"),
    Case("kws matmul int8", KWS, "matmul"),
    Case("kws depthwise int8", KWS, "depthwise_conv_3x3"),
    Case("kws reduce_max", KWS, "reduce_max", small=True),
    Case("kws reduce_sum", KWS, "reduce_sum", small=True),
    Case("kws gather", KWS, "sub_clamp_gather", small=True),
)


class Costs:
    """The instructions of schedules of one task: known from the file of records, else measured and added to it."""

    def __init__(self, task: Task, file: RecordFile, measurer: Measurer) -> None:
        self.task, self.file, self.measurer = task, file, measurer
        self.space = Space(task)
        self.known: dict[str, float | None] = {
            chosen: each.cost
            for each in read_measured(file.path)
            if (each.task, each.target) == (task.key, task.target.name)
            for _, _, chosen in each.decisions
        }

    def of(self, texts: Sequence[str]) -> list[float | None]:
        """Return the costs of schedules; None for schedules that fail."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        candidates = [Candidate(self.task, self.space.decisions(text)) for text in new]
        for number, found in self.measurer.stream(candidates):
            decisions = (("schedule", self.space.subject.key, new[number]),)
            record = record_of(self.task, decisions, found, Goal.of("instructions"), self.measurer)
            self.file.append(record)
            self.known[new[number]] = record.cost
        return [self.known[text] for text in texts]


def curve(costs: Costs, search: TunerName, seed: int, trials: int) -> list[float]:
    """Return the least cost after each trial of a search."""
    tuner, best, found = make_tuner(search, costs.space, seed), inf, list[float]()
    while len(found) < trials:
        points = tuner.propose(min(BATCH, trials - len(found)))
        if not points:
            break
        measured = costs.of([costs.space.text(point) or "" for point in points])
        tuner.learn(points, measured)
        for cost in measured:
            best = min(best, inf if cost is None else cost)
            found.append(best)
    return found


def mean(curves: Sequence[Sequence[float]], trial: int) -> float:
    """The geometric mean of curves after a trial; a search that ended keeps its last value."""
    values = [each[min(trial, len(each)) - 1] for each in curves]
    return exp(sum(map(log, values)) / len(values))


def optimum(costs: Costs) -> float:
    """Measure every schedule of a small space and return the least cost."""
    assert costs.space.listed is not None
    return min(cost for cost in costs.of(list(costs.space.listed)) if cost is not None)


@dataclass(frozen=True)
class Compared:
    """The curves of a large case, by search, one for each seed."""

    case: Case
    space: str
    curves: Mapping[str, Sequence[Sequence[float]]]

    def ratio(self, trial: int) -> float:
        """The learned tuner's best cost over random search's after a trial."""
        return mean(self.curves["model"], trial) / mean(self.curves["random"], trial)

    def row(self, trials: int) -> list[str]:
        """A row of the table."""
        marks = [self.ratio(min(each, trials)) for each in MARKS]
        last = [f"{mean(self.curves[search], trials):,.0f}" for search in SEARCHES]
        return [self.case.name, self.space, *last, *(f"{each:.3f}" for each in marks)]


@dataclass(frozen=True)
class Exhausted:
    """A small case: its optimum, and the trials until the learned tuner had it, for each seed."""

    case: Case
    size: int
    optimum: float
    trials: Sequence[int | None]

    def row(self) -> list[str]:
        """A row of the table."""
        told = ", ".join("never" if each is None else str(each) for each in self.trials)
        return [self.case.name, f"{self.size}", f"{self.optimum:,.0f}", told]


def run(cases: Sequence[Case], trials: int, seeds: int, records: Path) -> tuple[list[Compared], list[Exhausted]]:
    """Search every case."""
    compared: list[Compared] = []
    exhausted: list[Exhausted] = []
    records.parent.mkdir(parents=True, exist_ok=True)
    with RecordFile(records) as file:
        for case in cases:
            tasks = tasks_of(Compilation(case.model, CompileOptions(target=TARGET, records=None)))
            task = next(each for each in tasks if each.name == case.kernel)
            costs = Costs(task, file, BoardMeasurer(ON, sizes=False))
            if case.small:
                exhausted.append(_exhausted(case, costs, seeds))
                print("  ".join(exhausted[-1].row()), flush=True)
                continue
            curves = {each: [curve(costs, each, seed, trials) for seed in range(seeds)] for each in SEARCHES}
            compared.append(Compared(case, f"{costs.space.size:,}", curves))
            print("  ".join(compared[-1].row(trials)), flush=True)
    return compared, exhausted


def _exhausted(case: Case, costs: Costs, seeds: int) -> Exhausted:
    best = optimum(costs)
    size = len(costs.space.listed or ())
    curves = [curve(costs, "model", seed, size) for seed in range(seeds)]
    found = [next((number for number, cost in enumerate(each, 1) if cost == best), None) for each in curves]
    return Exhausted(case, size, best, found)


HEAD = """\
# How good the searches are

Generated by `python -m benchmarks.tuning --seeds {seeds} --page docs`; change the program, not the page.

Instructions of one kernel on an emulated Cortex-M4 ({on}), which counts them exactly. Both searches begin with the
candidates of the compiler's own heuristics and take equally many trials. Seeds: {seeds}; their geometric mean counts.
Ratios below 1 mean that the learned tuner has found less.

![The least cost after each trial]({plot})
"""


def page(compared: Sequence[Compared], exhausted: Sequence[Exhausted], trials: int, seeds: int) -> str:
    """The text of the page."""
    marks = [f"after {min(each, trials)}" for each in MARKS]
    head = HEAD.format(on=ON, seeds=seeds, plot=PLOT)
    columns = ["kernel", "points", *(f"{each}, {trials} trials" for each in SEARCHES), *marks]
    large = _table(columns, [each.row(trials) for each in compared])
    small = _table(["kernel", "schedules", "optimum", "trials until found"], [each.row() for each in exhausted])
    told = (
        "## Small spaces\n\nMeasured whole; the table tells after how many trials the learned tuner had the optimum.\n"
    )
    return "\n".join([head, "## Large spaces\n", large, told, small])


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def draw(compared: Sequence[Compared], trials: int, path: Path) -> None:
    """Plot the curves, in units of the best cost that any of them has found; equal results give equal bytes."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "s2s", "svg.fonttype": "none", "font.size": 9})
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    rows = -(-len(compared) // 2)
    figure, grid = pyplot.subplots(rows, 2, figsize=(7.5, 2.4 * rows), layout="constrained", squeeze=False)
    for axes, each in zip(grid.flat, compared, strict=False):
        least = min(one[-1] for curves in each.curves.values() for one in curves)
        for search, colour in SEARCHES.items():
            curves = each.curves[search]
            for one in curves:
                axes.step(range(1, len(one) + 1), [c / least for c in one], color=colour, linewidth=0.5, alpha=0.5)
            whole = [mean(curves, trial) / least for trial in range(1, trials + 1)]
            axes.step(range(1, trials + 1), whole, color=colour, linewidth=1.8, label=search)
        axes.set_title(each.case.name, fontsize=9)
        axes.set_xlabel("trials")
        axes.set_ylabel("best cost / least found")
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.legend(frameon=False)
    for axes in grid.flat[len(compared) :]:
        axes.axis("off")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main() -> int:
    """Search, print, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="parts of the names of cases; by default all")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--page", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    chosen = [each for each in CASES if not given.cases or any(part in each.name for part in given.cases)]
    missing = [each for each in chosen if not each.model.is_file()]
    for each in missing:
        print(f"{each.name}: {each.model} is not there; left out", file=sys.stderr)
    compared, exhausted = run([e for e in chosen if e not in missing], given.trials, given.seeds, given.records)
    if given.page is not None:
        draw(compared, given.trials, given.page / PLOT)
        (given.page / PAGE).write_text(page(compared, exhausted, given.trials, given.seeds), encoding="utf-8")
    behind = [each.case.name for each in compared if each.ratio(given.trials) > 1]
    missed = [each.case.name for each in exhausted if None in each.trials]
    return int(bool(behind or missed))


if __name__ == "__main__":
    sys.exit(main())
