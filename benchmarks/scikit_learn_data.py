"""What the models of `benchmarks.scikit_learn` learn from: random rows, always the same."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from s2s.types.dtypes import Array

FEATURES = 6
TRAINED = 150
TESTED = 50


class Data(NamedTuple):
    """What a model learns from, and the rows on which it is tested."""

    x: Array
    y: Array | None
    rows: Array


class Case(NamedTuple):
    """An estimator, by its class, and the kinds of its features and targets."""

    name: str
    make: Callable[[], Any]
    targets: str = ""
    features: str = "normal"
    fit: Mapping[str, Any] = MappingProxyType({})
    """Further arguments of `fit`."""
    package: str = "sklearn"
    """The package of the estimator, which says who converts it."""

    @property
    def estimator(self) -> str:
        """The name of the class."""
        return self.name.partition(",")[0]


def data(case: Case) -> Data:
    """Random rows of the kinds that `case` wants, always the same."""
    random = np.random.default_rng(0)
    x = random.normal(size=(TRAINED + TESTED, FEATURES)).astype(np.float32)
    score = x[:, 0] + 0.5 * x[:, 1] * x[:, 2] - 0.7 * np.abs(x[:, 3])
    match case.features:
        case "positive":
            x = np.abs(x) + np.float32(0.1)
        case "counts" | "categories":
            x = np.floor(np.abs(x) * 1.5).clip(0, 3).astype(np.float32)
            x[:4] = np.arange(4, dtype=np.float32)[:, None]
        case "holes":
            x = np.where(random.random(x.shape) < 0.15, np.float32(np.nan), x)
        case "category":
            x[:, 0] = np.floor(np.abs(x[:, 0]) * 2).clip(0, 4)
        case "column":
            x = np.floor(np.abs(x[:, 0]) * 1.5).clip(0, 3).astype(np.int64)
        case "kernel":
            x = x[:TRAINED] @ x[:TRAINED].T
            return Data(x, None, x[:TESTED].copy())
        case _:
            pass
    return Data(x[:TRAINED], _targets(case.targets, score, x)[:TRAINED] if case.targets else None, x[TRAINED:].copy())


def _targets(kind: str, score: Array, x: Array) -> Array:
    match kind:
        case "number":
            return score.astype(np.float32)
        case "positive":
            return np.exp(score / 2).astype(np.float32)
        case "numbers":
            return np.stack([score, score * x[:, 0], -x[:, 1]], 1).astype(np.float32)
        case "labels":
            return np.stack([score > 0, x[:, 0] > x[:, 1], x[:, 2] > 0.5], 1).astype(np.int64)
        case "rank":
            return np.digitize(score, [-1, 0, 1])
        case "text":
            return np.array(["low", "mid", "high"])[_classes(score, 3)]
        case "two" | "three":
            return _classes(score, 2 if kind == "two" else 3)
        case "two texts":
            return np.array(["no", "yes"])[_classes(score, 2)]
        case _:
            return _classes(score, int(kind)) * 2 + 3


def _classes(score: Array, count: int) -> Array:
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, count + 1)[1:-1]))
