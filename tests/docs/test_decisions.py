"""The page about decisions lists every kind, in the order in which a compilation comes to them."""

import re

from s2s.decisions.names import KINDS
from support.project import ROOT

PAGE = (ROOT / "docs" / "how-to" / "decisions.md").read_text(encoding="utf-8")


def test_every_kind_of_decision_is_in_the_table():
    _, _, table = PAGE.partition("| kind | what it settles |")
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n\n")[0], re.MULTILINE)
    assert [kind for row in rows for kind in re.findall(r"`([^`]+)`", row)] == list(KINDS)
