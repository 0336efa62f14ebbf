"""`s2s verify`: the C against another engine, or level against level."""

from typing import Annotated, Literal

import typer

from s2s.cli import options
from s2s.cli.compile_options import Options, with_compile_options


@with_compile_options
def verify_command(
    model: options.Model,
    compiling: Options,
    against: Annotated[
        Literal["onnxruntime", "reference"], typer.Option(help="The engine whose outputs are taken as right.")
    ] = "onnxruntime",
    levels: Annotated[
        bool, typer.Option("--levels", help="Run every level of the compiler and name the first that differs.")
    ] = False,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance; by default by element type.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance; by default by element type.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random inputs.")] = 0,
    as_json: options.Json = False,
) -> None:
    """Compile a network, run it on random inputs, and compare with another engine. Exits with 1 when they differ.

    Example: s2s verify kws.onnx --levels
    """
    from s2s.artifact import compile_artifact
    from s2s.cli.output import print_fields, print_json, steps_shown

    with steps_shown():
        artifact = compile_artifact(model, compiling("host"))
        result = artifact.verify(against=against, levels=levels, rtol=rtol, atol=atol, seed=seed)
    if as_json:
        print_json(result.as_dict())
    else:
        print_fields(result.as_dict())
    if not result.passed:
        raise typer.Exit(1)
