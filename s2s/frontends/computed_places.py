"""Read a tensor at places along one axis that are computed in the run, since they follow from sizes that vary.

x[0, 0, :] of N elements, resized to M by places (i + 0.5) * N / M - 0.5:
sizes = graph.size_values [N, M]    at = (0, 1, …) * …    y = x[floor(at)] * (1 - w) + x[floor(at) + 1] * w
"""

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, maximum, minimum, pad, reshape
from s2s.types.size import proves


def floor_of(x: Value) -> Value:
    """Return the largest whole number that is not above `x`."""
    return emit(graph.FloorOp, x)


def within(at: Value, last: Value) -> Value:
    """Return the places `at`, or the nearest one from 0 to `last`."""
    return maximum(minimum(at, last), 0)


def read(x: Value, axis: int, places: Value) -> Value:
    """Return the elements of `x` at `places` along `axis`."""
    return emit(graph.GatherOp, x, cast(places, np.dtype(np.int64)), axis=axis)


def read_nearest(x: Value, axis: int, at: Value) -> Value:
    """Return the elements of `x` along `axis` that are nearest to the places `at`; zeros in runs in which it has none.

    Where that may be, a zero stands in front: of [] the places [-1, 0, 1] read [0, 0, 0].
    """
    size = x.shape[axis]
    if not proves(size, ">", 0):
        front = [int(dim == axis) for dim in range(x.rank)]
        x, at, size = pad(x, front, [0] * x.rank), at + 1, size + 1
    return read(x, axis, within(at, x.builder.sizes(size - 1, at.dtype)))


def between(first: Value, second: Value, weight: Value, axis: int, one: int = 1) -> Value:
    """Return `first * one + (second - first) * weight`, the weight standing along `axis`."""
    column = reshape(cast(weight, first.dtype), [weight.shape[0] if dim == axis else 1 for dim in range(first.rank)])
    return (first * one if one != 1 else first) + (second - first) * column
