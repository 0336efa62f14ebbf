"""Compute the taps of Resize: for each output position along one axis, input positions and their weights.

Interpolation is separable, so an axis is resized alone. A position `x` between `base = ceil(x) - 1` and `base + 1` is
`ratio = x - base` away from the left one, `0 < ratio <= 1`, as in ONNX's reference.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from s2s.dialects import graph
from s2s.frontends.any_node import AnyNode
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import transpose
from s2s.support.frozen import frozen
from s2s.types.size import Size

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
    "tf_half_pixel_for_nn",
)


MAX_DIVISOR = 4096
"""The greatest denominator of a factor that sizes are multiplied by."""
MAX_TAPS = 4
"""Beyond that many, positions are read by a matrix product instead of one by one."""


@frozen
class Taps:
    """`y[i] = sum_k x[index[i, k]] * weight[i, k]`; where `outside`, another value takes its place."""

    index: Ints
    weight: Floats
    outside: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    def is_identity(self, size: int) -> bool:
        """Whether this reads an axis of `size` as it is."""
        if len(self.index) != size or self.outside.any():
            return False
        own = self.index == np.arange(size)[:, None]
        return bool((self.weight[~own] == 0).all() and (np.where(own, self.weight, 0).sum(1) == 1).all())

    def dense(self, size: int) -> Floats:
        """The weights as a matrix `[out, size]`."""
        matrix = np.zeros((len(self.index), size))
        np.add.at(matrix, (np.arange(len(self.index))[:, None], self.index), self.weight)
        return matrix


def scaled_size(size: Size, factor: float) -> int | None:
    """Return the largest whole number that is not above `size * factor` in doubles; None where that is no fraction of
    the size at all sizes: 29 % of 100 elements are 28 in doubles."""
    exact = Fraction(factor).limit_denominator(MAX_DIVISOR)
    sizes = np.arange(1, size.value + 1)
    if not np.array_equal(np.floor(sizes * factor), sizes * exact.numerator // exact.denominator):
        return None
    return size * exact.numerator // exact.denominator


def coordinates(mode: str, size: int, scale: float, count: int, roi: tuple[float, float]) -> Floats:
    """The input position of each of `count` output positions, `scale` being their ratio as the model states it."""
    position: Any = np.arange(count, dtype=np.float64)
    length = scale * size
    if mode == "align_corners":
        return np.zeros(count) if length == 1 else position * (size - 1) / (length - 1)
    if mode == "asymmetric":
        return position / scale
    if mode == "tf_crop_and_resize":
        start, end = roi
        if length == 1:
            return np.full(count, (end - start) * (size - 1) / 2 + start * (size - 1))
        return position * (end - start) * (size - 1) / (length - 1) + start * (size - 1)
    if mode == "tf_half_pixel_for_nn":
        return (position + 0.5) / scale
    if mode == "pytorch_half_pixel" and length == 1:
        return np.full(count, -0.5)
    shift = size / 2 * (1 - count / length) if mode == "half_pixel_symmetric" else 0.0
    return shift + (position + 0.5) / scale - 0.5


def nearest_taps(at: Floats, size: int, mode: str) -> Taps:
    """The nearest position; `mode` decides how to round."""
    rounded = {
        "round_prefer_floor": lambda: np.ceil(at - 0.5),
        "round_prefer_ceil": lambda: np.floor(at + 0.5),
        "floor": lambda: np.floor(at),
        "ceil": lambda: np.ceil(at),
    }[mode]()
    index = np.clip(rounded, 0, size - 1).astype(np.int64)[:, None]
    return Taps(index, np.ones(index.shape), (at < 0) | (at > size - 1))


def weighted_taps(at: Floats, size: int, kernel: Callable[[Floats], Floats], reach: int, exclude_outside: bool) -> Taps:
    """The positions up to `reach` away, weighted by distance; beyond the border they repeat it, or do not count."""
    base = np.ceil(at) - 1
    offsets = np.arange(1 - reach, 1 + reach)
    weight = kernel(offsets - (at - base)[:, None])
    index = base[:, None].astype(np.int64) + offsets
    if exclude_outside:
        weight = np.where((index < 0) | (index >= size), 0.0, weight)
        total = weight.sum(1, keepdims=True)
        weight = weight / np.where(total == 0, 1.0, total)
    return Taps(np.clip(index, 0, size - 1), weight, (at < 0) | (at > size - 1))


def linear_kernel(scale: float, antialias: bool) -> tuple[Callable[[Floats], Floats], int]:
    """A triangle, as wide as an output position when antialiasing; and how far it reaches."""
    factor = min(scale, 1.0) if antialias else 1.0

    def kernel(distance: Floats) -> Floats:
        weight = np.clip(1 - np.abs(distance * factor), 0, 1)
        return weight / weight.sum(1, keepdims=True) if antialias else weight

    return kernel, -floor(-1 / factor)


def cubic_kernel(scale: float, a: float, antialias: bool) -> tuple[Callable[[Floats], Floats], int]:
    """Keys' cubic with parameter `a`, widened when antialiasing; and how far it reaches."""
    factor = min(scale, 1.0) if antialias else 1.0

    def kernel(distance: Floats) -> Floats:
        x = np.abs(distance * factor)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        weight = np.where(x <= 1, near, np.where(x < 2, far, 0.0))
        return weight / weight.sum(1, keepdims=True) if antialias else weight

    return kernel, -floor(-2 / factor)


def read_taps(node: AnyNode, x: Value, axis: int, taps: Taps) -> Value:
    """`sum_k gather(x, index[:, k]) * weight[:, k]` along `axis`."""
    size = x.shape[axis]
    if taps.is_identity(size):
        return x
    if taps.index.shape[1] > MAX_TAPS:
        node.require_small(len(taps.index) * size, "the matrix of weights")
        matrix = node.constant(taps.dense(size).T, x.dtype)
        perm = [*(dim for dim in range(x.rank) if dim != axis), axis]
        rows = emit(graph.MatmulOp, transpose(x, perm), matrix)
        return transpose(rows, [perm.index(dim) for dim in range(x.rank)])
    column = [-1 if dim == axis else 1 for dim in range(x.rank)]
    parts: list[Value] = []
    for tap in range(taps.index.shape[1]):
        weight = taps.weight[:, tap]
        if not weight.any():
            continue
        part = emit(graph.GatherOp, x, node.constant(taps.index[:, tap]), axis=axis)
        if (weight == weight[0]).all():
            parts.append(part if weight[0] == 1 else part * node.constant(weight[:1].reshape([1] * x.rank), x.dtype))
        else:
            parts.append(part * node.constant(weight.reshape(column), x.dtype))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
