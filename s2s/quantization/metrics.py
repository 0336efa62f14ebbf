"""Metrics of classifiers: the share of right answers, F1, the area under the curve, the mean average precision, and
functions of users."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

Function = Callable[[Array, Array], float]
"""Takes scores `[samples, classes]` and labels `[samples]`; more is better."""


@frozen
class Metric:
    """A number that says how good scores are, by name."""

    name: str
    function: Function

    def of(self, scores: Array, labels: Sequence[int]) -> float:
        """Return the metric of the scores of samples whose classes are `labels`."""
        try:
            value = float(self.function(scores, np.asarray(labels)))
        except Exception as error:
            raise InputError(
                f"--metric {self.name}: fails with {type(error).__name__} ({error}); "
                "take scores [samples, classes] and labels [samples], and return a number"
            ) from error
        if not np.isfinite(value):
            raise InputError(f"--metric {self.name}: is {value} on these samples; give samples of several classes")
        return value


def top1(scores: Array, labels: Array) -> float:
    """Return the share of samples whose largest score is the one of their class."""
    return float((classes(scores) == labels).mean())


def f1(scores: Array, labels: Array) -> float:
    """Return the mean over classes of `2 right / (taken for it + of it)`; classes that neither labels nor answers have
    do not count."""
    answers = classes(scores)
    values: list[float] = []
    for label in np.union1d(labels, answers):
        right = ((answers == label) & (labels == label)).sum()
        values.append(float(2 * right / ((answers == label).sum() + (labels == label).sum())))
    return float(np.mean(values))


def auc(scores: Array, labels: Array) -> float:
    """Return the probability that a sample of a class has a higher score for it than one of another class, the mean
    over the classes that have samples. Equal scores count half."""
    return _mean_over_classes(_area, scores, labels)


def average_precision(scores: Array, labels: Array) -> float:
    """Return the mean average precision (mAP): for each class, the precision among the samples with the highest scores
    for it, averaged over every count of them that takes in another sample of the class; the mean over the classes that
    have samples. Equal scores come in together."""
    return _mean_over_classes(_precision, scores, labels)


def _mean_over_classes(of_class: Function, scores: Array, labels: Array) -> float:
    """The mean over classes of a function of the scores for one and whether samples are of it; of two classes, the
    second counts alone."""
    scores = scores.reshape(len(labels), -1)
    if scores.shape[1] == 1:
        return of_class(scores[:, 0], labels == 1)
    if scores.shape[1] == 2:
        return of_class(scores[:, 1] - scores[:, 0], labels == 1)
    present = [label for label in np.unique(labels) if label < scores.shape[1]]
    return float(np.mean([of_class(scores[:, label], labels == label) for label in present]))


def _precision(scores: Array, chosen: Array) -> float:
    """The mean over chosen samples of the part of the samples with at least its score that are chosen."""
    _, places = np.unique(-scores, return_inverse=True)
    taken, right = np.cumsum(np.bincount(places)), np.cumsum(np.bincount(places, chosen))
    return float((right / taken)[places][chosen].mean()) if chosen.any() else float("nan")


def _area(scores: Array, chosen: Array) -> float:
    """The probability that a chosen sample has a higher score than another one, from the mean of its rank."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    yes, no = int(chosen.sum()), int((~chosen).sum())
    return float((ranks[chosen].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else float("nan")


def classes(scores: Array) -> Array:
    """Return the class of each sample: the place of the largest score, or whether a single one is above a half."""
    flat = scores.reshape(len(scores), -1)
    return flat.argmax(axis=1) if flat.shape[1] > 1 else (flat[:, 0] > 0.5).astype(np.int64)


METRICS: dict[str, Function] = {"accuracy": top1, "f1": f1, "auc": auc, "map": average_precision}


def metric(text: str) -> Metric:
    """Return the metric of a name, or of `FILE.py:FUNCTION`."""
    if text in METRICS:
        return Metric(text, METRICS[text])
    file, colon, name = text.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise InputError(f"--metric {text}: is no metric; give one of {', '.join(METRICS)}, or FILE.py:FUNCTION")
    from s2s.data.functions import function_of

    return Metric(text, function_of(Path(file), name))
