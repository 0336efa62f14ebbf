"""`s2s records`: list, merge, prune, verify, measure and convert files of records."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import SETTINGS
from s2s.cli.parameters import BYTES
from s2s.support.files import write_file

if TYPE_CHECKING:
    from s2s.tuning import MeasuredRecord
    from s2s.tuning.task import FoundKernel


@click.group("records", context_settings=SETTINGS)
def records_group() -> None:
    """Show, merge, prune, verify, measure and convert files of records, as s2s tune writes them."""


file = click.argument("file", type=options.PATH, metavar="FILE.jsonl", help="A file of records.")
output = click.option(
    "--output", "-o", type=options.PATH, required=True, metavar="FILE.jsonl", help="The file to write."
)


@records_group.command("list", context_settings=SETTINGS)
@file
@click.option("--task", metavar="KEY", help="Only the records of this task or kernel.")
@options.as_json
def list_command(file: Path, task: str | None, as_json: bool) -> None:
    """List the records of a file.

    Example: s2s records list kws.jsonl --task conv_1x1
    """
    from s2s.tuning.records import read_measured

    found = [each for each in read_measured(file) if task is None or task in (each.task, each.kernel)]
    _show(found, as_json=as_json)


@records_group.command("best", context_settings=SETTINGS)
@file
@options.as_json
def best_command(file: Path, as_json: bool) -> None:
    """List the best record of each task.

    Example: s2s records best kws.jsonl
    """
    from s2s.tuning.records import best_records, read_measured

    _show(best_records(read_measured(file)), as_json=as_json)


@records_group.command("front", context_settings=SETTINGS)
@file
@options.as_json
def front_command(file: Path, as_json: bool) -> None:
    """List the Pareto front of each task: no other record of it is at most as dear in cost, flash, RAM and stack.

    Example: s2s records front kws.jsonl
    """
    from s2s.cli.output import columns, print_json
    from s2s.tuning.pareto import AXES, pareto_front
    from s2s.tuning.records import read_measured

    found = pareto_front(read_measured(file))
    if as_json:
        print_json([each.as_dict() for each in found])
        return
    rows = [
        (
            each.task,
            each.kernel,
            f"{_number(each.cost or 0.0)} {each.unit}",
            *(_number(each.costs[unit]) if unit in each.costs else "" for unit in AXES),
        )
        for each in found
    ]
    print("\n".join(columns([("task", "kernel", "cost", *AXES), *rows])))


@records_group.command("merge", context_settings=SETTINGS)
@click.argument("files", nargs=-1, type=options.PATH, required=True, metavar="FILE.jsonl…", help="Files of records.")
@output
def merge_command(files: tuple[Path, ...], output: Path) -> None:
    """Write the records of several files into one, equal ones once.

    Example: s2s records merge monday.jsonl tuesday.jsonl -o all.jsonl
    """
    from s2s.tuning.records import merged, read_measured, write_records

    found = merged([read_measured(each) for each in files])
    write_records(output, found)
    print(f"{output}: {len(found)} records")


@records_group.command("prune", context_settings=SETTINGS)
@file
@output
@click.option("--front", is_flag=True, help="Keep all that no other record of its task beats in cost and bytes.")
@click.option(
    "--flash",
    type=BYTES,
    metavar="BYTES",
    help="Keep what saves most within this much more flash than the compiler's own.",
)
@click.option(
    "--flash-os", "flash_small", type=BYTES, metavar="BYTES", help="The same for kernels that are compiled with -Os."
)
@click.option("--ram", type=BYTES, metavar="BYTES", help="The same for RAM; the network takes so much more at most.")
@click.option("--stack", type=BYTES, metavar="BYTES", help="The same for the stack.")
def prune_command(
    file: Path,
    output: Path,
    front: bool,
    flash: int | None,
    flash_small: int | None,
    ram: int | None,
    stack: int | None,
) -> None:
    """Keep the best record of each task, for shipping with a project.

    With a limit of bytes, the first record of a task counts as the compiler's own choice, which bytes are counted from.

    Example: s2s records prune kws.jsonl -o best.jsonl --flash 2000 --flash-os 500
    """
    from s2s.errors import InputError
    from s2s.tuning.measurement import SMALL_FLASH
    from s2s.tuning.pareto import FLASH, PEAKS, pareto_front, within
    from s2s.tuning.records import NETWORK, best_records, read_measured, write_records

    given = dict(zip((FLASH, SMALL_FLASH, *PEAKS), (flash, flash_small, ram, stack), strict=True))
    limits = {unit: limit for unit, limit in given.items() if limit is not None}
    if front and limits:
        raise InputError("--front: a limit of bytes is given as well; leave one of them out")
    every, told = read_measured(file), ""
    kept = pareto_front(every) if front else best_records(every)
    if limits:
        kept, extra = within(every, limits)
        told = "".join(f", {more:+,.0f} {unit}" for unit, more in extra.items())
    if front or limits:
        kept = (*kept, *best_records(each for each in every if each.kernel == NETWORK))
    write_records(output, kept)
    print(f"{output}: {len(kept)} of {len(every)} records{told}")


models_argument = click.argument(
    "models", nargs=-1, type=options.PATH, required=True, metavar="MODEL…", help="Models with its kernels."
)
place = click.option(
    "--on", required=True, metavar="host|qemu:BOARD|serial:PORT", help="Where the records are measured."
)
target_option = click.option(
    "--target", metavar="TARGET", help="The target of the records; by default that of the place."
)


@records_group.command("verify", context_settings=SETTINGS)
@file
@models_argument
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    metavar="FILE.jsonl",
    help="Measure what does not hold, and write all to a file.",
)
@place
@options.board
@options.load
@target_option
def verify_command(
    file: Path, models: tuple[Path, ...], output: Path | None, on: str, board: str, load: str, target: str | None
) -> None:
    """Check which records of a file still hold for this version of the compiler.

    A record holds if this version makes the C of its decisions that was measured, for the same C compiler and flags.
    With --output, the others are measured again, as s2s records measure does, and all are written. Without it, nothing
    is measured, and the exit code is 1 if a record does not hold.

    Example: s2s records verify kws.jsonl kws.tflite --on qemu:m4
    """
    from s2s.cli.output import steps_shown
    from s2s.tuning.places import default_target, make_measurer
    from s2s.tuning.records import NETWORK, read_measured, write_records
    from s2s.tuning.remeasure import remeasured_alike
    from s2s.tuning.verification import verified

    records = [each for each in read_measured(file) if each.cost is not None and each.kernel != NETWORK]
    measurer = make_measurer(on, board=board, load=load)
    with steps_shown():
        kernels = _kernels_of(models, target or default_target(on, board))
        found = verified(records, kernels, measurer)
    print(f"{file}: {len(found.valid)} of {len(records)} records hold")
    for each, reason in found.stale:
        print(f"{each.task} ({each.kernel}): {reason}")
    if found.missing:
        print(f"{len(found.missing)} records are of kernels that the models have with other decisions, or not at all")
    if output is None:
        if found.stale:
            raise Exit(1)
        return
    with steps_shown():
        anew = remeasured_alike([each for each, _ in found.stale], kernels, measurer)
    write_records(output, [*found.valid, *anew.records])
    print(f"{output}: {len(found.valid)} records that hold, {len(anew.records)} measured anew")
    _tell_failed(anew.failed)


@records_group.command("measure", context_settings=SETTINGS)
@file
@models_argument
@output
@place
@options.board
@options.load
@target_option
@click.option("--objective", metavar="OBJECTIVE", help="What counts as the cost, as s2s tune takes it.")
def measure_command(
    file: Path,
    models: tuple[Path, ...],
    output: Path,
    on: str,
    board: str,
    load: str,
    target: str | None,
    objective: str | None,
) -> None:
    """Measure the records of a file anew, with this version of the compiler and of the C compiler.

    Records of another version of the compiler are taken where the models have their kernels. Those whose decisions are
    no longer legal, or give wrong results, are left out, and so are those of kernels that no model has.

    Example: s2s records measure old.jsonl kws.tflite -o new.jsonl --on qemu:m4
    """
    from s2s.cli.output import steps_shown
    from s2s.tuning.measurement import Goal
    from s2s.tuning.places import default_target, make_measurer
    from s2s.tuning.records import read_measured, write_records
    from s2s.tuning.remeasure import remeasured

    measurer = make_measurer(on, board=board, load=load)
    goal = Goal.of(objective or measurer.objectives[0])
    with steps_shown():
        kernels = _kernels_of(models, target or default_target(on, board))
        found = remeasured(read_measured(file), kernels, measurer, goal)
    write_records(output, found.records)
    print(f"{output}: {len(found.records)} records")
    _tell_failed(found.failed)
    if found.missing:
        print(f"{len(found.missing)} records are of kernels that no model has; they were left out")


@records_group.command("convert", context_settings=SETTINGS)
@file
@output
def convert_command(file: Path, output: Path) -> None:
    """Convert records into lines of AutoTVM's log, or such a log into records.

    Example: s2s records convert kws.jsonl -o kws.log
    """
    from s2s.tuning.autotvm_log import as_log_line, is_log, read_log
    from s2s.tuning.records import read_measured, write_records

    if is_log(file):
        found, foreign = read_log(file)
        write_records(output, found)
        print(f"{output}: {len(found)} records")
        if foreign:
            print(f"{file}: {len(foreign)} lines are of tasks that s2s does not know; they were left out")
        return
    found = read_measured(file)
    write_file(output, "".join(map(as_log_line, found)), f"--output {output}")
    print(f"{output}: {len(found)} lines")


def _kernels_of(models: tuple[Path, ...], target: str) -> "list[FoundKernel]":
    """The kernels of models as the compiler itself decides them."""
    from s2s.compilation import Compilation
    from s2s.options import CompileOptions
    from s2s.tuning.task import kernels_of

    options = CompileOptions(target=target, records=None)
    return [each for model in models for each in kernels_of(Compilation(model, options))]


def _tell_failed(failed: "list[MeasuredRecord]") -> None:
    for each in failed:
        print(f"{each.task} ({each.kernel}): {_error(each)}: {each.message}; left out")


def _error(record: "MeasuredRecord") -> str:
    return record.error.name.lower().replace("_", " ")


def _show(found: "list[MeasuredRecord] | tuple[MeasuredRecord, ...]", *, as_json: bool) -> None:
    from s2s.cli.output import columns, print_json

    if as_json:
        print_json([each.as_dict() for each in found])
        return
    rows = [
        (
            each.task,
            each.target,
            each.kernel,
            f"{_number(each.cost)} {each.unit}" if each.cost is not None else _error(each),
            "; ".join(chosen for _, _, chosen in each.decisions) or each.message,
        )
        for each in found
    ]
    print("\n".join(columns([("task", "target", "kernel", "cost", "decisions"), *rows])))


def _number(cost: float) -> str:
    """Return a cost with all its digits where it is a count."""
    return f"{cost:,.0f}" if cost == int(cost) else f"{cost:.6g}"
