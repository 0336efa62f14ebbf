"""What `docs/tflite_support.json` says is what the cases of operators show."""

import json
from typing import Any

import pytest

from benchmarks.tflite_operators import rows, support
from docs.tflite_support import FOUND, options_of, tflite_page
from s2s.frontends.tflite.table import IMPORTERS
from support.project import ROOT

STORED: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
EVERY = sorted(rows(), key=lambda row: (row.builtin, row.kind))
SAMPLE = ("ADD", "CONV_2D", "FULLY_CONNECTED", "GATHER", "MAX_POOL_2D", "STRIDED_SLICE", "TRANSPOSE_CONV")


def test_every_operator_and_type_is_told():
    assert {(name, kind) for name, entry in STORED.items() for kind in entry["types"]} == {
        (row.builtin, row.kind) for row in EVERY
    }


def test_every_case_agrees():
    wrong = {name for name, entry in STORED.items() for passed, cases in entry["types"].values() if passed < cases}
    assert not wrong


def test_options_are_those_of_the_schema():
    for name, entry in STORED.items():
        assert set(entry["read"]) <= set(options_of(name)), name


@pytest.mark.parametrize("name", SAMPLE)
def test_options_that_are_read_are_told(name: str):
    chosen = [row for row in EVERY if row.builtin == name]
    found = support(chosen, range(3))[name]
    assert set(found["read"]) <= set(STORED[name]["read"])
    assert all(passed == cases for passed, cases in found["types"].values())


def test_the_page_is_written_of_it():
    page = (ROOT / "docs" / "reference" / "tflite.md").read_text(encoding="utf-8")
    assert page == tflite_page()
    assert all(f"| `{name}` | supported |" in page for name in IMPORTERS if name in STORED)
