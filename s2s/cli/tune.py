"""`s2s tune`: measure other schedules for the kernels of a network and record their times."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.errors import InputError, ToolchainError
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from s2s.compilation import Compilation
    from s2s.tuning import Progress, TuneSummary
    from s2s.tuning.measurer import Measurer
    from s2s.tuning.summary import OnProgress, TaskSummary

INTERRUPTED = 130
TOLD = 1.03
"""What is gained by other decisions is told from this gain on."""
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@command("tune")
@options.model
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    required=True,
    metavar="FILE.jsonl",
    help="The file of records that is appended to.",
)
@with_compile_options
@options.on(
    metavar="host|qemu:BOARD|serial:PORT",
    default="host",
    help="Where candidates run: timed on this machine, instructions counted on an emulated board, or timed on a board "
    "at a serial port such as /dev/ttyACM0 (with @BAUD, by default @115200).",
)
@options.board
@options.load
@click.option(
    "--trials", type=click.IntRange(min=1), default=64, help="Measurements of each task, those in the file included."
)
@click.option("--time", metavar="10m", help="The time for all tasks: seconds, or with s, m or h behind.")
@click.option(
    "--tuner",
    type=click.Choice(["auto", "grid", "random", "ga", "climb", "model", "tpe"]),
    default="auto",
    help="The search: all points, at random, genetic, climbing, a learned model, or Optuna's TPE.",
)
@click.option(
    "--objective",
    metavar="OBJECTIVE",
    help="What is minimised: instructions, time, flash or ram, or a sum of them with a weight of each unit, as in "
    "instructions=1,flash=50. By default time on the host and instructions on boards.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="LAYER",
    help="A node, kernel or task key, or network for the decisions about the whole network; may be repeated.",
)
@click.option("--farm", metavar="ADDRESS", help="The farm that measures, as in tcp://farm:8786.")
@click.option("--priority", type=int, default=0, help="On a farm: trials of higher priority come first.")
@click.option(
    "--tls", type=(str, str, str), metavar="CA CERT KEY", help="The certificates of a farm with TLS, files in PEM."
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    help="Candidates that are built at a time; by default `S2S_JOBS`, or as many as there are cores.",
)
@click.option("--seed", type=int, default=0, help="Seed of the search.")
@click.option(
    "--dry-run", is_flag=True, help="List the tasks and the sizes of their search spaces, and measure nothing."
)
@options.as_json
def tune_command(
    model: Path,
    output: Path,
    compiling: Options,
    on: str,
    board: str,
    load: str,
    trials: int,
    time: str | None,
    tuner: Literal["auto", "grid", "random", "ga", "climb", "model", "tpe"],
    objective: str | None,
    only: tuple[str, ...],
    farm: str | None,
    priority: int,
    tls: tuple[str, str, str] | None,
    jobs: int | None,
    seed: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Search better decisions about a network and faster schedules for its kernels, and record all that is measured.

    The same command goes on where it was interrupted. `s2s compile MODEL --records FILE.jsonl` uses the records.

    Example: s2s tune kws.tflite -o kws.jsonl --on qemu:m4 --trials 100
    """
    from s2s.cli.output import steps_shown
    from s2s.compilation import Compilation
    from s2s.tuning.campaign import TuneOptions
    from s2s.tuning.places import default_target, make_measurer
    from s2s.tuning.tune import tune_network

    chosen = TuneOptions(
        trials=trials, seconds=parse_time(time), tuner=tuner, objective=objective, only=only, seed=seed
    )
    if tuner in ("model", "tpe"):
        require_extra("tune", f"--tuner {tuner}", "--tuner ga")
    if farm is None:
        measurer = make_measurer(on, parallel=jobs, board=board, load=load)
    else:
        measurer = _on_farm(farm, on, priority, tls)
    compilation = Compilation(model, compiling(default_target(on, board)))
    if dry_run:
        with steps_shown():
            list_tasks(compilation, as_json=as_json)
        return
    with progress_shown(quiet=as_json) as on_progress:
        summary = tune_network(compilation, output, measurer, chosen, on_progress)
    show(summary, output, as_json=as_json)
    if summary.interrupted:
        raise Exit(INTERRUPTED)
    if not summary.best and summary.failure:
        raise ToolchainError(f"--on {on}: no candidate could be measured; the first one: {summary.failure}")


def _on_farm(address: str, on: str, priority: int, tls: tuple[str, str, str] | None) -> "Measurer":
    from s2s.farm.measurer import FarmMeasurer
    from s2s.farm.security import Certificates

    return FarmMeasurer(address, on, priority=priority, certificates=Certificates(*(tls or ())))


def list_tasks(compilation: "Compilation", *, as_json: bool) -> None:
    """Print the tasks of a network, itself first, and the sizes of their search spaces."""
    from s2s.cli.output import print_json
    from s2s.tuning.network import NetworkSpace, network_task
    from s2s.tuning.space import Space
    from s2s.tuning.task import tasks_of

    network = network_task(compilation)
    spaces = [(network, NetworkSpace(network).describe())]
    spaces += [(each, Space(each).describe()) for each in tasks_of(compilation)]
    rows = [
        {"key": each.key, "kernel": each.name, "calls": each.calls, "space": described} for each, described in spaces
    ]
    if as_json:
        print_json({"tasks": rows})
    else:
        print("\n".join(f"{row['key']}  {row['calls']} x {row['kernel']}: {row['space']}" for row in rows))


def parse_time(text: str | None) -> float | None:
    """Parse seconds from `90`, `90s`, `10m`, `1.5h`."""
    if text is None:
        return None
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise InputError(f"--time {text}: is no time; give seconds, or a number with s, m or h behind, such as 10m")
    return seconds


@contextmanager
def progress_shown(*, quiet: bool) -> Generator["OnProgress | None"]:
    """Show a bar with the task, its trials and the gain so far: on a terminal, else a line for each batch."""
    import sys

    if quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield lambda each: print(_line(each), file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    words = TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.completed}/{task.total} trials")
    with Bars(*words, TextColumn("{task.fields[gain]}"), TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        bar = bars.add_task("measuring the defaults", total=None, gain="")
        yield lambda each: bars.update(
            bar, description=_place(each), completed=each.task.trials, total=each.trials, gain=_gain(each)
        )


def _place(each: "Progress") -> str:
    return f"[{each.number}/{len(each.summary.tasks)}] {each.task.name}" if each.number else each.task.name


def _gain(each: "Progress") -> str:
    whole = each.summary.default / each.summary.best if each.summary.best else 1.0
    left = "" if each.left is None else f", {each.left:.0f} s left"
    kernel = f"kernel {each.task.speedup:.2f} x, " if each.number else ""
    return f"{kernel}network {whole:.3f} x{left}"


def _line(each: "Progress") -> str:
    at_most = f" of {each.trials}" if each.task.trials <= each.trials else ""
    return f"{_place(each)}: {each.task.trials}{at_most} trials, {each.task.failed} failed, {_gain(each)}"


def show(summary: "TuneSummary", records: Path, *, as_json: bool) -> None:
    """Print what each task has gained."""
    from dataclasses import asdict

    from s2s.cli.output import columns, print_json

    if as_json:
        print_json({**asdict(summary), "default": summary.default, "best": summary.best})
        return
    tasks = [*([summary.network] if summary.network is not None else []), *summary.tasks]
    unit = "" if summary.is_timed else f", {summary.unit}"
    rows = [(f"task{unit}", "default", "best", "gain", "", "")]
    rows += [_row(task, summary) for task in tasks]
    gain = summary.default / summary.best if summary.best else 1.0
    total = "all calls", _figure(summary, summary.default), _figure(summary, summary.best), f"{gain:.2f} x", "", ""
    print("\n".join(columns([*rows, total])))
    for task in tasks:
        if task.speedup >= TOLD and task.changes:
            print(f"{task.name}, {task.speedup:.2f} x: {'; '.join(task.changes)}")
    if summary.whole is not None:
        before, after = summary.whole
        costs = f"{_figure(summary, before)} -> {_figure(summary, after)}"
        print(f"\nthe network as a whole{unit}: {costs}, {before / after:.3f} x")
    if summary.best and not any(task.speedup >= TOLD for task in tasks):
        print(f"\nthe defaults were not beaten in {sum(task.trials for task in tasks):,} trials")
    if summary.failure and summary.best:
        print(f"\nthe first trial that failed: {summary.failure}")
    print(f"\nrecords are in {records}; use them: s2s compile MODEL --target {summary.target} --records {records}")


def _row(task: "TaskSummary", summary: "TuneSummary") -> tuple[str, str, str, str, str, str]:
    return (
        f"{task.calls} x {task.name}",
        _figure(summary, task.default),
        _figure(summary, task.best),
        f"{task.speedup:.2f} x",
        f"{task.trials} trials" + (f", {task.failed} failed" if task.failed else ""),
        f"noise {task.noise:.1%}" if task.noise else "",
    )


def _figure(summary: "TuneSummary", cost: float | None) -> str:
    """Return a cost in words, a time in the unit that a reader thinks in."""
    from s2s.support.quantities import duration

    if cost is None:
        return "failed"
    return duration(1e6 * cost) if summary.is_timed else f"{cost:,.0f}"
