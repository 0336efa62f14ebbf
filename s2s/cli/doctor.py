"""`s2s doctor`: list the installed programs and packages, and the commands that install missing ones."""

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.parameters import THING


@command("doctor")
@click.argument(
    "wanted",
    nargs=-1,
    type=THING,
    required=False,
    metavar="[WHAT]…",
    help="Only these, as `cortex-m4`, `qemu:m4` or `tune`.",
)
@options.as_json
def doctor_command(wanted: tuple[str, ...], as_json: bool) -> None:
    """Show which compilers, emulators and Python packages s2s finds, and how to install the others.

    Exits with 4 when something is missing that was asked for by name.

    Example: s2s doctor cortex-m4 qemu:m4
    """
    from dataclasses import asdict

    from s2s.cli.output import columns, print_json
    from s2s.errors import InputError, ToolchainError
    from s2s.verify.doctor import examine

    found = examine()
    unknown = [name for name in wanted if name not in {each.name for each in found}]
    if unknown:
        raise InputError(f"{unknown[0]}: s2s wants no such thing; it knows {', '.join(each.name for each in found)}")
    shown = [each for each in found if not wanted or each.name in wanted]
    if as_json:
        print_json([asdict(each) for each in shown])
    else:
        print("\n".join(columns([(each.name, each.found or "missing", each.use, each.install) for each in shown])))
    if wanted and any(not each.found for each in shown):
        raise Exit(ToolchainError.exit_code)
