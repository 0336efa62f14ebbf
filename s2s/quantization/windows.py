"""What the weights of a layer multiply, as rows: the windows of a convolution, or the vectors of a product."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from s2s.quantization.network import Layer
from s2s.types.dtypes import Array

ROWS = 256
"""Rows of a sample that are taken at most, evenly spread."""


def rows_of(layer: Layer, x: Array, weights_shape: Sequence[int]) -> Array:
    """Return rows `[groups, rows, inputs of a group x taps]` of a layer's input; their last axis is in the order of
    `weights[output]`, flattened."""
    if not layer.spatial:
        vectors = x.reshape(-1, x.shape[-1])
        return _spread(vectors, 0)[None]
    taps, window = weights_shape[2:], layer.window
    strides, dilations = ((*steps,) or (1,) * len(taps) for steps in (window.strides, window.dilations))
    spans = [(size - 1) * step + 1 for size, step in zip(taps, dilations, strict=True)]
    pads = [(0, 0), *window.pads(x.shape[2:], spans, strides)]
    every = tuple(slice(None, None, step) for step in (*strides, *dilations))
    parts: list[Array] = []
    for image in x:
        view = sliding_window_view(np.pad(image, pads), spans, axis=tuple(range(1, len(taps) + 1)))
        taken = view[(slice(None), *every)]  # channels, positions, taps
        channels = taken.reshape(layer.groups, len(image) // layer.groups, -1, int(np.prod(taps)))
        chosen = _spread(channels, 2).transpose(0, 2, 1, 3)
        parts.append(chosen.reshape(*chosen.shape[:2], -1))
    return np.concatenate(parts, axis=1)


def _spread(rows: Array, axis: int) -> Array:
    """Return at most `ROWS` entries of an axis, evenly spread."""
    count = rows.shape[axis]
    if count <= ROWS:
        return rows
    return np.take(rows, np.linspace(0, count - 1, ROWS).astype(np.int64), axis)


def second_moments(
    layers: Sequence[tuple[Layer, Sequence[int]]], samples: Iterable[Mapping[str, Array]]
) -> dict[str, Array]:
    """Return `mean(x x^T)` of the rows of each layer by its name, `[groups, n, n]`: half of the second derivative of a
    sum's squared error by its weights. Layers come with the shape of their weights; samples hold their inputs."""
    sums: dict[str, Array] = {}
    counts: dict[str, int] = {}
    for values in samples:
        for layer, shape in layers:
            rows = rows_of(layer, values[layer.input], shape).astype(np.float64)
            sums[layer.name] = sums.get(layer.name, 0.0) + rows.transpose(0, 2, 1) @ rows
            counts[layer.name] = counts.get(layer.name, 0) + rows.shape[1]
    return {name: total / counts[name] for name, total in sums.items()}
