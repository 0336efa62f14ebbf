"""`s2s targets`: list the targets, or print one as a target file."""

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.parameters import TARGET


@command("targets")
@click.argument(
    "name", type=TARGET, required=False, metavar="NAME|FILE.toml", help="A target, to be printed as a file."
)
@options.as_json
def targets_command(name: str | None, as_json: bool) -> None:
    """List the targets, or print one as a file that --target takes.

    Example: s2s targets cortex-m4 > my_core.toml
    """
    from dataclasses import asdict

    from s2s.cli.output import columns, print_json
    from s2s.targets import get_target, print_target, target_names

    if name is not None:
        target = get_target(name)
        if as_json:
            print_json(asdict(target))
        else:
            print(print_target(target), end="")
        return
    found = [get_target(each) for each in target_names()]
    if as_json:
        print_json({each.name: each.description for each in found})
    else:
        print("\n".join(columns([(each.name, each.description) for each in found])))
