"""The commands and files of the pages that teach do what the pages say: they are run in the order of the text.

A block of shell (```sh) is run in the folder of its page, a block with a title is written to that file first. Blocks of
other languages, and those of installation (```console), are not run.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.c_compilers import require
from support.project import ROOT

PAGES = sorted(page for folder in ("start", "tutorials") for page in (ROOT / "docs" / folder).glob("*.md"))
BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[\w./-]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
NEEDS = {"board": ("arm-none-eabi-gcc", "qemu-system-arm"), "cpp-project": ("cmake", "g++")}
"""Tools that a page tells its reader to install."""
SAMPLES = ("digits.onnx", "calibration.npz", "held_out.npz")


def blocks(page: Path) -> Iterator[tuple[str, str | None, str]]:
    """Language, file and text of each block of a page."""
    for found in BLOCK.finditer(page.read_text()):
        yield found["language"], found["title"], found["text"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path):
    for tool in NEEDS.get(page.stem, ()):
        require(tool)
    for name in SAMPLES:
        shutil.copy(ROOT / "examples" / "digits" / name, tmp_path)
    program = tmp_path / "bin" / "s2s"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m s2s "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    for language, title, text in blocks(page):
        if title is not None:
            (tmp_path / title).write_text(text)
        elif language == "sh":
            done = subprocess.run(
                ["bash", "-e"], input=text, cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"


def test_the_pages_have_commands():
    assert sum(language == "sh" for page in PAGES for language, _, _ in blocks(page)) >= 12
