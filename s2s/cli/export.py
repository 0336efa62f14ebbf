"""`s2s export`: pack a tree of C for a build system, a package manager or an IDE."""

from pathlib import Path
from typing import Literal, get_args

import click

from s2s.cli import options
from s2s.cli.command import command

Format = Literal[
    "cmake", "make", "meson", "single", "arduino", "platformio", "esp-idf", "zephyr", "cmsis-pack", "wheel", "all"
]


@command("export")
@click.argument("tree", type=options.PATH, metavar="TREE", help="A folder that s2s compile wrote.")
@click.option(
    "--format",
    "-f",
    type=click.Choice(get_args(Format)),
    required=True,
    help="What the tree becomes; all: a folder of each.",
)
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="Folder to write; by default TREE-FORMAT.")
def export_command(tree: Path, format: Format, output: Path | None) -> None:
    """Pack a compiled tree for a build system, a package manager or an IDE.

    Example: s2s export kws --format arduino -o ~/Arduino/libraries/kws
    """
    from s2s.packagings.formats import export, export_all

    destination = output if output is not None else Path(f"{tree.name}-{format}")
    if format != "all":
        print(f"{format}  {export(tree, format, destination)}")
        return
    for name, written in export_all(tree, destination).items():
        print(f"{name:10}  {written}" if isinstance(written, Path) else f"{name:10}  refused: {written}")
