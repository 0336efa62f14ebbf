"""`s2s report`: show the flash, RAM and stack that a network takes on a device."""

from pathlib import Path
from typing import Any

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.errors import InputError, S2SError
from s2s.support.extras import require_extra


@command("report")
@click.argument("model", type=options.PATH, metavar="MODEL|TREE", help="A network, or a folder that s2s compile wrote.")
@with_compile_options
@click.option(
    "--html", type=options.PATH, metavar="FILE", help="Write a page with charts, which needs no network; MODEL only."
)
@click.option("--time", is_flag=True, help="With --html: time each kernel on this machine, for the page.")
@options.on(
    metavar="qemu:BOARD",
    help="With --html: count the instructions of each kernel on an emulated board (m0, m3, m4, m7, m33, m55, riscv32).",
)
@click.option(
    "--against", type=options.PATH, metavar="FILE", help="With --html: an earlier page or a tree to compare with."
)
@options.as_json
def report_command(
    model: Path, compiling: Options, html: Path | None, time: bool, on: str | None, against: Path | None, as_json: bool
) -> None:
    """Show what a network takes: RAM, flash and stack, measured with the C compiler of its target.

    Example: s2s report kws.onnx --target cortex-m4

    Example: s2s report kws.onnx --html kws.html --time

    Example: s2s report kws.onnx --html kws.html --on qemu:m4
    """
    from s2s.cli.output import number, print_fields, print_json, steps_shown
    from s2s.report.comparison import in_words

    if html is None and (time or on is not None or against is not None):
        option = "--time" if time else "--against" if on is None else "--on"
        raise InputError(f"{option}: is for a page; add --html FILE")
    if time and on is not None:
        raise InputError(f"--time: times this machine, and --on {on} counts on another one; give one of them")
    if html is not None:
        require_extra("report", "--html")
        _write_page(model, compiling, html, time, on, against)
        return
    with steps_shown():
        fields = _of_tree(model) if model.is_dir() else _of_model(model, compiling)
    if as_json:
        print_json(fields)
        return
    largest: dict[str, int] = fields.pop("code_of", {})
    overlaps: str = fields.pop("overlaps", "")
    if "measured_by" not in fields:
        fields["flash, code and stack"] = not_measured(fields["target"])
    print_fields({in_words(key): _with_unit(key, value) for key, value in fields.items()})
    if overlaps:
        print("\nresults that lie over what their kernel reads")
        for each in overlaps.split("; "):
            print(f"    {each}")
    if largest:
        print(f"\nmachine code of the {len(largest)} largest functions")
        for name, size in largest.items():
            print(f"{number(size):>10}  {name}")


def _with_unit(figure: str, value: object) -> object:
    """Format a figure of the report with separated thousands and its unit."""
    match value:
        case int():
            return f"{value:,}" if figure == "kernels" else f"{value:,} bytes"
        case float():
            return f"{value:.1%}" if figure == "extra_operations" else f"{value:.3g}"
        case _:
            return value


def _write_page(model: Path, compiling: Options, file: Path, time: bool, on: str | None, against: Path | None) -> None:
    """Compile `model`, and write its page to `file`."""
    from s2s.artifact import compile_artifact
    from s2s.boards import get_board
    from s2s.cli.output import steps_shown
    from s2s.profiling.profile import check_profiled, profile_artifact
    from s2s.report.figures import figures_of
    from s2s.report.html.page import page
    from s2s.report.record import figures_of_path
    from s2s.support.files import write_file

    if model.is_dir():
        raise InputError(f"--html: {model} is a tree, which does not hold all that the page shows; give the MODEL")
    before = None if against is None else figures_of_path(against)
    compile_options = compiling("host" if on is None else get_board(on).target)
    if time:
        check_profiled(compile_options)
    with steps_shown():
        artifact = compile_artifact(model, compile_options)
        profile = profile_artifact(artifact) if time else None
        board = None if on is None else artifact.verify_on(on, against="interpreter")
        if board is not None and not board.passed:
            raise S2SError(f"--on {on}: the network gives other numbers there; s2s verify {model} --on {on} shows them")
        text = page(figures_of(artifact, profile, board), before)
    print(write_file(file, text, f"--html {file}"))


def not_measured(target: str) -> str:
    """Explain why figures of the C compiler are missing, and how to get them."""
    from s2s.targets import get_target

    found = get_target(target)
    if not found.cc:
        return "not measured when the tree was written; s2s report MODEL measures"
    packages = " ".join(found.packages)
    return f"not measured: {found.cc} is not installed; on Debian: apt-get install --no-install-recommends {packages}"


def _of_model(model: Path, compiling: Options) -> dict[str, Any]:
    from s2s.artifact import compile_artifact

    return compile_artifact(model, compiling("host")).report(measure=True).as_dict()


def _of_tree(tree: Path) -> dict[str, Any]:
    from s2s.report.record import sizes_of_tree
    from s2s.verify.tree_record import tree_record

    return sizes_of_tree(tree_record(tree))
