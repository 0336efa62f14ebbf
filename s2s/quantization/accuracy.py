"""How many samples a classifier of floats and its quantised form put into the right class."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2s.errors import InputError
from s2s.quantization.samples import InputSpec, Samples, SamplesSource, read_array, read_samples, without
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_QUANTILE = 1.96
"""Of the normal distribution, for intervals that hold in 95 of 100 cases."""
_SHOWN = 3


class Labelled(NamedTuple):
    """Samples of known classes."""

    samples: Samples
    labels: Sequence[int]


class Confusion(NamedTuple):
    """Samples of one class that were taken for another one."""

    label: int
    taken_for: int
    samples: int


@frozen
class Accuracy:
    """Counts over samples of known classes."""

    samples: int
    floats: int
    """Rightly classified by the network of floats."""
    integers: int
    """Rightly classified by the quantised one."""
    changed: tuple[int, ...]
    """The numbers of the samples that both put into different classes."""
    confusions: tuple[Confusion, ...]
    """What the quantised network takes for something else, most frequent first."""

    def describe(self) -> Iterator[str]:
        """Yield lines for readers."""
        shares = [f"{right / self.samples:.1%}" for right in (self.floats, self.integers)]
        low, high = interval(self.integers, self.samples)
        yield f"classified rightly: {shares[0]} in floats, {shares[1]} in 8 bits, of {self.samples} samples"
        yield f"95 % confidence interval of the 8 bits: {low:.1%} to {high:.1%}"
        if self.changed:
            yield f"classified differently in 8 bits: {len(self.changed)} ({_listed(self.changed)})"
        for label, other, samples in self.confusions[:_SHOWN]:
            yield f"class {label} taken for {other}: {samples}"

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        return {
            "samples": self.samples,
            "floats": self.floats,
            "integers": self.integers,
            "interval": interval(self.integers, self.samples),
            "changed": list(self.changed),
            "confusions": [confusion._asdict() for confusion in self.confusions],
        }


def interval(right: int, count: int) -> tuple[float, float]:
    """Return the least and the greatest share of right answers that `right` of `count` leave probable (Wilson)."""
    share, square = right / count, _QUANTILE**2 / count
    middle = share + square / 2
    width = _QUANTILE * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(0.0, (middle - width) / (1 + square)), min(1.0, (middle + width) / (1 + square))


def accuracy(labels: Sequence[int], floats: Iterable[Array], integers: Iterable[Array]) -> Accuracy:
    """Compare the classes of samples with the largest elements of both networks' scores."""
    expected = np.asarray(labels)
    real, quantised = (np.array([_class(sample) for sample in scores]) for scores in (floats, integers))
    wrong = Counter((int(a), int(b)) for a, b in zip(expected, quantised, strict=True) if a != b)
    confusions = tuple(Confusion(*pair, count) for pair, count in sorted(wrong.items(), key=lambda item: -item[1]))
    changed = tuple(int(number) for number in np.flatnonzero(real != quantised))
    return Accuracy(
        len(expected), int((real == expected).sum()), int((quantised == expected).sum()), changed, confusions
    )


def labelled(source: SamplesSource, name: str, inputs: Sequence[InputSpec]) -> Labelled:
    """Return the samples of a source whose classes are its array `name`."""
    samples = read_samples(without(source, name), inputs)
    return Labelled(samples, _checked(read_array(source, name), samples.count, f"labels {name!r}"))


def _checked(labels: Array, count: int, place: str) -> list[int]:
    """Return the class of each sample as a number from 0."""
    flat = labels.reshape(-1)
    if len(flat) != count or flat.dtype.kind not in "iu":
        fact = f"holds {labels.dtype}{list(labels.shape)}, and there are {count} samples"
        raise InputError(f"{place}: {fact}; give one whole number from 0 for each")
    if flat.min(initial=0) < 0:
        raise InputError(f"{place}: holds {flat.min()}; number the classes from 0")
    return [int(label) for label in flat]


def _class(scores: Array) -> int:
    """The class of a sample: the place of the largest score, or whether a single one is above a half."""
    return int(scores.reshape(-1).argmax()) if scores.size > 1 else int(scores.reshape(()) > 0.5)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return f"{shown}, …" if len(numbers) > _SHOWN else shown
