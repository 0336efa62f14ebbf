"""The help of commands in groups, what shells complete, and names that are misspelt."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click
import pytest
from click.shell_completion import ShellComplete

from s2s.cli.main import app, run
from s2s.cli.options import flags_for
from s2s.options import UserOptions
from s2s.options.declaration import (
    GROUPS,
    declaration,
    flagged,
    flags_of,
    option,
    options_class,
    options_of,
    parameters_of,
)
from support.project import ROOT


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    assert run(arguments) == 0
    return capsys.readouterr().out


def completed(words: Sequence[str], incomplete: str = "") -> list[str]:
    """What a shell offers behind `s2s words`."""
    found = ShellComplete(app, {}, "s2s", "_S2S_COMPLETE").get_completions(list(words), incomplete)
    return [each.value for each in found]


def test_options_for_experts_are_shown_on_request(capsys: pytest.CaptureFixture[str]):
    usual, everything = shown(capsys, "compile", "--help"), shown(capsys, "compile", "--help-all")
    for each in flagged(UserOptions):
        flag = f"  {flags_of(each)[0]}"
        assert flag in everything
        assert (flag in usual) == (not declaration(each).is_expert)
    assert "--stop-after" not in usual
    assert "--stop-after" in everything


@pytest.mark.parametrize("command", ["compile", "verify", "inspect", "profile", "report", "tune", "new"])
def test_the_options_of_a_command_come_first(command: str, capsys: pytest.CaptureFixture[str]):
    text = shown(capsys, command, "--help")
    groups = [name for name in ("Options", *GROUPS) if f"\n{name}:\n" in text]
    assert groups == ["Options", "Inputs", "Memory", "Numbers", "Processors", "Choices", "Model"]
    assert text.index("\nOptions:\n") < text.index("\nInputs:\n")


def test_examples_are_not_broken(capsys: pytest.CaptureFixture[str]):
    assert "~/.local/share/bash-completion/completions/s2s\n" in shown(capsys, "completion", "--help")


@pytest.mark.parametrize(
    ("words", "incomplete", "offered"),
    [
        (["compile", "x", "--target"], "cortex-m5", "cortex-m55"),
        (["new", "x", "--board"], "", "stm32f4-discovery"),
        (["verify", "x", "--on"], "qemu:m", "qemu:m4"),
        (["tune", "x", "--on"], "", "host"),
        (["compile", "x", "-f"], "ar", "arduino"),
        (["compile", "x", "--executor"], "", "graph"),
        (["doctor"], "qemu:m5", "qemu:m55"),
        (["targets"], "x86", "x86-64-v3"),
    ],
)
def test_a_shell_completes_names(words: list[str], incomplete: str, offered: str):
    assert offered in completed(words, incomplete)


def test_a_misspelt_command_is_answered_with_the_one_it_resembles(capsys: pytest.CaptureFixture[str]):
    assert run(["compil", "x"]) == 2
    assert capsys.readouterr().err == "s2s: error: No such command 'compil'. Did you mean compile? See s2s --help.\n"


@pytest.mark.parametrize("option", ["--ram-budget", "--flash-budget", "--stack-budget"])
def test_bytes_may_have_a_unit(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = str(ROOT / "examples" / "digits" / "digits.onnx")
    assert run(["compile", model, "--target", "c", "-o", str(tmp_path / "a"), option, "1MiB"]) == 0
    assert run(["compile", model, "--target", "c", "-o", str(tmp_path / "b"), option, "1 pound"]) == 2
    assert f"{option} 1 pound: is no number of bytes; give one, as 16000 or 16KiB" in capsys.readouterr().err


def test_every_command_has_its_parameters_once():
    context = click.Context(app, info_name="s2s")
    for name in app.list_commands(context):
        found: Any = app.get_command(context, name)
        flags = [flag for each in found.params for flag in each.opts]
        assert len(flags) == len(set(flags)), name


OF_OTHER_COMMANDS = {"--target"}
"""Flags that a command about something else than a compilation has, too."""


def test_flags_of_a_compilation_are_declared_once():
    flags = {flag for each in flagged(UserOptions) for flag in flags_of(each)} - OF_OTHER_COMMANDS
    files = [path for path in (ROOT / "s2s").rglob("*.py") if (ROOT / "s2s" / "options") not in path.parents]
    spelled = [(path.name, flag) for path in files for flag in flags if f'click.option("{flag}"' in path.read_text()]
    assert spelled == []


def test_an_option_needs_nothing_but_its_declaration():
    @options_class
    class Options(UserOptions):
        rounding_mode: Literal["up", "down"] = option(default="up", stages=("c",), help="How to round.")

    assert "rounding_mode" in options_of(Options, "c")
    assert "rounding_mode" in [each.name for each in parameters_of(Options)]
    assert [flag for each in flags_for(Options) for flag in each.opts if "rounding-mode" in flag] == ["--rounding-mode"]
    assert Options(rounding_mode="down").rounding_mode == "down"
