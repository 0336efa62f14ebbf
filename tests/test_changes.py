"""Fragments of the changelog: their names, their words, and that a release can collect them."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.project import ROOT

FOLDER = ROOT / "changes"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["towncrier"]
FRAGMENTS = sorted(path for path in FOLDER.iterdir() if path.name not in SETTINGS["ignore"])


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_has_a_kind_and_a_sentence(fragment: Path) -> None:
    kinds = "|".join(kind["directory"] for kind in SETTINGS["type"])
    assert re.fullmatch(rf"[a-z0-9.-]+\.({kinds})\.md", fragment.name), (
        f"name it NAME.KIND.md, with KIND one of {kinds}"
    )
    text = fragment.read_text().strip()
    assert text.endswith((".", ")", ":", "`")), "a fragment is one or two sentences"
    assert not text.startswith(("-", "*", "#")), "the changelog sets the bullet"


def test_a_release_can_collect_them() -> None:
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9", "--date", "2026-01-01"]
    draft = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "## 9.9.9 (2026-01-01)" in draft
    for fragment in FRAGMENTS:
        assert fragment.read_text().split("\n")[0].strip() in draft
