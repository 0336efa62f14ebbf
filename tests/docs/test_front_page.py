"""README is short, and its table and picture show the figures that were measured."""

import json
import re

import pytest

from benchmarks.front_page import DOCS, FIGURES, HOST, INKS, PAGE, host_ratios, table
from support.project import ROOT

README = (ROOT / "README.md").read_text()


def test_readme_is_short() -> None:
    assert len(README.splitlines()) < 120
    links = {link for link in re.findall(r"\]\((\S+)\)", README) if not link.startswith("#")}
    assert len(links) <= 10


def test_readme_has_the_table_of_the_figures() -> None:
    assert table(json.loads(FIGURES.read_text())) in README, "python -m benchmarks.front_page --drawn prints it"


@pytest.mark.parametrize("ink", INKS)
def test_the_picture_shows_the_figures(ink: str) -> None:
    picture = (DOCS / f"front_page_{ink}.svg").read_text()
    ratios = host_ratios(PAGE.read_text())
    assert ratios.keys() == set(HOST)
    rows = json.loads(FIGURES.read_text()).values()
    shown = [ratio for ratio, _ in ratios.values()] + [row["ram"] / row["tflm_arena"] for row in rows]
    shown += [row["instructions"] / row["cmsis_nn_instructions"] for row in rows]
    assert all(f">{ratio:.2f}<" in picture for ratio in shown), "python -m benchmarks.front_page --drawn"
