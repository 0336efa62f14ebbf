"""`s2s profile`: measure the time of each kernel."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.inputs import inputs, load_inputs
from s2s.cli.options import SERIAL, Options, with_compile_options
from s2s.cli.timing import Timing, with_timing
from s2s.errors import InputError
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from rich.table import Table

    from s2s.profiling.machine import Machine
    from s2s.profiling.profile import Profile, Row

WIDE = 200
"""Columns of a table that goes to a file or a pipe."""

DISPENSABLE = ("op/byte", "GB/s", "median", "bound by", "MFLOP", "MOP", "bound")
"""What a narrow terminal goes without, the first first."""


@command("profile")
@click.argument("model", type=options.PATH, required=False, metavar="[MODEL]", help="The network; none with --machine.")
@with_compile_options
@inputs
@click.option("--runs", type=click.IntRange(min=1), help="How often the network is run; by default for two seconds.")
@click.option(
    "--sort",
    type=click.Choice(["run", "time", "gain"]),
    default="run",
    help="Kernels as they run, the slowest first, or those first that could gain most.",
)
@options.on(
    metavar="qemu:BOARD|serial:PORT",
    help="Count instructions and cycles on an emulated board instead (m0, m3, m4, m7, m33, m55, riscv32), or read the "
    "times of a program of s2s new at a serial port, built with NETWORK_TRACE=1.",
)
@click.option("--measure-machine", is_flag=True, help="Measure the peaks of this machine again.")
@click.option("--machine", is_flag=True, help="Measure this machine instead of a network; takes no MODEL.")
@click.option(
    "--output",
    "-o",
    type=options.PATH,
    metavar="FILE.toml",
    help="With --machine: the target file to write the costs to.",
)
@with_timing
@options.as_json
def profile_command(
    model: Path | None,
    compiling: Options,
    inputs: tuple[str, ...],
    runs: int | None,
    sort: Literal["run", "time", "gain"],
    on: str | None,
    measure_machine: bool,
    machine: bool,
    output: Path | None,
    as_json: bool,
    timing: Timing,
) -> None:
    """Time each kernel of a network on this machine, and compare it with the peak performance of the machine.

    With --machine, measure what the code generator wants to know of this machine, and write it as a target file.

    Example: s2s profile kws.onnx --sort gain

    Example: s2s profile kws.onnx --on qemu:m4

    Example: s2s profile kws.onnx --target cortex-m4 --on serial:/dev/ttyACM0

    Example: s2s profile --machine -o my_machine.toml
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.stages.check_options import check_profiled

    check_profiled(model, output, machine=machine)
    if model is None:
        _measure(output, as_json=as_json)
        return
    if on is not None:
        if inputs or runs is not None or sort != "run" or measure_machine:
            raise InputError(
                f"--on {on}: kernels are shown in the order of a run, on inputs that are made up; give no other "
                "option of profile"
            )
        if on.startswith(SERIAL):
            _read_times(on, model, compiling, as_json=as_json)
            return
        _count(on, model, compiling, timing, as_json=as_json)
        return
    from s2s.profiling.profile import profile_model

    arrays = load_inputs(inputs)
    with steps_shown():
        found = profile_model(model, compiling("host"), inputs=arrays, runs=runs, measure_again=measure_machine)
    if as_json:
        print_json(found.as_dict(sort))
    else:
        show(found, sort)


def _count(on: str, model: Path, compiling: Options, timing: Timing, *, as_json: bool) -> None:
    """Count the instructions of each kernel on an emulated board."""
    from s2s.artifact import compile_artifact
    from s2s.boards import get_board
    from s2s.cli.board_figures import show_figures, show_layers
    from s2s.cli.output import print_json, steps_shown

    with steps_shown():
        artifact = compile_artifact(model, compiling(get_board(on).target))
        found = artifact.verify_on(on, against="interpreter", **timing)
    if as_json:
        print_json(found.as_dict())
    else:
        show_figures(found.figures())
        show_layers(found)
    if not found.verification.passed:
        raise Exit(1)


def _read_times(on: str, model: Path, compiling: Options, *, as_json: bool) -> None:
    """Show the times that a board at a serial port takes of its kernels."""
    from s2s.artifact import compile_artifact
    from s2s.cli.board_figures import show_figures, show_times
    from s2s.cli.output import print_json, steps_shown

    require_extra("serial", "--on serial")
    with steps_shown():
        run = compile_artifact(model, compiling("host")).verify_over_serial(on, against="interpreter")
    if not run.layers:
        raise InputError(
            f"--on {on}: the program on the board takes no times of kernels; build it with NETWORK_TRACE=1"
        )
    if as_json:
        print_json(run.as_dict())
    else:
        show_figures(run.figures())
        show_times(run)
    if not run.passed:
        raise Exit(1)


def _measure(output: Path | None, *, as_json: bool) -> None:
    """Measure this machine, and print the figures or write them to a target file."""
    from s2s.cli.output import print_json, steps_shown
    from s2s.profiling.machine import target_of_machine, this_machine
    from s2s.support.files import write_file
    from s2s.targets import print_target

    with steps_shown():
        found = this_machine(again=True)
    name = re.sub(r"[^a-z0-9._+-]", "-", output.stem.lower()).lstrip("._+-")[:40] if output is not None else ""
    target = target_of_machine(found, name or "my-machine")
    if output is not None:
        write_file(output, print_target(target), f"--output {output}")
        print(f"{output}: try s2s compile MODEL --target {output}")
    elif as_json:
        print_json(found.as_dict())
    else:
        print("\n".join(describe(found)))


def show(found: "Profile", sort: Literal["run", "time", "gain"]) -> None:
    """Print the table for people."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    columns = columns_of(found)
    table = table_of(found, sort, columns)
    unlimited = console.options.update(max_width=10 * WIDE)
    for title in DISPENSABLE:
        if console.measure(table, options=unlimited).minimum <= console.width:
            break
        columns = [each for each in columns if each != title]
        table = table_of(found, sort, columns)
    console.print(table)
    for line in (*describe(found.machine), f"{found.runs} runs of target {found.target}, times in µs"):
        console.print(line, highlight=False, soft_wrap=True)
    if found.beats_its_bound:
        advice = (
            "kernels above 100% of their bound: the machine was busy when its peaks were measured; --measure-machine"
        )
        console.print(advice, highlight=False, soft_wrap=True)


def table_of(found: "Profile", sort: Literal["run", "time", "gain"], columns: list[str]) -> "Table":
    """Format the table with some of its columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_footer=False)
    for title, style in (("#", "dim"), ("nodes", ""), ("result", ""), ("kernel", "")):
        table.add_column(title, style=style, justify="right" if title == "#" else "left", overflow="fold")
    for title in columns:
        table.add_column(title, justify="left" if title == "bound by" else "right", no_wrap=True)
    rows = found.ordered(sort)
    for row in rows:
        table.add_row(
            str(row.number),
            first_of(row.nodes),
            row.shape,
            row.kernel,
            *cells(row, columns),
            end_section=row is rows[-1],
        )
    table.add_row("", "", "", "total", *cells(found.total, columns))
    return table


def first_of(nodes: str) -> str:
    """Return the first of several nodes and the number of others; quantised layers have many."""
    names = nodes.split(", ")
    return names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"


def columns_of(found: "Profile") -> list[str]:
    """Return the columns that have content for this network."""
    repeated = any(row.repetitions != 1 for row in found.rows)
    return [
        *(["times"] if repeated else []),
        "min",
        "median",
        "share",
        *(["MFLOP", "GFLOP/s"] if found.total.flops else []),
        *(["MOP", "GOP/s"] if found.total.integer_ops else []),
        "GB/s",
        "op/byte",
        "bound",
        "bound by",
        "of bound",
    ]


def cells(row: "Row", columns: list[str]) -> list[str]:
    """Return the figures of a row."""
    texts = {
        "times": str(row.repetitions),
        "min": micros(row.min_us),
        "median": micros(row.median_us),
        "share": f"{row.share:.1%}",
        "MFLOP": figures(row.flops / 1e6),
        "GFLOP/s": figures(row.gflops),
        "MOP": figures(row.integer_ops / 1e6),
        "GOP/s": figures(row.gops),
        "GB/s": figures(row.gbs),
        "op/byte": figures(row.intensity),
        "bound": micros(row.bound_us),
        "bound by": row.bound_by,
        "of bound": f"{row.roofline:.0%}",
    }
    return [texts[title] for title in columns]


def micros(value: float) -> str:
    """Format microseconds to the precision of the clock."""
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def figures(value: float) -> str:
    """Format three significant figures; a dash for None."""
    if not value:
        return "–"
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def describe(machine: "Machine") -> list[str]:
    """Describe the peak performance that the kernels are compared with."""
    levels = ", ".join(
        f"{level.name} {level.read_gbs:.0f} GB/s" + (f" ({level.bytes >> 10:,} KB)" if level.bytes else "")
        for level in machine.levels
    )
    return [
        f"one core of {machine.cpu}, {machine.clock_ghz:.1f} GHz: {machine.float_gflops:.0f} GFLOP/s, "
        f"{machine.int8_gops:.0f} GOP/s in int8",
        f"reading: {levels}",
        f"a kernel on two threads: {machine.fork_join_ns:,.0f} ns to fork and join",
    ]
