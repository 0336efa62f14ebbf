"""Every command of s2s in the documents has options that exist; those of start and tutorials are run, too."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from s2s.cli.main import app
from support.project import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("[ehst]*/*.md")))
COMMAND = re.compile(r"^(?:    |)(s2s [a-z].*)$", re.MULTILINE)


def commands() -> Iterator[tuple[Path, str]]:
    """The commands in blocks of the pages, without comments."""
    for page in PAGES:
        for found in COMMAND.finditer(page.read_text().replace("\\\n", " ")):
            yield page, found[1]


def arguments(command: str) -> list[str]:
    """The words of a command behind `s2s`, up to a pipe."""
    words = shlex.split(command, comments=True)[1:]
    end = next((number for number, word in enumerate(words) if word in ("|", "||", "&&", ">", "…")), len(words))
    return words[:end]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_have_options_that_exist(page: Path):
    for _, command in (each for each in commands() if each[0] == page):
        group: click.Command = app
        words = arguments(command)
        context = click.Context(app, info_name="s2s")
        while isinstance(group, click.Group):
            name = words.pop(0)
            found = group.get_command(context, name)
            assert found is not None, f"{page.name}: {command}"
            group, context = found, click.Context(found, parent=context, info_name=name)
        _, rest, _ = group.make_parser(context).parse_args(args=words)
        assert not rest, f"{page.name}: {command}"


def test_the_pages_have_commands():
    assert len(list(commands())) > 60
