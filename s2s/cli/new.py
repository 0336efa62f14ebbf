"""`s2s new`: write a firmware project for a board. `s2s boards`: list the boards."""

from pathlib import Path

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.cli.parameters import PROJECT_BOARD


@command("new")
@options.model
@with_compile_options
@click.option(
    "--board",
    type=PROJECT_BOARD,
    required=True,
    metavar="BOARD",
    help="What the project is for; `s2s boards` lists them.",
)
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="New folder; by default the network's name.")
def new_command(model: Path, compiling: Options, board: str, output: Path | None) -> None:
    """Write a firmware project that runs a network on a board for `s2s verify --on serial:PORT`.

    Example: s2s new kws.onnx --board stm32f4-discovery -o kws_f4
    """
    from s2s.artifact import compile_artifact
    from s2s.cli.output import steps_shown
    from s2s.projects import check_project, project_board, write_project

    chosen = project_board(board)
    asked = compiling(chosen.target)
    check_project(asked)
    with steps_shown():
        artifact = compile_artifact(model, asked)
        destination = output if output is not None else Path(artifact.name)
        write_project(artifact.measured_tree(), chosen, destination)
    print(f"{destination}: {artifact.name} for {chosen.name}; its README.md says how to build and run it")


@command("boards")
@options.as_json
def boards_command(as_json: bool) -> None:
    """List the boards that projects can be written for.

    Example: s2s boards
    """
    from s2s.cli.output import columns, print_json
    from s2s.projects import PROJECT_BOARDS

    if as_json:
        print_json({each.name: {"description": each.description, "target": each.target} for each in PROJECT_BOARDS})
    else:
        rows = [(board.name, board.description, board.target) for board in PROJECT_BOARDS]
        print("\n".join(columns([("board", "what it is", "target"), *rows])))
