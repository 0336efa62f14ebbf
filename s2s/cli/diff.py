"""`s2s diff`: compare two trees."""

from pathlib import Path

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command

EQUAL, DIFFERENT = 0, 1


@command("diff")
@click.argument("before", type=options.PATH, metavar="BEFORE", help="A tree, or a page of s2s report --html.")
@click.argument("now", type=options.PATH, metavar="NOW", help="Another one.")
@click.option("--all", "all_figures", is_flag=True, help="Show figures that are equal, too.")
@options.as_json
def diff_command(before: Path, now: Path, all_figures: bool, as_json: bool) -> None:
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
    raise Exit(DIFFERENT if found.differs else EQUAL)
