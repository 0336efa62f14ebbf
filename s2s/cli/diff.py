"""`s2s diff`: compare two trees."""

from pathlib import Path
from typing import Annotated

import typer

from s2s.cli import options

EQUAL, DIFFERENT = 0, 1


def diff_command(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="A tree, or a page of s2s report --html.")],
    now: Annotated[Path, typer.Argument(metavar="NOW", help="Another one.")],
    all_figures: Annotated[bool, typer.Option("--all", help="Show figures that are equal, too.")] = False,
    as_json: options.Json = False,
) -> None:
    """Show what differs between two trees: sizes, kernels, decisions and files. Exits with 1 if anything does.

    Example: s2s diff kws_before kws
    """
    from dataclasses import asdict

    from s2s.cli.output import print_json
    from s2s.report.comparison import compare
    from s2s.report.record import figures_of_path

    found = compare(figures_of_path(before), figures_of_path(now))
    if as_json:
        print_json(asdict(found))
    else:
        print("\n".join(found.lines(every=all_figures)) or "no difference")
    raise typer.Exit(DIFFERENT if found.differs else EQUAL)
