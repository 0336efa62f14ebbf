"""Numpy meanings of the convolutions: one matrix product per image over unfolded windows.

A convolution gathers all windows into columns (im2col) and multiplies; a transposed one multiplies and adds the
columns into the windows. Columns are made for some rows of the result at a time, so that they stay small.
"""

from itertools import product
from math import prod

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, widen
from s2s.interpret.graph.products import factors, matmul
from s2s.types.dtypes import Array, to_numpy
from s2s.types.shapes.window import CHANNELS_FIRST, Layout, Window, spatial_shape

MAX_COLUMNS = 2**26
"""Upper bound of the column elements that are made at a time, unless one row of results has more."""


def windows(x: Array, window: Window) -> Array:
    """Return a view `[…, out…, kernel…]` of all windows of a padded `x[…, spatial…]`."""
    axes = tuple(range(x.ndim - window.rank, x.ndim))
    every = np.lib.stride_tricks.sliding_window_view(x, tuple(window.extent), axis=axes)
    steps = [slice(None, None, stride) for stride in window.strides]
    taps = [slice(None, None, dilation) for dilation in window.dilations]
    return every[(..., *steps, *taps)]


def pad_spatial(x: Array, window: Window, value: object) -> Array:
    """Pad `x` with `value` as `window` says."""
    if not any(window.pads):
        return x
    spatial = list(zip(window.low, x.shape[-window.rank :], window.high, strict=True))
    padded = np.full((*x.shape[: -window.rank], *(low + size + high for low, size, high in spatial)), value, x.dtype)
    padded[(..., *(slice(low, low + size) for low, size, _ in spatial))] = x
    return padded


def channels_first(x: Array, layout: Layout) -> Array:
    """Return a view of `x` with its channels behind the batch."""
    return x if layout == CHANNELS_FIRST else np.moveaxis(x, -1, 1)


def as_stored(y: Array, layout: Layout) -> Array:
    """Return a view of the channels-first `y` in `layout`."""
    return y if layout == CHANNELS_FIRST else np.moveaxis(y, 1, -1)


def _conv(op: graph.ConvOp, x: Array, w: Array, b: Array | None = None) -> Array:
    window, groups = op.window(), op.groups.value.data
    image, weights = factors(op.accumulation, channels_first(x, op.data_layout), w)
    padded = pad_spatial(image, window, 0)
    taps = w.shape[1] * prod(window.kernel)
    weights = weights.reshape(groups, w.shape[0] // groups, taps)
    sizes = window.output(image.shape[2:])
    y = np.empty((x.shape[0], w.shape[0], *sizes), padded.dtype)
    columns_of_row = groups * taps * prod(sizes[1:])
    rows = max(1, MAX_COLUMNS // max(columns_of_row, 1))
    for image, out in zip(padded, y, strict=True):
        every = windows(image, window)
        for row in range(0, sizes[0], rows):
            some, part = every[:, row : row + rows], out[:, row : row + rows]
            columns = np.moveaxis(some, range(1, 1 + window.rank), range(-window.rank, 0))
            part[...] = matmul(weights, columns.reshape(groups, taps, -1)).reshape(part.shape)
    return as_stored(_add_bias(y, b).astype(to_numpy(op.y.type.element_type), copy=False), op.data_layout)


def _conv_transpose(op: graph.ConvTransposeOp, x: Array, w: Array, b: Array | None = None) -> Array:
    window, groups = op.window(), op.groups.value.data
    image, weights = factors(op.accumulation, channels_first(x, op.data_layout), w)
    batch, channels, *spatial = image.shape
    out_channels, out_spatial = w.shape[1] * groups, spatial_shape(op.y.type.get_shape(), op.data_layout)
    weights = weights.reshape(groups, channels // groups, -1)
    columns = matmul(np.swapaxes(weights, 1, 2), image.reshape(batch, groups, channels // groups, -1))
    columns = columns.reshape(batch, out_channels, *window.kernel, *spatial)
    sizes = [low + size + high for low, size, high in zip(window.low, out_spatial, window.high, strict=True)]
    full = np.zeros((batch, out_channels, *sizes), columns.dtype)
    for tap in product(*map(range, window.kernel)):
        places = tuple(
            slice(position * dilation, position * dilation + (size - 1) * stride + 1, stride)
            for position, dilation, size, stride in zip(tap, window.dilations, spatial, window.strides, strict=True)
        )
        full[(..., *places)] += columns[(slice(None), slice(None), *tap)]
    cut = tuple(slice(low, low + size) for low, size in zip(window.low, out_spatial, strict=True))
    y = _add_bias(full[(..., *cut)], b).astype(to_numpy(op.y.type.element_type), copy=False)
    return as_stored(y, op.data_layout)


def _add_bias(y: Array, b: Array | None) -> Array:
    return y if b is None else y + widen(b).reshape(-1, *[1] * (y.ndim - 2))


MEANINGS: dict[type[Operation], Meaning] = {
    graph.ConvOp: _conv,
    graph.ConvTransposeOp: _conv_transpose,
}
