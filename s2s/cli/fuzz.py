"""`s2s fuzz`: compile random models in many ways, compare with other engines, and reduce what fails."""

import time as clock
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.tune import parse_time

if TYPE_CHECKING:
    from s2s.fuzz.campaign import FailingModel, Plan, Tally


@command("fuzz")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(("onnx", "tflite", "torch", "te", "mixed")),
    default="onnx",
    show_default=True,
    help="The format of the models; tflite takes the packages of the extras tflm and litert, torch those of torch. "
    "`te` draws tensor expressions with schedules, `mixed` a batch of each format, of streams and of sizes in turn.",
)
@click.option("--models", type=click.IntRange(min=1), default=100, help="How many models to draw.")
@click.option("--seed", type=int, default=0, help="Seed of the models and variants.")
@click.option(
    "--from", "first", type=click.IntRange(min=0), default=0, help="Number of the first model: goes on with a seed."
)
@click.option("--nodes", type=click.IntRange(min=1), default=12, help="The most nodes of a model.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="How many processes work side by side.")
@click.option(
    "--target",
    multiple=True,
    help="A target to compile for, may be repeated; c, host, x86-64-v3 by default, of tflite cortex-m4 and -m55 too. "
    "What is made for another machine is built for this one.",
)
@click.option(
    "--variants", type=click.IntRange(min=1), default=1, help="In how many ways each model is compiled and built."
)
@click.option(
    "--thorough",
    type=click.IntRange(min=1),
    default=20,
    metavar="N",
    help="Build one of N batches of models by gcc or clang with optimisation, the others by tcc if it is installed.",
)
@click.option(
    "--keep", type=options.PATH, metavar="DIR", help="Where failing models are written, reduced, each with a test."
)
@click.option("--time", metavar="10m", help="Stop after a time: seconds, or with s, m or h behind.")
@click.option("--sizes", is_flag=True, help="Open a dimension of each model, and compare at several sizes.")
@click.option(
    "--streams",
    is_flag=True,
    help="Draw networks over sliding windows (--stream, --state), and compare runs on new frames with the whole "
    "network on each window.",
)
@click.option("--operators", is_flag=True, help="Show how often each operator was drawn.")
@options.as_json
def fuzz_command(
    format_name: str,
    models: int,
    seed: int,
    first: int,
    nodes: int,
    jobs: int,
    target: tuple[str, ...],
    variants: int,
    thorough: int,
    keep: Path | None,
    time: str | None,
    sizes: bool,
    streams: bool,
    operators: bool,
    as_json: bool,
) -> None:
    """Draw random models, compile each in several ways, and compare with other engines. Exits with 1 when one fails.

    ONNX models are compared with onnxruntime or ONNX's evaluator, TFLite models with TFLite-Micro or LiteRT, programs
    of PyTorch with torch, tensor expressions with numpy.

    The same seed draws the same models, whatever runs beside them; --from goes on where a run was stopped.

    Example: s2s fuzz --models 1000 --seed 7 --keep found
    """
    from s2s.cli.output import columns, print_fields, print_json
    from s2s.fuzz import campaign, report
    from s2s.targets import get_target

    plan = campaign.Plan(models, seed, target, variants, first, jobs, nodes, thorough, sizes, streams, format_name)
    for name in target:
        get_target(name)
    limit = parse_time(time)
    tally = _run(plan, limit, keep, quiet=as_json)
    if as_json:
        print_json(report.as_dict(plan, tally))
    else:
        print_fields(report.fields(plan, tally))
        for reason, count in tally.refused.most_common():
            print(f"refused {count}: {reason}")
        if operators:
            print("\n".join(columns(report.operator_rows(plan, tally))))
    if tally.failures:
        raise Exit(1)


def _run(plan: "Plan", limit: float | None, keep: Path | None, *, quiet: bool) -> "Tally":
    from s2s.fuzz.campaign import Tally, run

    total, begin = Tally(), clock.monotonic()
    with _progress(plan.models, quiet=quiet) as progress:
        for tally in run(plan):
            total.add(tally)
            for failing in tally.failures:
                text = _kept(failing, keep)
                if not quiet:
                    print(text, flush=True)
            progress(total)
            if limit is not None and clock.monotonic() - begin >= limit:
                break
    return total


def _kept(failing: "FailingModel", keep: Path | None) -> str:
    """Reduce a failing model, write it, and describe it."""
    from s2s.fuzz import reproducer
    from s2s.fuzz.reduce import Failing, is_disputed, reduce_model

    head = f"model {failing.drawn.seed}: {failing.failure.describe()}"
    if keep is None:
        return head
    smallest = reduce_model(Failing(failing.drawn.model, failing.drawn.inputs, failing.failure))
    path = reproducer.write(smallest, keep)
    nodes = ", ".join(smallest.model.operators)
    dispute = "; the other engine agrees with s2s" if is_disputed(smallest) else ""
    return f"{head}\n  reduced to {nodes}: {smallest.failure.detail}{dispute}\n  {path}"


@contextmanager
def _progress(models: int, *, quiet: bool) -> "Generator[Callable[[Tally], None]]":
    """Show a bar on a terminal."""
    import sys

    if quiet:
        yield lambda _: None
        return
    if not sys.stderr.isatty():
        yield _lines(models)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("models", total=models)

        def show(total: "Tally") -> None:
            bars.update(task, completed=total.models, description=f"models, {len(total.failures)} failing")

        yield show


def _lines(models: int) -> "Callable[[Tally], None]":
    """Print a line about every twentieth part of a run."""
    shown = 0

    def show(total: "Tally") -> None:
        nonlocal shown
        if total.models * 20 // models > shown:
            shown = total.models * 20 // models
            click.echo(f"{total.models:,} of {models:,} models, {len(total.failures)} failing", err=True)

    return show
