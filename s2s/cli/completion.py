"""`s2s completion`: print what makes a shell complete the commands and options of s2s."""

import click

from s2s.cli.command import command

SHELLS = ("bash", "zsh", "fish")


@command("completion")
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish", help="The shell.")
def completion_command(shell: str) -> None:
    """Print the script that makes a shell complete the commands and options of s2s.

    Example: s2s completion bash > ~/.local/share/bash-completion/completions/s2s
    """
    from click.shell_completion import get_completion_class

    from s2s.cli.main import app

    found = get_completion_class(shell)
    assert found is not None, f"click completes in {shell}"
    print(found(app, {}, "s2s", "_S2S_COMPLETE").source())
