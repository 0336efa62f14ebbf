"""Intervals of the elements of channels, and their simplest cases."""

from typing import NamedTuple

import numpy as np
from xdsl.ir import Attribute, SSAValue

from s2s.types.dtypes import Array, as_tensor_type, is_bool, is_float, to_numpy


class Interval(NamedTuple):
    """The least and the largest element of each channel, in the type of the tensor: two arrays of one element for each
    channel, or of one for all. The ends are infinite for floats without bounds."""

    low: Array
    high: Array

    @property
    def constant(self) -> Array:
        """Whether each channel is one finite number."""
        same = self.low == self.high
        return same & np.isfinite(self.low) if self.low.dtype.kind == "f" else same


def everything(element: Attribute, channels: int) -> Interval:
    """All numbers of an element type, for each of `channels`."""
    dtype = to_numpy(element)
    if is_bool(element):
        ends: tuple[object, object] = False, True
    elif is_float(element):
        ends = -np.inf, np.inf
    else:
        info = np.iinfo(dtype)
        ends = info.min, info.max
    return Interval(*(np.full(channels, end, dtype) for end in ends))


def whole(value: SSAValue) -> Interval:
    """All numbers of the type of `value`, one interval for all channels."""
    return everything(as_tensor_type(value.type).element_type, 1)


def hull(x: Interval, value: object) -> Interval:
    """The intervals that hold `x` and one number more."""
    number = np.asarray(value).astype(x.low.dtype)
    return Interval(np.minimum(x.low, number), np.maximum(x.high, number))
