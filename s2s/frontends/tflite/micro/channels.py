"""The channels of compressed constants, which have a table of values each."""

from math import prod

import numpy as np

from s2s.frontends.tflite.records import TensorInfo
from s2s.types.dtypes import Array


def channels_of(y: TensorInfo) -> tuple[Array, int]:
    """Return the channel of each element, as scales tell them, along the first or the last dimension, and the number of
    channels; raise a `ValueError` for others."""
    count = 1 if y.quant is None else len(y.quant.scale)
    if count == 1 or y.quant is None:
        return np.zeros(prod(y.shape), np.int64), 1
    if y.quant.axis not in (0, len(y.shape) - 1) or y.shape[y.quant.axis] != count:
        raise ValueError("channels along an inner dimension")
    shape = [count if axis == y.quant.axis else 1 for axis in range(len(y.shape))]
    return np.broadcast_to(np.arange(count).reshape(shape), y.shape).reshape(-1), count
