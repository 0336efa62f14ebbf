"""Numpy meanings of the poolings: one pass over the image for each position of the kernel."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.dtypes import Array
from s2s.analysis.shapes.window import Window
from s2s.dialects import graph
from s2s.interpret.graph.conv import pad_spatial
from s2s.interpret.graph.precision import Meaning, is_float_array, widen


def _taps(padded: Array, window: Window, out_spatial: tuple[int, ...]) -> Iterator[Array]:
    """For each kernel position the elements that lie under it, in the shape of the output."""
    for tap in product(*map(range, window.kernel)):
        yield padded[
            (
                ...,
                *(
                    slice(position * dilation, position * dilation + (size - 1) * stride + 1, stride)
                    for position, dilation, size, stride in zip(
                        tap, window.dilations, out_spatial, window.strides, strict=True
                    )
                ),
            )
        ]


def _least(x: Array) -> object:
    return -np.inf if is_float_array(x) else np.iinfo(x.dtype).min


def _max_pool(op: graph.MaxPoolOp, x: Array) -> Array:
    window, wide = op.window(), widen(x)
    y = np.full(op.y.type.get_shape(), _least(x), wide.dtype)
    for elements in _taps(pad_spatial(wide, window, _least(x)), window, y.shape[2:]):
        y = np.maximum(y, elements)
    return y.astype(x.dtype, copy=False)


def _avg_pool(op: graph.AvgPoolOp, x: Array) -> Array:
    window, wide = op.window(), widen(x)
    shape = op.y.type.get_shape()
    total = np.zeros(shape, wide.dtype)
    for elements in _taps(pad_spatial(wide, window, 0), window, shape[2:]):
        total = total + elements
    counted = np.ones(x.shape[2:], np.int64)
    inner = op.counted_pads.get_values()
    counted = np.pad(counted, list(zip(inner[: window.rank], inner[window.rank :], strict=True)), constant_values=1)
    rest = [outer - pad for outer, pad in zip(window.pads, inner, strict=True)]
    counted = np.pad(counted, list(zip(rest[: window.rank], rest[window.rank :], strict=True)))
    divisor = sum(_taps(counted, window, shape[2:]), np.zeros(shape[2:], np.int64))
    if is_float_array(x):
        return (total / divisor.astype(wide.dtype)).astype(x.dtype)
    return np.trunc(total / divisor).astype(x.dtype)


def _max_pool_indices(op: graph.MaxPoolIndicesOp, x: Array) -> Array:
    window, wide = op.window(), widen(x)
    order = "F" if op.storage_order.value.data else "C"
    plane = np.arange(np.prod(x.shape[2:], dtype=np.int64)).reshape(x.shape[2:], order=order)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * window.rank) * plane.size
    positions = pad_spatial(planes + plane, window, -1)
    shape = op.y.type.get_shape()
    best, where = np.full(shape, _least(x), wide.dtype), np.full(shape, -1, np.int64)
    values = _taps(pad_spatial(wide, window, _least(x)), window, shape[2:])
    for elements, places in zip(values, _taps(positions, window, shape[2:]), strict=True):
        better = (elements > best) | (np.isnan(elements) & ~np.isnan(best)) | (where < 0)
        better &= places >= 0
        best, where = np.where(better, elements, best), np.where(better, places, where)
    return where


MEANINGS: dict[type[Operation], Meaning] = {
    graph.MaxPoolOp: _max_pool,
    graph.AvgPoolOp: _avg_pool,
    graph.MaxPoolIndicesOp: _max_pool_indices,
}
