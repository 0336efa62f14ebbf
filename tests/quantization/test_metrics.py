"""Metrics are those of scikit-learn."""

from pathlib import Path

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.quantization.metrics import auc, average_precision, f1, metric, top1
from s2s.types.dtypes import Array


def drawn(classes: int) -> tuple[Array, Array]:
    random = np.random.default_rng(classes)
    labels = random.integers(0, classes, 200)
    scores = np.round(random.normal(size=(200, classes)) + 2 * np.eye(classes)[labels], 1)
    return scores, labels


@pytest.mark.parametrize("classes", [2, 5])
def test_metrics_are_those_of_scikit_learn(classes: int):
    metrics = pytest.importorskip("sklearn.metrics")
    scores, labels = drawn(classes)
    found = scores.argmax(axis=1)
    assert top1(scores, labels) == pytest.approx(metrics.accuracy_score(labels, found))
    assert f1(scores, labels) == pytest.approx(metrics.f1_score(labels, found, average="macro"))
    if classes == 2:
        area = metrics.roc_auc_score(labels, scores[:, 1] - scores[:, 0])
    else:
        area = np.mean([metrics.roc_auc_score(labels == each, scores[:, each]) for each in range(classes)])
    assert auc(scores, labels) == pytest.approx(area)


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_average_precision_is_the_one_of_scikit_learn(classes: int):
    metrics = pytest.importorskip("sklearn.metrics")
    scores, labels = drawn(max(classes, 2))
    if classes < 3:
        scores = scores[:, 1:] if classes == 1 else scores
        wanted = metrics.average_precision_score(labels, scores[:, -1] - (scores[:, 0] if classes == 2 else 0))
    else:
        wanted = np.mean([metrics.average_precision_score(labels == each, scores[:, each]) for each in range(classes)])
    assert average_precision(scores, labels) == pytest.approx(wanted)


def test_one_score_is_the_probability_of_the_second_class():
    metrics = pytest.importorskip("sklearn.metrics")
    labels = np.array([0, 1, 1, 0, 1])
    scores = np.array([0.1, 0.4, 0.8, 0.4, 0.9])[:, None]
    assert auc(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores[:, 0]))


def test_functions_of_users(tmp_path: Path):
    (tmp_path / "m.py").write_text(
        "def ends(scores, labels): return (scores[:, -1] > 0).mean()\ndef fails(s, t): s.x\n"
    )
    scores, labels = drawn(3)
    assert metric(f"{tmp_path}/m.py:ends").of(scores, list(labels)) == (scores[:, -1] > 0).mean()
    with pytest.raises(InputError, match=r"--metric .*fails: fails with AttributeError"):
        metric(f"{tmp_path}/m.py:fails").of(scores, list(labels))


def test_unknown_metrics_are_refused():
    with pytest.raises(InputError, match="--metric recall: is no metric; give one of accuracy, f1, auc, map"):
        metric("recall")
    with pytest.raises(InputError, match="--metric auc: is nan on these samples; give samples of several classes"):
        metric("auc").of(np.zeros((3, 2)), [1, 1, 1])
