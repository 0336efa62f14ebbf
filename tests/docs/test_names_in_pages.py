"""What the pages name is there: files of the checkout, benchmarks with their options, functions and macros of the C."""

import re
from functools import cache
from pathlib import Path

import pytest

from support.project import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("[ehst]*/*.md")))
FILE = re.compile(r"`((?:s2s|dialects|tests|runtime_c|templates|examples|benchmarks)/[\w./-]*)`")
BENCHMARK = re.compile(r"python -m (benchmarks\.\w+)((?: [^`\n#|)]*)?)")
OF_C = re.compile(r"\b(?:s2s_[a-z0-9_]+|S2S_[A-Z0-9_]+)\b")
MADE_UP = {"s2s/schedules/directives/NAME.py", "S2S_POOL_TCM", "S2S_POOL_FLASH"}
"""A file that the reader writes, and macros that have the names of the reader's pools."""


@cache
def sources() -> str:
    """The text of compiler, runtime, templates and tests."""
    folders = ("runtime_c", "templates", "s2s", "tests")
    files = (
        file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in (".c", ".h", ".py", ".j2")
    )
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file != Path(__file__))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_that_a_page_names_are_there(page: Path):
    named = set(FILE.findall(page.read_text(encoding="utf-8"))) - MADE_UP
    assert [file for file in sorted(named) if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_benchmarks_that_a_page_names_are_there_and_have_its_options(page: Path):
    for module, arguments in BENCHMARK.findall(page.read_text(encoding="utf-8")):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module
        text = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "benchmarks").rglob("*.py"))
        assert [option for option in re.findall(r"--[\w-]+", arguments) if f'"{option}"' not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_of_the_runtime_in_a_page_are_there(page: Path):
    named = set(OF_C.findall(page.read_text(encoding="utf-8"))) - MADE_UP
    assert [name for name in sorted(named) if name not in sources()] == []
