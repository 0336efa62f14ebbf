"""Numpy meanings of pooling: one pass over the image for each kernel position."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.conv import as_stored, channels_first, pad_spatial
from s2s.interpret.graph.precision import Meaning, is_float_array, widen
from s2s.types.dtypes import Array
from s2s.types.shapes.window import Layout, Window


def _taps(padded: Array, window: Window, out_spatial: tuple[int, ...]) -> Iterator[Array]:
    """Yield for each kernel position the elements that it covers, in the shape of the output."""
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
    window, wide = op.window(), channels_first(widen(x), op.data_layout)
    y = np.full(_result_shape(wide, window), _least(x), wide.dtype)
    for elements in _taps(pad_spatial(wide, window, _least(x)), window, y.shape[2:]):
        y = np.maximum(y, elements)
    return as_stored(y.astype(x.dtype, copy=False), op.data_layout)


def _result_shape(x: Array, window: Window) -> tuple[int, ...]:
    return (*x.shape[:2], *window.output(x.shape[2:]))


def _avg_pool(op: graph.AvgPoolOp, x: Array) -> Array:
    return _mean(x, op.window(), op.data_layout, op.counted_pads.get_values())


def _same_avg_pool(op: graph.SameAvgPoolOp, x: Array) -> Array:
    window = op.window()
    return _mean(x, window, op.data_layout, [0] * len(window.pads))


def _mean(x: Array, window: Window, layout: Layout, inner: Sequence[int]) -> Array:
    """Return the means of windows; of padding counts what `inner` says."""
    wide = channels_first(widen(x), layout)
    wide = wide if is_float_array(wide) else wide.astype(np.int64)
    shape = _result_shape(wide, window)
    total = np.zeros(shape, wide.dtype)
    for elements in _taps(pad_spatial(wide, window, 0), window, shape[2:]):
        total = total + elements
    counted = np.ones(wide.shape[2:], np.int64)
    counted = np.pad(counted, list(zip(inner[: window.rank], inner[window.rank :], strict=True)), constant_values=1)
    rest = [outer - pad for outer, pad in zip(window.pads, inner, strict=True)]
    counted = np.pad(counted, list(zip(rest[: window.rank], rest[window.rank :], strict=True)))
    divisor = sum(_taps(counted, window, shape[2:]), np.zeros(shape[2:], np.int64))
    mean = total / divisor.astype(wide.dtype) if is_float_array(x) else _rounded_quotient(total, divisor)
    return as_stored(mean.astype(x.dtype), layout)


def _rounded_quotient(total: Array, divisor: Array) -> Array:
    """Return `total / divisor`, halves away from zero."""
    return np.sign(total) * ((np.abs(total) + divisor // 2) // divisor)


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
    graph.SameAvgPoolOp: _same_avg_pool,
}
