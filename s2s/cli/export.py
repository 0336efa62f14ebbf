"""`s2s export`: pack a tree of C for a build system, a package manager or an IDE."""

from pathlib import Path

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.formats import default_folder, formats, packages_in_words


@command("export")
@click.argument("tree", type=options.PATH, metavar="TREE", help="A folder that s2s compile wrote.")
@formats(required=True)
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="Folder to write; by default TREE-FORMAT.")
def export_command(tree: Path, format: tuple[str, ...], output: Path | None) -> None:
    """Pack a compiled tree for a build system, a package manager or an IDE.

    Example: s2s export kws --format arduino -o ~/Arduino/libraries/kws
    """
    from s2s.cli.output import print_fields
    from s2s.packagings.formats import export

    chosen = tuple(dict.fromkeys(format))
    destination = output if output is not None else default_folder(tree.name, chosen)
    print_fields(packages_in_words(export(tree, chosen, destination)))
