"""`s2s report`: show the flash, RAM and stack that a network takes on a device."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.cli.parameters import PROJECT_BOARD
from s2s.cli.timing import Timing, with_timing
from s2s.errors import InputError, S2SError
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from s2s.artifact import Artifact
    from s2s.projects import ProjectBoard
    from s2s.verify.board_check import BoardVerification
    from s2s.verify.over_serial import SerialVerification


@command("report")
@click.argument("model", type=options.PATH, metavar="MODEL|TREE", help="A network, or a folder that s2s compile wrote.")
@with_compile_options
@click.option(
    "--html", type=options.PATH, metavar="FILE", help="Write a page with charts, which needs no network; MODEL only."
)
@click.option("--time", is_flag=True, help="With --html: time each kernel on this machine, for the page.")
@options.on(
    metavar="qemu:BOARD|serial:PORT",
    help="Count the instructions of each kernel on an emulated board (m0, m3, m4, m7, m33, m55, riscv32), or read the "
    "ticks of a program of s2s new at a serial port, built with NETWORK_TRACE=1.",
)
@click.option(
    "--board", type=PROJECT_BOARD, metavar="BOARD", help="Say how much of the flash and RAM of a board it takes."
)
@click.option(
    "--against", type=options.PATH, metavar="FILE", help="With --html: an earlier page or a tree to compare with."
)
@with_timing
@options.as_json
def report_command(
    model: Path,
    compiling: Options,
    html: Path | None,
    time: bool,
    on: str | None,
    board: str | None,
    against: Path | None,
    as_json: bool,
    timing: Timing,
) -> None:
    """Show what a network takes: RAM, flash and stack, measured with the C compiler of its target.

    Example: s2s report kws.onnx --target cortex-m4

    Example: s2s report kws.onnx --on qemu:m4 --board stm32f4-discovery

    Example: s2s report kws.onnx --html kws.html --time

    Example: s2s report kws.onnx --html kws.html --target cortex-m4 --on serial:/dev/ttyACM0
    """
    from s2s.cli.output import print_json, steps_shown
    from s2s.projects import project_board

    if html is None and (time or against is not None):
        raise InputError(f"{'--time' if time else '--against'}: is for a page; add --html FILE")
    if time and on is not None:
        raise InputError(f"--time: times this machine, and --on {on} counts on another one; give one of them")
    if on is not None and on.startswith(options.SERIAL):
        require_extra("serial", "--on serial")
    device = None if not board else project_board(board)
    if html is not None:
        require_extra("report", "--html")
        _write_page(model, compiling, html, time, on, device, against, timing)
        return
    with steps_shown():
        fields, run = _of_tree(model, on) if model.is_dir() else _of_model(model, compiling, on, device, timing)
    if as_json:
        print_json(fields if run is None else {**fields, "board": run.as_dict()})
        return
    _show(fields, device)
    if run is not None:
        _show_run(run)


def _show(fields: dict[str, Any], device: "ProjectBoard | None") -> None:
    """Print the figures for people, and what they are of the memories of a board."""
    from s2s.cli.output import number, print_fields
    from s2s.report.comparison import in_words
    from s2s.report.gauge import gauge

    largest: dict[str, int] = fields.pop("code_of", {})
    stacks: dict[str, int] = fields.pop("stack_of", {})
    overlaps: str = fields.pop("overlaps", "")
    memories = () if device is None else gauge(fields, device)
    shares = {f"share of {what}": f"{taken / there:.1%} of {there:,} bytes" for what, taken, there in memories}
    if "measured_by" not in fields:
        fields["flash, code and stack"] = not_measured(fields["target"])
    print_fields({in_words(key): _with_unit(key, value) for key, value in fields.items()} | shares)
    if largest:
        print(f"\nmachine code of the {len(largest)} largest functions")
        for name, size in largest.items():
            print(f"{number(size):>10}  {name}")
    if stacks:
        print("\nbytes of stack of each kernel, with what it calls")
        for name, size in stacks.items():
            print(f"{number(size):>10}  {name}")
    if overlaps:
        print("\nresults that lie over what their kernel reads")
        for each in overlaps.split("; "):
            print(f"    {each}")


def _show_run(run: "BoardVerification | SerialVerification") -> None:
    """Print what each kernel takes on a board, and that the numbers are right there."""
    from s2s.cli.board_figures import show_cycles, show_layers, show_times
    from s2s.verify.board_check import BoardVerification

    how = "bit for bit" if run.verification.bit_exact else "within the tolerance"
    right = f"{how} what {run.verification.against} gives"
    if isinstance(run, BoardVerification):
        show_layers(run)
        print(f"\nqemu:{run.board}: {max(run.run.instructions):,} instructions a run; {right}")
        show_cycles(run)
        return
    if run.layers:
        show_times(run)
    print(f"\n{run.board}: {max(run.ticks):,} ticks a run; {right}")


def _with_unit(figure: str, value: object) -> object:
    """Format a figure of the report with separated thousands and its unit."""
    match value:
        case int():
            return f"{value:,}" if figure == "kernels" else f"{value:,} bytes"
        case float():
            return f"{value:.1%}" if figure == "extra_operations" else f"{value:.3g}"
        case _:
            return value


def _write_page(
    model: Path,
    compiling: Options,
    file: Path,
    time: bool,
    on: str | None,
    device: "ProjectBoard | None",
    against: Path | None,
    timing: Timing,
) -> None:
    """Compile `model`, and write its page to `file`."""
    from s2s.artifact import compile_artifact
    from s2s.cli.output import steps_shown
    from s2s.profiling.profile import check_profiled, profile_artifact
    from s2s.report.board import BoardCounts
    from s2s.report.figures import STAGES, figures_of
    from s2s.report.html.page import page
    from s2s.report.record import figures_of_path
    from s2s.support.files import write_file

    if model.is_dir():
        raise InputError(f"--html: {model} is a tree, which does not hold all that the page shows; give the MODEL")
    before = None if against is None else figures_of_path(against)
    compile_options = compiling(_default_target(on, device))
    if time:
        check_profiled(compile_options)
    with steps_shown():
        artifact = compile_artifact(model, compile_options, STAGES)
        profile = profile_artifact(artifact) if time else None
        run = _run_on(artifact, on, model, timing)
        counts = None if run is None or on is None else BoardCounts.of(run, on)
        text = page(figures_of(artifact, profile, counts, device), before)
    print(write_file(file, text, f"--html {file}"))


def not_measured(target: str) -> str:
    """Explain why figures of the C compiler are missing, and how to get them."""
    from s2s.targets import get_target

    found = get_target(target)
    if not found.cc:
        return "not measured when the tree was written; s2s report MODEL measures"
    packages = " ".join(found.packages)
    return f"not measured: {found.cc} is not installed; on Debian: apt-get install --no-install-recommends {packages}"


def _of_model(
    model: Path, compiling: Options, on: str | None, device: "ProjectBoard | None", timing: Timing
) -> tuple[dict[str, Any], "BoardVerification | SerialVerification | None"]:
    from s2s.artifact import compile_artifact

    artifact = compile_artifact(model, compiling(_default_target(on, device)))
    return artifact.report(measure=True).as_dict(), _run_on(artifact, on, model, timing)


def _of_tree(tree: Path, on: str | None) -> tuple[dict[str, Any], None]:
    from s2s.emit.read_tree import read_tree
    from s2s.report.record import sizes_of_tree

    if on is not None:
        raise InputError(f"--on {on}: is for a MODEL here; s2s verify {tree} --on {on} runs a tree")
    return sizes_of_tree(read_tree(tree)), None


def _default_target(on: str | None, device: "ProjectBoard | None") -> str:
    """The target of the emulated board, of the board that the network is for, or of this machine."""
    from s2s.boards import get_board

    if on is not None and not on.startswith(options.SERIAL):
        return get_board(on).target
    return "host" if device is None else device.target


def _run_on(
    artifact: "Artifact", on: str | None, model: Path, timing: Timing
) -> "BoardVerification | SerialVerification | None":
    """Run the network on a board; raise an error if the numbers are wrong there."""
    if on is None:
        return None
    run = artifact.verify_over_serial(on) if on.startswith(options.SERIAL) else artifact.verify_on(on, **timing)
    if not run.passed:
        raise S2SError(f"--on {on}: the network gives other numbers there; s2s verify {model} --on {on} shows them")
    return run
