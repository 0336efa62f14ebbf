"""The page of models of scikit-learn, LightGBM and XGBoost: what is converted, compiled, and agrees.

What is said was found by compiling and running: `benchmarks.scikit_learn --page docs` writes `docs/scikit_learn.json`.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.onnx_support import NOTICE

FOUND = Path(__file__).with_name("scikit_learn.json")
AGREES, INVALID = "agrees", "invalid"
KINDS = ("float32", "float64")
_INTRODUCTION = (
    "Every estimator that skl2onnx {skl2onnx} converts from numbers, of scikit-learn {sklearn}, and those of LightGBM "
    "{lightgbm} and XGBoost {xgboost} by onnxmltools {onnxmltools}, was fitted, converted, and compiled to C: in "
    "float32 for one row and for any number from 1 to 8 (`--dim N=1..8`), in float64 for five rows. Labels, "
    "probabilities, scores and transformed features of 50 rows were compared with the methods of the model itself and "
    "with onnxruntime {onnxruntime}. `models` counts the kinds that were tried: two and three classes, several "
    "targets, kernels, losses. *agrees*: with both, but for the rows that are named: some converters write something "
    "else than the model computes, or a result for which it has no method, and s2s gives what onnxruntime gives. "
    "*invalid*: the converter writes a model that contradicts ONNX, which onnxruntime refuses too; convert it from "
    "float32. *not converted*: by these versions. None is wrong.\n"
)
_ELSEWHERE = (
    "\nVectorisers of texts (`CountVectorizer`, `TfidfVectorizer`, `FeatureHasher`, `DictVectorizer`) take texts or "
    "dictionaries, which C of s2s does not: vectorise outside of the network. CatBoost writes ONNX itself, of "
    "`TreeEnsembleClassifier` and `TreeEnsembleRegressor` as others do; its package is too large to be tried here. "
    "Of XGBoost with several targets onnxmltools writes all trees for the first one.\n"
)


def scikit_learn_page() -> str:
    """Every estimator that was tried, and what became of it."""
    found: Mapping[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
    cases: Mapping[str, Mapping[str, Any]] = found["cases"]
    groups: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, row in cases.items():
        estimator, _, variant = name.partition(", ")
        groups.setdefault(estimator, {})[variant.replace(",", "")] = row
    lines = [
        NOTICE,
        "# Models of scikit-learn\n",
        _INTRODUCTION.format(**found["versions"]),
        "| estimator | models | float32 | float64 |",
        "|---|---|---|---|",
    ]
    for estimator in sorted(groups):
        variants = groups[estimator]
        cells = [_cell({name: _said(row[kind]) for name, row in variants.items()}) for kind in KINDS]
        lines.append(f"| `{estimator}` | {len(variants)} | {' | '.join(cells)} |")
    return "\n".join([*lines, _ELSEWHERE])


def _said(found: Mapping[str, str] | str) -> str:
    """The outcome of a precision: one for all sizes, or each."""
    if isinstance(found, str):
        return found.partition(". ")[0]
    if all(each.startswith(INVALID) for each in found.values()):
        return INVALID
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return "; ".join(f"{size} rows: {each}" for size, each in found.items())


def _cell(outcomes: Mapping[str, str]) -> str:
    """What most models say, then the others with their names."""
    if len(outcomes) == 1 or len(set(outcomes.values())) == 1:
        return _escaped(next(iter(outcomes.values())))
    common = Counter(outcomes.values()).most_common(1)[0][0]
    usual = AGREES if AGREES in outcomes.values() else common
    others: dict[str, list[str]] = {}
    for name, each in outcomes.items():
        if each != usual:
            others.setdefault(each, []).append(name or "by default")
    return _escaped("; ".join([usual, *(f"{', '.join(names)}: {each}" for each, names in others.items())]))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*").replace("<", "\\<")
