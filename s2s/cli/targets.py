"""`s2s targets`: list the targets, or print one as a target file."""

from typing import Annotated

import typer

from s2s.cli import options


def targets_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME|FILE.toml", help="A target, to be printed as a file.", show_default=False),
    ] = None,
    as_json: options.Json = False,
) -> None:
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
