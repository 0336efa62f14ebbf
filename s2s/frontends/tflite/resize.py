"""Resizing of images, channels last. Which pixels are read with which weights is known while the model is read.

Of 8-bit numbers the weights have ten fractional bits, and the result has the bits of the reference. Floats are compared
with a tolerance of 1e-6 of the largest magnitude: the reference weighs four pixels at once, here it is two and two.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2s.dialects import graph
from s2s.frontends import computed_places
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, greater, reshape, select, unsqueeze
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.tensors import Tensor
from s2s.support.frozen import frozen
from s2s.types.size import all_plain

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_FRACTION_BITS = 10
_ONE = 1 << _FRACTION_BITS
_Integers = NDArray[np.int64]


@frozen
class _Sampling:
    """How positions along one axis of the result lie among the positions of the operand."""

    before: int
    after: int
    align_corners: bool
    half_pixel_centers: bool

    @property
    def is_aligned(self) -> bool:
        """Whether the first and last positions of both are the same; with one position there are no two."""
        return self.align_corners and self.after > 1

    def nearest(self) -> _Integers:
        """The position to read for each of the result."""
        spans = (self.before - 1, self.after - 1) if self.is_aligned else (self.before, self.after)
        scale = np.float32(spans[0]) / np.float32(spans[1])
        at = (np.arange(self.after, dtype=np.float32) + np.float32(0.5 * self.half_pixel_centers)) * scale
        place = np.floor(at.astype(np.float64) + 0.5) if self.align_corners else np.floor(at)
        return np.clip(place, 0, self.before - 1).astype(np.int64)

    def linear_integers(self) -> "_Taps":
        """Positions of the operand, and weights in steps of 1 / 1024."""
        spans = (self.before - 1, self.after - 1) if self.is_aligned else (self.before, self.after)
        scale = (_ONE * spans[0] + spans[1] // 2) // spans[1]
        at = np.arange(self.after, dtype=np.int64) * scale
        if self.half_pixel_centers:
            at += scale // 2 - _ONE // 2
        first = np.clip(_truncated(at), 0, self.before - 1)
        second = np.clip(_truncated(at + _ONE - 1), 0, self.before - 1)
        return _Taps(first, second, at - _ONE * first)

    def linear_floats(self) -> "_Taps":
        """As `linear_integers`, in single precision."""
        spans = (self.before - 1, self.after - 1) if self.is_aligned else (self.before, self.after)
        scale = np.float32(spans[0]) / np.float32(spans[1])
        at = np.arange(self.after, dtype=np.float32)
        at = (at + np.float32(0.5)) * scale - np.float32(0.5) if self.half_pixel_centers else at * scale
        first = np.clip(np.floor(at), 0, self.before - 1).astype(np.int64)
        second = np.clip(np.ceil(at), 0, self.before - 1).astype(np.int64)
        return _Taps(first, second, at - first.astype(np.float32))


def _truncated(at: _Integers) -> _Integers:
    return np.sign(at) * (np.abs(at) >> _FRACTION_BITS)


def _samplings(node: Node, x: Tensor) -> list[_Sampling]:
    size = node.known_ints(1, "the size")
    if x.rank != 4 or len(size) != 2 or any(count < 1 for count in size):
        raise node.invalid(f"resizes {list(x.shape)} to {size}", "give [N, H, W, C] and two positive sizes")
    for count in size:
        node.require_small(count, "a resized axis")
    node.shape([x.shape[0], *size, x.shape[3]])
    how = bool(node.options.AlignCorners()), bool(node.options.HalfPixelCenters())
    return [_Sampling(before, after, *how) for before, after in zip(x.shape[1:3], size, strict=True)]


def _read(node: Node, x: Value, axis: int, places: _Integers) -> Value:
    """The elements of `x` at `places` along `axis`."""
    size, factor = x.shape[axis], len(places) // x.shape[axis]
    if list(places) == list(range(size)):
        return x
    if list(places) == [place // factor for place in range(size * factor)] and factor:
        spread = unsqueeze(x, [axis + 1])
        wide = broadcast_to(spread, [factor if dim == axis + 1 else n for dim, n in enumerate(spread.shape)])
        return reshape(wide, [size * factor if dim == axis else n for dim, n in enumerate(x.shape)])
    kind = np.uint8 if size <= 256 else np.uint16 if size <= 65536 else np.uint32
    return emit(graph.GatherOp, x, node.constant(places, kind), axis=axis)


def _resize_nearest(node: Node) -> Value:
    x = node.input(0)
    require_kinds(node, (x,), "float32", "int8", "int16")
    y = x.value
    for axis, sampling in enumerate(_samplings(node, x), start=1):
        if not all_plain((sampling.before, sampling.after)):
            y = computed_places.read(y, axis, _LateSampling(node, sampling).nearest())
        else:
            y = _read(node, y, axis, sampling.nearest())
    return y


def _resize_bilinear(node: Node) -> Value:
    x = node.input(0)
    kind = require_kinds(node, (x,), "float32", "int8")
    samplings = _samplings(node, x)
    if any(sampling.align_corners and sampling.half_pixel_centers for sampling in samplings):
        raise node.invalid("asks for aligned corners and for half-pixel centers", "choose one")
    if not all_plain((*x.shape[1:3], *(sampling.after for sampling in samplings))):
        late = [_LateSampling(node, sampling) for sampling in samplings]
        taps = [each.linear_floats() if kind == "float32" else each.linear_integers() for each in late]
        y = _late_blend(x.value, taps[0], taps[1], 1 if kind == "float32" else _ONE)
    elif kind == "float32":
        rows, columns = (sampling.linear_floats() for sampling in samplings)
        y = _blend(node, x.value, rows, columns, 1)
    else:
        rows, columns = (sampling.linear_integers() for sampling in samplings)
        y = _blend(node, x.value, rows, columns, _ONE)
    if kind == "float32":
        return y
    half = _ONE * _ONE // 2
    return cast((y + select(greater(y, 0), y.like(half), -half)) / (_ONE * _ONE), x.dtype)


@frozen
class _Taps:
    """The two positions to read for each of the result, and the weight of the second."""

    first: _Integers
    second: _Integers
    weight: NDArray[np.float32] | _Integers


def _blend(node: Node, x: Value, rows: _Taps, columns: _Taps, one: int) -> Value:
    """The four pixels around a position, weighed by its distances from them in steps of `1 / one`.

    What is read keeps its type until it is weighed, so that nothing wider than a number passes through memory.
    """

    def side(column: _Integers) -> Value:
        upper, lower = (_read(node, _read(node, x, 1, row), 2, column) for row in (rows.first, rows.second))
        if not x.is_float:
            upper, lower = cast(upper, I32), cast(lower, I32)
        return _between(upper, lower, rows.weight, 1, one)

    return _between(side(columns.first), side(columns.second), columns.weight, 2, one)


def _between(first: Value, second: Value, weight: NDArray[np.float32] | _Integers, axis: int, one: int) -> Value:
    """`first * one + (second - first) * weight`, the weight standing along `axis`."""
    whole = first * one if one != 1 else first
    if not weight.any():
        return whole
    column = weight.reshape([-1 if dim == axis else 1 for dim in range(first.rank)]).astype(first.dtype)
    return whole + (second - first) * first.builder.constant(column)


class _LateSampling:
    """What `_Sampling` computes, of sizes that vary from run to run."""

    def __init__(self, node: Node, sampling: _Sampling) -> None:
        self.builder, self.sampling = node.builder, sampling

    def _sizes(self, dtype: np.dtype[Any]) -> tuple[Value, tuple[Value, Value]]:
        """Return the last place of the operand, and the two lengths whose ratio is the scale."""
        before, after = (self.builder.sizes(size, dtype) for size in (self.sampling.before, self.sampling.after))
        spans = (before - 1, after - 1) if self.sampling.is_aligned else (before, after)
        return before - 1, spans

    def _steps(self, dtype: np.dtype[Any]) -> Value:
        return self.builder.counted(self.sampling.after, dtype)

    def nearest(self) -> Value:
        last, spans = self._sizes(_F32)
        at = (self._steps(_F32) + 0.5 * self.sampling.half_pixel_centers) * (spans[0] / spans[1])
        exact = cast(at, _F64) + 0.5 if self.sampling.align_corners else at
        return computed_places.within(computed_places.floor_of(exact), cast(last, exact.dtype))

    def linear_integers(self) -> "_LateTaps":
        last, spans = self._sizes(I32)
        scale = (spans[0] * _ONE + spans[1] / 2) / spans[1]
        at = self._steps(I32) * scale
        if self.sampling.half_pixel_centers:
            at = at + (scale / 2 - _ONE // 2)
        first = computed_places.within(at / _ONE, last)
        second = computed_places.within((at + (_ONE - 1)) / _ONE, last)
        return _LateTaps(first, second, at - first * _ONE)

    def linear_floats(self) -> "_LateTaps":
        last, spans = self._sizes(_F32)
        scale, steps = spans[0] / spans[1], self._steps(_F32)
        at = (steps + 0.5) * scale - 0.5 if self.sampling.half_pixel_centers else steps * scale
        first = computed_places.within(computed_places.floor_of(at), last)
        second = computed_places.within(emit(graph.CeilOp, at), last)
        return _LateTaps(first, second, at - first)


@frozen
class _LateTaps:
    """What `_Taps` holds, as values of the run."""

    first: Value
    second: Value
    weight: Value


def _late_blend(x: Value, rows: _LateTaps, columns: _LateTaps, one: int) -> Value:
    """What `_blend` computes, at places of the run."""

    def side(column: Value) -> Value:
        upper, lower = (
            computed_places.read(computed_places.read(x, 1, row), 2, column) for row in (rows.first, rows.second)
        )
        if not x.is_float:
            upper, lower = cast(upper, I32), cast(lower, I32)
        return computed_places.between(upper, lower, rows.weight, 1, one)

    return computed_places.between(side(columns.first), side(columns.second), columns.weight, 2, one)


IMPORTERS: Mapping[str, Importer] = {
    "RESIZE_BILINEAR": _resize_bilinear,
    "RESIZE_NEAREST_NEIGHBOR": _resize_nearest,
}
