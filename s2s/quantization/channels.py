"""What the channels of activations hold: the largest value and the mean of each, over all samples."""

from collections.abc import Iterable, Mapping

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


@frozen
class Channels:
    """Numbers by tensor, one for each channel."""

    largest: Mapping[str, Array]
    """The largest absolute values."""
    mean: Mapping[str, Array]


def observed(samples: Iterable[Mapping[str, Array]], spatial: Mapping[str, bool]) -> Channels:
    """Return what the channels of tensors hold, whose values are given for each sample. Channels are axis 1 of a tensor
    that is `spatial`, and the last axis of any other."""
    largest: dict[str, Array] = {}
    means: dict[str, list[Array]] = {name: [] for name in spatial}
    for values in samples:
        for name, is_spatial in spatial.items():
            value = _by_channel(values[name], 1 if is_spatial else -1)
            top = np.abs(value).max(axis=1, initial=0)
            largest[name] = np.maximum(largest[name], top) if name in largest else top
            means[name].append(value.mean(axis=1, dtype=np.float64))
    return Channels(largest, {name: np.mean(rows, axis=0) for name, rows in means.items()})


def _by_channel(value: Array, axis: int) -> Array:
    """The values as `[channels, all others]`."""
    moved = np.moveaxis(value, axis, 0)
    return moved.reshape(len(moved), -1)
