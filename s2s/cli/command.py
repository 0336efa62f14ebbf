"""What all commands of `s2s` share: `--verbose`, `--quiet`, and a project file in place of a missing MODEL."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from s2s.cli.talk import talking

SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 100}
"""Settings of every command and group."""
PROJECT = Path("s2s.toml")
"""The project file."""


class Command(click.Command):
    """A command that reads the project file of the current folder if it is given no MODEL."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [
            click.Option(["--verbose", "-v"], is_flag=True, help="Say what is being done, with the time it began."),
            click.Option(
                ["--quiet", "-q"], is_flag=True, help="Print nothing but errors, and JSON where it is asked for."
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with the values of the project file for what it does not state."""
        if PROJECT.is_file() and not {"-h", "--help"} & set(args):
            from s2s.cli import project

            given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            if not project.states_model(given):
                ctx.default_map = project.defaults_for(self.name, PROJECT)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and print as much as the user asks for."""
        verbose, quiet = ctx.params.pop("verbose"), ctx.params.pop("quiet")
        with talking(verbose=verbose, quiet=quiet, as_json=ctx.params.get("as_json", False)):
            return super().invoke(ctx)


def command(name: str) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function the command `s2s NAME`; its docstring is the help."""
    return click.command(name, cls=Command, context_settings=SETTINGS)
