"""`s2s compile`: a network in, a tree of C out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from s2s.cli import options
from s2s.cli.output import number

if TYPE_CHECKING:
    from s2s.artifact import Report


def compile_command(
    model: options.Model,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder to write; by default the model's name.")
    ] = None,
    target: Annotated[str, typer.Option(metavar="TARGET", help="What the C is tuned for: `host`, or `c` for any.")] = (
        "host"
    ),
    executor: Annotated[
        Literal["aot", "graph"], typer.Option(help="A function that calls the kernels, or tables that are walked.")
    ] = "aot",
    name: options.Name = None,
    weights: Annotated[
        Literal["auto", "arrays", "incbin"], typer.Option(help="Weights as C arrays or as one file; `auto` by size.")
    ] = "auto",
    shape: options.Shapes = None,
    schedule: Annotated[
        Literal["default", "reference"], typer.Option(help="Tuned loops, or one plain loop nest for each operator.")
    ] = "default",
    print_ir_after: options.PrintIrAfter = None,
    verify_each: options.VerifyEach = False,
    time_passes: options.TimePasses = False,
    stop_after: options.StopAfter = None,
    as_json: options.Json = False,
) -> None:
    """Compile a network to a tree of C99.

    The tree builds with its own make or cmake and carries a self-test.

    Example: s2s compile kws.onnx -o kws --target c
    """
    from s2s import api
    from s2s.cli.output import print_fields, print_json, steps_shown

    debug = options.debug_options(print_ir_after, verify_each, time_passes, stop_after)
    with steps_shown(quiet=bool(print_ir_after)):
        artifact = api.compile(
            model,
            target=target,
            executor=executor,
            name=name,
            weights=weights,
            shapes=options.parse_shapes(shape),
            schedule=schedule,
            debug=debug,
        )
        if stop_after is not None:
            print(artifact.ir())
            return
        tree = artifact.write(output if output is not None else Path(artifact.name))
        report = artifact.report()
    if as_json:
        print_json({"tree": str(tree), **report.as_dict()})
    else:
        print_fields({"tree": tree, **describe(report)})


def describe(report: "Report") -> dict[str, str]:
    """The figures of a network in words."""
    return {
        "target": f"{report.target}, executor {report.executor}",
        "kernels": number(report.kernels),
        "RAM": f"{number(report.arena)} bytes of arena, no plan could do with less than "
        f"{number(report.arena_lower_bound)}; inputs {number(report.inputs)}, outputs {number(report.outputs)}",
        "constants": f"{number(report.weights)} bytes",
    }
