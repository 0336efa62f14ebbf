"""The map shows the rooms and the imports that there are."""

import re

from support.architecture import PAGE, diagram, edges, rooms_without_a_place
from support.project import ROOT


def test_every_room_is_in_the_diagram() -> None:
    assert rooms_without_a_place() == set()


def test_the_diagram_is_drawn_from_the_imports() -> None:
    assert diagram() in PAGE.read_text(), "PYTHONPATH=.:tests python -m support.architecture"


def test_no_two_groups_import_each_other() -> None:
    assert [(first, second) for first, second in edges() if (second, first) in edges()] == []


def test_the_places_that_the_map_names_exist() -> None:
    named = re.findall(r"`((?:s2s|dialects|templates|runtime_c|tests|docs)/[\w/.]*)`", PAGE.read_text())
    assert len(named) > 30
    assert [place for place in named if not (ROOT / place).exists()] == []
