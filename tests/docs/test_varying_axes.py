"""What `docs/varying_axes.json` says of axes is what compiling and running shows."""

import json
import re
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.varying_axes import RUNS, Case, cases, outcome
from docs.varying_axes import FOUND, varying_axes_page
from support.project import ROOT

STORED: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
AXES = [(name, axis) for name, row in STORED.items() for axis in row["axes"]]


@lru_cache(maxsize=1)
def every_case() -> dict[str, Case]:
    return dict(cases())


def test_nothing_is_silently_wrong():
    outcomes = {said for row in STORED.values() for said in row["axes"].values()}
    assert all(re.fullmatch(rf"{RUNS}( by steps of \d+)?|refused: .*", said) for said in outcomes)


def test_refusals_name_a_way_out():
    refused = [said for row in STORED.values() for said in row["axes"].values()]
    refused = [said for said in refused if not said.startswith(RUNS)]
    assert [said for said in refused if "; " not in said] == []


@pytest.mark.sample(6)
@pytest.mark.parametrize(("operator", "axis"), AXES)
def test_axes_are_what_is_told(operator: str, axis: str):
    assert outcome(every_case()[operator], int(axis)) == STORED[operator]["axes"][axis]


def test_the_page_is_written_of_it():
    page = (ROOT / "docs" / "reference" / "sizes.md").read_text(encoding="utf-8")
    assert page == varying_axes_page()
