"""How many samples a classifier of floats and its quantised form put into the right class."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2s.data.specs import Samples
from s2s.errors import InputError
from s2s.quantization.metrics import METRICS, Metric, classes
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_QUANTILE = 1.96
"""Of the normal distribution, for intervals that hold in 95 of 100 cases."""
_SHOWN = 3


class Confusion(NamedTuple):
    """Samples of one class that were taken for another one."""

    label: str
    taken_for: str
    samples: int


class WrongSample(NamedTuple):
    """A sample that the quantised network puts into a wrong class."""

    name: str
    label: str
    taken_for: str
    margin: float
    """The score of the wrong class less the score of the right one."""


@frozen
class Single:
    """How one network classifies samples of known classes."""

    samples: int
    right: int
    confusions: tuple[Confusion, ...]
    """What it takes for something else, most frequent first."""
    worst: tuple[WrongSample, ...]
    """Samples in a wrong class, the largest margin first."""
    metrics: Mapping[str, float]

    @classmethod
    def of(cls, samples: Samples, scores: Array, extra: Metric | None = None) -> "Single":
        """Judge scores `[samples, classes]`; `extra` is a metric beside the usual ones."""
        assert samples.labels is not None
        expected, answers = np.asarray(samples.labels), classes(scores)
        usual = [Metric(name, function) for name, function in METRICS.items() if _is_defined(name, expected, scores)]
        chosen = usual if extra is None or extra in usual else [*usual, extra]
        counted = Counter((int(a), int(b)) for a, b in zip(expected, answers, strict=True) if a != b)
        pairs = sorted(counted.items(), key=lambda item: -item[1])
        return cls(
            len(expected),
            int((answers == expected).sum()),
            tuple(Confusion(samples.title(label), samples.title(other), count) for (label, other), count in pairs),
            tuple(_wrong(samples, scores, answers)),
            {metric.name: metric.of(scores, samples.labels) for metric in chosen},
        )

    def describe(self) -> Iterator[str]:
        """Yield lines for readers."""
        low, high = interval(self.right, self.samples)
        yield f"classified rightly: {self.right / self.samples:.1%} of {self.samples} samples"
        yield f"95 % confidence interval: {low:.1%} to {high:.1%}"
        for name, value in self.metrics.items():
            if name != "accuracy":
                yield f"{name}: {value:.4f}"
        yield from self.mistakes()

    def mistakes(self) -> Iterator[str]:
        """Yield lines about what was classified wrongly."""
        for label, other, samples in self.confusions[:_SHOWN]:
            yield f"class {label} taken for {other}: {samples}"
        for wrong in self.worst[:_SHOWN]:
            yield f"worst: sample {wrong.name}, class {wrong.label} taken for {wrong.taken_for} by {wrong.margin:.3g}"

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        return {
            "samples": self.samples,
            "right": self.right,
            "interval": interval(self.right, self.samples),
            "metrics": dict(self.metrics),
            "confusions": [confusion._asdict() for confusion in self.confusions],
            "worst": [wrong._asdict() for wrong in self.worst],
        }


@frozen
class Accuracy:
    """How the networks before and after quantisation classify samples of known classes."""

    real: Single
    quantised: Single
    changed: tuple[str, ...]
    """The samples that both put into different classes: their files, or their numbers."""

    @property
    def samples(self) -> int:
        """How many there are."""
        return self.real.samples

    @property
    def floats(self) -> int:
        """Rightly classified by the network of floats."""
        return self.real.right

    @property
    def integers(self) -> int:
        """Rightly classified by the quantised one."""
        return self.quantised.right

    def describe(self) -> Iterator[str]:
        """Yield lines for readers."""
        shares = [f"{right / self.samples:.1%}" for right in (self.floats, self.integers)]
        low, high = interval(self.integers, self.samples)
        yield f"classified rightly: {shares[0]} in floats, {shares[1]} quantised, of {self.samples} samples"
        yield f"95 % confidence interval of the quantised: {low:.1%} to {high:.1%}"
        for name, value in self.quantised.metrics.items():
            if name != "accuracy":
                yield f"{name}: {self.real.metrics[name]:.4f} in floats, {value:.4f} quantised"
        if self.changed:
            yield f"classified differently when quantised: {len(self.changed)} ({_listed(self.changed)})"
        yield from self.quantised.mistakes()

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        mean = {name: (self.real.metrics[name], value) for name, value in self.quantised.metrics.items()}
        return {
            **self.quantised.as_dict(),
            "floats": self.floats,
            "integers": self.integers,
            "metrics": {name: {"floats": pair[0], "quantised": pair[1]} for name, pair in mean.items()},
            "changed": list(self.changed),
        }


def interval(right: int, count: int) -> tuple[float, float]:
    """Return the least and the greatest share of right answers that `right` of `count` leave probable (Wilson)."""
    share, square = right / count, _QUANTILE**2 / count
    middle = share + square / 2
    width = _QUANTILE * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(0.0, (middle - width) / (1 + square)), min(1.0, (middle + width) / (1 + square))


def accuracy(
    samples: Samples, floats: Iterable[Array], integers: Iterable[Array], extra: Metric | None = None
) -> Accuracy:
    """Compare the classes of samples with the largest elements of both networks' scores, given for each sample; `extra`
    is a metric beside the usual ones."""
    scores = [stacked(outputs) for outputs in (floats, integers)]
    real, quantised = (Single.of(samples, rows, extra) for rows in scores)
    changed = np.flatnonzero(classes(scores[0]) != classes(scores[1]))
    return Accuracy(real, quantised, tuple(samples.named(int(number)) for number in changed))


def stacked(scores: Iterable[Array]) -> Array:
    """Return the scores of all samples as `[samples, classes]`."""
    return np.stack([row.reshape(-1).astype(np.float64) for row in scores])


def require_labels(samples: Samples, option: str) -> Sequence[int]:
    """Return the classes of samples, which `option` needs."""
    if samples.labels is None:
        raise InputError(f"{option}: needs the classes of the samples; name their array or column with --labels")
    return samples.labels


def _is_defined(name: str, labels: Array, scores: Array) -> bool:
    """Whether labels allow a metric: scores order samples only if there are samples of several known classes."""
    if name not in ("auc", "map"):
        return True
    has_score = labels < max(scores.shape[1], 2)
    return bool(has_score.all()) and len(np.unique(labels)) > 1


def _wrong(samples: Samples, scores: Array, answers: Array) -> Iterator[WrongSample]:
    """Yield the samples in wrong classes, the clearest mistakes first."""
    assert samples.labels is not None
    width = scores.shape[1]
    margins = {
        number: float(scores[number, answers[number]] - scores[number, label]) if label < width > 1 else 1.0
        for number, label in enumerate(samples.labels)
        if answers[number] != label
    }
    for number, margin in sorted(margins.items(), key=lambda item: -item[1]):
        yield WrongSample(
            samples.named(number), samples.title(samples.labels[number]), samples.title(int(answers[number])), margin
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown}, …" if len(names) > _SHOWN else shown
