"""`s2s tvmc`: TVM's driver, for scripts that call it."""

import click
from click.exceptions import Exit

from s2s.cli.command import SETTINGS


@click.command(
    "tvmc", context_settings={**SETTINGS, "ignore_unknown_options": True, "allow_interspersed_args": False},
    add_help_option=False,
)  # fmt: skip
@click.argument(
    "words",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="compile|run|tune|micro …",
    help="A command of TVM with its arguments; `s2s tvmc compile --help` lists these.",
)
def tvmc_command(words: tuple[str, ...]) -> None:
    """Compile, run and tune with the arguments of TVM's tvmc.

    Example: s2s tvmc compile model.onnx --target llvm -o model.tar
    """
    from s2s.tvm.driver.tvmc.command import main

    raise Exit(main(words))
