"""What `docs/scikit_learn.json` says of models of scikit-learn and others is what compiling and running shows."""

import importlib.util
import json
import re
from importlib import import_module
from typing import Any

import pytest

from docs.scikit_learn import AGREES, FOUND, scikit_learn_page
from support.project import ROOT

STORED: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
ROWS: dict[str, dict[str, Any]] = STORED["cases"]
ABSENT = [
    name for name in ("sklearn", "skl2onnx", "onnxmltools", "lightgbm", "xgboost") if not importlib.util.find_spec(name)
]
TAKE_TEXTS = {"CountVectorizer", "TfidfVectorizer", "FeatureHasher", "DictVectorizer"}
"""Estimators whose input is no array of numbers."""
PART_OF_OTHERS = {"_ConstantPredictor"}
needs_packages = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")


def require_versions() -> None:
    """Skip where converters of other versions are installed, which may write other models."""
    for name, version in STORED["versions"].items():
        if import_module(name).__version__ != version:
            pytest.skip(f"the table was made with {name} {version}")


def outcomes() -> list[str]:
    found = [each for row in ROWS.values() for each in row.values()]
    return [text for each in found for text in ([each] if isinstance(each, str) else each.values())]


def test_nothing_is_silently_wrong():
    said = rf"({AGREES}(; .*)?|refused: .*; .*|invalid: .*; .*|not converted: .*)"
    assert [each for each in outcomes() if not re.fullmatch(said, each)] == []


@needs_packages
def test_every_estimator_that_can_be_converted_is_tried():
    supported: Any = import_module("skl2onnx._supported_operators")
    names = {each.__name__ for each in supported.sklearn_operator_name_map}
    assert names - {name.partition(",")[0] for name in ROWS} == TAKE_TEXTS | PART_OF_OTHERS


@needs_packages
@pytest.mark.filterwarnings("ignore")
@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ROWS)
def test_models_are_what_is_told(name: str):
    require_versions()
    from benchmarks.scikit_learn import row_of
    from benchmarks.scikit_learn_cases import CASES

    assert row_of(CASES[name]) == ROWS[name]


def test_the_page_is_written_of_it():
    page = (ROOT / "docs" / "reference" / "scikit-learn.md").read_text(encoding="utf-8")
    assert page == scikit_learn_page()
