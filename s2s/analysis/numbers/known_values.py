"""Find values that are known at compile time, and do arithmetic on them without expanding splats.

A splat is an array of equal elements stored once (a numpy broadcast, all strides zero). Some networks come with
hundreds of megabytes of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.types.dtypes import Array, from_dense
from s2s.types.weights import WeightStore

SPLAT_SEARCH = 4096
"""Dense arrays with at most this many elements are searched for a common value."""


def is_known(value: SSAValue) -> bool:
    """Return whether `value` is a weight or a constant."""
    return isinstance(value.owner, graph.ConstantInterface)


def known_value(value: SSAValue, weights: WeightStore) -> Array | None:
    """Return the constant array that `value` is; None if it is not known."""
    match value.owner:
        case graph.WeightOp(weight_name=name):
            return weights.get(name.data)
        case graph.ConstantOp(value=dense):
            return from_dense(dense)
        case _:
            return None


def known_values(values: Sequence[SSAValue], weights: WeightStore) -> list[Array] | None:
    """Return the constant arrays of all `values`; None if one is not known."""
    found = [known_value(value, weights) for value in values]
    return None if any(array is None for array in found) else [array for array in found if array is not None]


def is_splat(array: Array) -> bool:
    """Return whether `array` is one element, stored once."""
    return array.size > 0 and not any(
        stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1
    )


def splat_value(value: SSAValue, weights: WeightStore) -> int | float | None:
    """Return the number that every element of the known `value` equals; None if they differ."""
    array = known_value(value, weights)
    if array is None or array.size == 0:
        return None
    first = array.reshape(-1)[:1]
    if not is_splat(array) and (array.size > SPLAT_SEARCH or not np.all(array == first)):
        return None
    return int(first[0]) if array.dtype.kind in "biu" else float(first[0])


def map_lazily(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply `function` to `arrays`, elementwise after broadcasting; compute one element if all arrays are splats."""
    if not all(map(is_splat, arrays)):
        return function(*arrays)
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    result = function(*(array.reshape(-1)[:1].reshape(()) for array in arrays))
    return np.broadcast_to(np.asarray(result), shape)


def round_to(array: Array, dtype: np.dtype[Any]) -> Array:
    """Convert `array` to `dtype`; keep a splat a splat."""

    def rounded(x: Array) -> Array:
        return np.asarray(x).astype(dtype)

    return map_lazily(rounded, array)


def widened(array: Array) -> Array:
    """Convert `array` to f64, for arithmetic that rounds once at its end; keep a splat a splat."""
    return round_to(array, np.dtype(np.float64))


def is_finite(*arrays: Array) -> bool:
    """Return whether no element is infinite or NaN."""
    return all(bool(np.isfinite(array.reshape(-1)[:1] if is_splat(array) else array).all()) for array in arrays)


def per_channel(array: Array, rank: int, axis: int, channels: int) -> Array | None:
    """Return one value for each channel, `[channels]`, if `array` broadcasts to a tensor of `rank` along `axis` alone;
    else None."""
    if array.ndim > rank:
        return None
    shape = (1,) * (rank - array.ndim) + array.shape
    if any(size != 1 for at, size in enumerate(shape) if at != axis) or shape[axis] not in (1, channels):
        return None
    return np.broadcast_to(array.reshape(shape[axis]), (channels,))
