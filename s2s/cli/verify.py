"""`s2s verify`: the C against another engine, level against level, or on an emulated board."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from s2s.cli import options
from s2s.cli.compile_options import Options, with_compile_options
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.verify.board_check import BoardVerification

BOARD = "On a board"


@with_compile_options
def verify_command(
    model: options.Model,
    compiling: Options,
    against: Annotated[
        Literal["onnxruntime", "reference", "tflm", "interpreter"] | None,
        typer.Option(help="The engine whose outputs are taken as right; by default the one of the model's format."),
    ] = None,
    levels: Annotated[
        bool, typer.Option("--levels", help="Run every level of the compiler and name the first that differs.")
    ] = False,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance; by default by element type.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance; by default by element type.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.")] = 0,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="qemu:BOARD",
            help="Run on an emulated board (m3, m4, m7, m55, riscv32) and count instructions.",
            rich_help_panel=BOARD,
        ),
    ] = None,
    golden: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz",
            help="Inputs and right outputs: arrays named like them, or `x` and `y`; one row a vector.",
            rich_help_panel=BOARD,
        ),
    ] = None,
    opt: Annotated[
        Literal["O3", "O2", "Os"], typer.Option(help="How the C is optimised for the board.", rich_help_panel=BOARD)
    ] = "O3",
    as_json: options.Json = False,
) -> None:
    """Compile a network, run it, and compare with another engine or with golden vectors. Exits with 1 when they differ.

    Example: s2s verify kws.onnx --levels
    """
    from s2s.artifact import compile_artifact
    from s2s.cli.output import print_fields, print_json, steps_shown

    if on is not None:
        _verify_on(model, compiling, on, golden, opt, as_json=as_json)
        return
    if golden is not None:
        raise InputError(f"--golden {golden}: is for boards; add --on qemu:m4 or another")
    with steps_shown():
        artifact = compile_artifact(model, compiling("host"))
        result = artifact.verify(against=against, levels=levels, rtol=rtol, atol=atol, seed=seed)
    if as_json:
        print_json(result.as_dict())
    else:
        print_fields(result.as_dict())
    if not result.passed:
        raise typer.Exit(1)


def _verify_on(
    model: Path, compiling: Options, on: str, golden: Path | None, opt: Literal["O3", "O2", "Os"], *, as_json: bool
) -> None:
    from s2s.artifact import compile_artifact
    from s2s.boards import get_board
    from s2s.cli.output import print_json, steps_shown

    with steps_shown():
        artifact = compile_artifact(model, compiling(get_board(on).target))
        result = artifact.verify_on(on, golden=golden, optimise=opt)
    if as_json:
        print_json(result.as_dict())
    else:
        _show(result)
    if not result.passed:
        raise typer.Exit(1)


def _show(result: "BoardVerification") -> None:
    """Print how a network did on a board, for people."""
    from s2s.cli.output import number, print_fields

    fields = result.as_dict()
    fields.pop("layers")
    outputs = fields.pop("outputs")
    shown = {name.replace("_", " "): number(value) if type(value) is int else value for name, value in fields.items()}
    print_fields({**shown, **{f"output {name}": text for name, text in outputs.items()}})
    print()
    for layer, nodes in result.named_layers():
        print(f"{number(layer.instructions):>14}  {layer.kernel}  {nodes}")
