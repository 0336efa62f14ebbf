"""`s2s export`: pack a tree of C for a build system, a package manager or an IDE."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Format = Literal[
    "cmake", "make", "meson", "single", "arduino", "platformio", "esp-idf", "zephyr", "cmsis-pack", "wheel", "all"
]


def export_command(
    tree: Annotated[Path, typer.Argument(metavar="TREE", help="A folder that s2s compile wrote.", show_default=False)],
    format: Annotated[
        Format,
        typer.Option("--format", "-f", help="What the tree becomes; all: a folder of each.", show_default=False),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder to write; by default TREE-FORMAT.")
    ] = None,
) -> None:
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
