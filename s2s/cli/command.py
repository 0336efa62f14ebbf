"""What all commands of `s2s` share: `--verbose`, `--quiet`, and a project file in place of a missing MODEL."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from s2s.cli.parameters import GroupedOption
from s2s.cli.talk import talking

SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 100}
"""Settings of every command and group."""
HELP_ALL = "s2s.help_all"
"""Under this key the context of a command holds that options for experts are shown."""
PROJECT = Path("s2s.toml")
"""The project file."""


EXAMPLE = "\n\nExample: "
"""The beginning of an example in the help of a command."""
COMMON = "Common"
"""The group of options that the help of a command shows with its own."""


class Command(click.Command):
    """A command that reads the project file of the current folder if it is given no MODEL."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = inspect.cleandoc(self.help or "").replace(
            EXAMPLE, f"\n\n\b{EXAMPLE[1:]}"
        )  # \b: in one line, however long
        self.params += [
            click.Option(["--verbose", "-v"], is_flag=True, help="Say what is being done, with the time it began."),
            click.Option(
                ["--quiet", "-q"], is_flag=True, help="Print nothing but errors, and JSON where it is asked for."
            ),
        ]
        if any(isinstance(each, GroupedOption) and each.is_expert for each in self.params):
            about = "Show these options and those for experts, and exit."
            self.params.append(
                click.Option(
                    ["--help-all"], is_flag=True, expose_value=False, is_eager=True, callback=_help, help=about
                )
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: the command's own and the common ones, then the others by groups."""
        shows_all = ctx.meta.get(HELP_ALL, False)
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        left_out = 0
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is None or isinstance(each, click.Argument):
                continue
            grouped = each if isinstance(each, GroupedOption) else None
            if grouped is not None and grouped.is_expert and not shows_all:
                left_out += 1
                continue
            group = "Options" if grouped is None or grouped.group == COMMON else grouped.group
            groups.setdefault(group, []).append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)
        if left_out:
            formatter.write_paragraph()
            formatter.write_text(f"{left_out} options for experts are shown by {ctx.command_path} --help-all.")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with the values of the project file for what it does not state."""
        if PROJECT.is_file() and not {"-h", "--help", "--help-all"} & set(args):
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


def _help(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def command(name: str) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function the command `s2s NAME`; its docstring is the help."""
    return click.command(name, cls=Command, context_settings=SETTINGS)
