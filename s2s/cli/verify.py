"""`s2s verify`: compare the C with another engine, with golden vectors, level by level, or on an emulated board."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.board_figures import show_figures, show_layers, show_times
from s2s.cli.command import command
from s2s.cli.options import SERIAL, Options, with_compile_options
from s2s.cli.timing import Timing, with_timing
from s2s.cli.together import concurrent_flag, join_networks, models, only_model, share_kernels, together_flag, tree_name
from s2s.errors import InputError
from s2s.support.extras import require_extra

if TYPE_CHECKING:
    from s2s.options import CompileOptions
    from s2s.verify.board_check import BoardVerification
    from s2s.verify.over_serial import SerialVerification

EngineName = Literal["onnxruntime", "reference", "tflm", "litert", "torch", "interpreter"]


class Comparing(TypedDict):
    """The reference to compare with, and the strictness."""

    against: EngineName | None
    golden: Path | None
    data: Path | None
    levels: bool
    rtol: float | None
    atol: float | None
    seed: int | None


@command("verify")
@models
@with_compile_options
@click.option(
    "--against",
    type=click.Choice(get_args(EngineName)),
    help="The engine whose outputs are taken as right; by default the one of the model's format.",
)
@click.option("--levels", is_flag=True, help="Run every level of the compiler and name the first that differs.")
@click.option("--rtol", type=float, help="Relative tolerance; by default by element type.")
@click.option("--atol", type=float, help="Absolute tolerance; by default by element type.")
@click.option("--seed", type=int, help="Seed of the inputs that are made up; 0 by default.")
@click.option(
    "--golden",
    type=options.PATH,
    metavar="FILE.npz",
    help="Your inputs and right outputs: arrays named like them, or `x` and `y`; one row a vector.",
)
@click.option(
    "--data",
    type=options.PATH,
    metavar="SAMPLES",
    help="Your samples as inputs in place of random ones: .npz, .npy, .csv, .parquet, a folder, or FILE.py:FUNCTION.",
)
@options.on(
    metavar="qemu:BOARD|serial:PORT",
    help="Run on an emulated board (m0, m3, m4, m7, m33, m55, riscv32) and count instructions; or on a board that runs"
    " the program of `s2s new`, at a port such as /dev/ttyACM0 (with @BAUD, by default @115200).",
)
@click.option(
    "--opt", type=click.Choice(["O3", "O2", "Os"]), help="How the C is optimised for the board; O3 by default."
)
@together_flag
@concurrent_flag
@share_kernels
@with_timing
@options.as_json
def verify_command(
    models: tuple[Path, ...],
    compiling: Options,
    against: EngineName | None,
    levels: bool,
    rtol: float | None,
    atol: float | None,
    seed: int | None,
    golden: Path | None,
    data: Path | None,
    on: str | None,
    opt: Literal["O3", "O2", "Os"] | None,
    together: bool,
    concurrent: bool,
    share: Literal["equal", "alike"],
    as_json: bool,
    timing: Timing,
) -> None:
    """Compile a network, run it, and compare with another engine or with golden vectors. Exits with 1 when they differ.

    Example: s2s verify kws.onnx --levels
    """
    from s2s.artifact import compile_artifact
    from s2s.cli.output import print_fields, print_json, steps_shown
    from s2s.verify.board_check import BoardVerification

    comparing = Comparing(against=against, golden=golden, data=data, levels=levels, rtol=rtol, atol=atol, seed=seed)
    if opt is not None and on is None:
        raise InputError(f"--opt {opt}: is for boards; add --on qemu:m4 or another")
    if together:
        if (on, golden, data, against, rtol, atol) != (None,) * 6:
            raise InputError("--together: every network is compared as by default, on this machine; leave others out")
        _verify_together(models, compiling("host"), concurrent, share, seed=seed, levels=levels, as_json=as_json)
        return
    model = only_model(models, concurrent=concurrent, share=share)
    with steps_shown():
        if on is None:
            found, result = None, compile_artifact(model, compiling("host")).verify(**comparing)
        else:
            found = _verify_on(on, model, compiling, opt, comparing, timing)
            result = found.verification
    if as_json:
        print_json((found or result).as_dict())
    else:
        print_fields(result.describe())
        if found is not None:
            show_figures(found.figures())
        if isinstance(found, BoardVerification):
            show_layers(found)
        elif found is not None and found.layers:
            show_times(found)
    if not result.passed:
        raise Exit(1)


def _verify_together(
    models: tuple[Path, ...],
    chosen: "CompileOptions",
    concurrent: bool,
    share: Literal["equal", "alike"],
    *,
    seed: int | None,
    levels: bool,
    as_json: bool,
) -> None:
    """Verify each network of a tree of several."""
    from s2s.cli.output import print_fields, print_json, steps_shown

    name = tree_name(chosen, None)
    with steps_shown(), join_networks(models, chosen, name, concurrent=concurrent, share=share) as joint:
        results = joint.verify(seed=seed, levels=levels)
    if as_json:
        print_json({name: result.as_dict() for name, result in results.items()})
    else:
        for name, result in results.items():
            print_fields({"network": name, **result.describe()})
    if not all(result.passed for result in results.values()):
        raise Exit(1)


def _verify_on(
    on: str,
    model: Path,
    compiling: Options,
    opt: Literal["O3", "O2", "Os"] | None,
    comparing: Comparing,
    timing: Timing,
) -> "BoardVerification | SerialVerification":
    """Verify a network on an emulated board, or on one at a serial port."""
    from s2s.artifact import compile_artifact
    from s2s.boards import get_board

    if not on.startswith(SERIAL):
        artifact = compile_artifact(model, compiling(get_board(on).target))
        return artifact.verify_on(on, optimise=opt or "O3", **timing, **comparing)
    if opt is not None:
        raise InputError(f"--opt {opt}: the program on the board is built already; leave it out")
    require_extra("serial", "--on serial")
    return compile_artifact(model, compiling("host")).verify_over_serial(on, **comparing)
