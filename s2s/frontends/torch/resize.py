"""Resampling of images, axis by axis."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.computed_places import between, floor_of, read, within
from s2s.frontends.formulas import equal, maximum, minimum, select
from s2s.frontends.resample import (
    MAX_DIVISOR,
    Taps,
    coordinates,
    cubic_kernel,
    linear_kernel,
    read_taps,
    scaled_size,
    weighted_taps,
)
from s2s.frontends.sampling import grid_sample
from s2s.frontends.torch.dtypes import FLOAT32, INT64
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.weighted_reads import Kernel, read_weighted
from s2s.support.frozen import frozen
from s2s.types.size import Size, all_plain, greatest

_ROI = (0.0, 1.0)
_EXACT = np.dtype(np.float64)


@frozen
class _Axis:
    """How one spatial dimension is resized."""

    axis: int
    count: int
    """The size that it gets."""
    scale: float | None
    """The scale that the model states; without one it follows from the sizes."""

    def scale_of(self, size: int) -> float:
        """The scale by which torch reads a dimension of `size`."""
        return self.count / size if self.scale is None else self.scale


def _axes(node: Node, x: Value) -> list[_Axis]:
    """The spatial dimensions, in order."""
    spatial = x.shape[2:]
    scales: list[float | None] = [None] * len(spatial)
    if node.has("scale_factors") if "scale_factors" in node.arguments else False:
        scales = list(node.reals("scale_factors"))
    else:
        names = ("scales",) if len(spatial) == 1 else ("scales_d", "scales_h", "scales_w")[-len(spatial) :]
        scales = [node.real(name) if node.has(name) else None for name in names]
    if node.has("output_size"):
        counts = node.integers("output_size")
    else:
        counts = [_scaled(node, size, scale) for size, scale in zip(spatial, scales, strict=True) if scale is not None]
    return [_Axis(axis, count, scale) for axis, (count, scale) in enumerate(zip(counts, scales, strict=True), 2)]


def _scaled(node: Node, size: int, scale: float) -> int:
    """The size of a resized axis, `size * scale` rounded down in doubles; where sizes vary, by integers as well: 29 %
    of 100 elements are 28 in doubles, and such sizes are refused."""
    if not isinstance(size, Size):
        return int(size * scale)
    scaled = scaled_size(size, scale)
    if scaled is None:
        raise node.unsupported(
            f"scales an axis by {scale:g}, which is no fraction with a denominator up to {MAX_DIVISOR} at every size",
            "use such a scale, or give the axis a constant size",
        )
    return scaled


_TapsOf = Callable[[Node, int, int, float], Taps]
_Late = Callable[[Node, Value, _Axis], Value]
"""Resizes an axis whose size may vary from run to run."""


def _resampled(taps_of: _TapsOf, late: _Late) -> Importer:
    def importer(node: Node) -> Value:
        x = node.value("input" if "input" in node.arguments else "self")
        y = x
        for axis in _axes(node, x):
            node.require_small(axis.count, "a resized axis")
            size = x.shape[axis.axis]
            if not all_plain([size, axis.count]):
                y = late(node, y, axis)
            else:
                y = read_taps(node, y, axis.axis, taps_of(node, size, axis.count, axis.scale_of(size)))
        return y

    return importer


def _nearest(offset: float) -> Importer:
    """The element below; computed in 32 bits, as torch does."""

    def taps(_: Node, size: int, count: int, scale: float) -> Taps:
        step = np.float32(1 / scale)
        at = np.floor((np.arange(count, dtype=np.float32) + np.float32(offset)) * step).astype(np.int64)
        index = np.minimum(at, size - 1)[:, None]
        return Taps(index, np.ones(index.shape), np.zeros(count, np.bool_))

    def late(node: Node, x: Value, axis: _Axis) -> Value:
        size = x.shape[axis.axis]
        if axis.scale is not None:  # the same elements at every size
            most, count = greatest([size, axis.count])
            places = taps(node, most, count, axis.scale).index[:, 0]
            return read(x, axis.axis, within(node.table(places, [axis.count]), node.builder.sizes(size - 1, INT64)))
        whole, count = (node.builder.sizes(number, FLOAT32) for number in (size, axis.count))
        places = floor_of((node.counted_up(axis.count, FLOAT32) + offset) * (whole / count))
        return read(x, axis.axis, within(places, whole - 1))

    return _resampled(taps, late)


def _positions(node: Node, size: int, count: int, scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if node.flag("align_corners"):
        return coordinates("align_corners", size, count / size, count, _ROI)
    return coordinates("half_pixel", size, scale, count, _ROI)


def _late_positions(node: Node, axis: _Axis, size: Value) -> Value:
    """What `_positions` computes, of sizes that vary from run to run."""
    steps, count = node.counted_up(axis.count, _EXACT), node.builder.sizes(axis.count, _EXACT)
    if node.flag("align_corners"):
        one = equal(count, 1)
        return select(one, 0 * steps, steps * (size - 1) / select(one, count, count - 1))
    return (steps + 0.5) / (count / size if axis.scale is None else axis.scale) - 0.5


def _linear(node: Node, size: int, count: int, scale: float) -> Taps:
    kernel, reach = linear_kernel(scale, antialias=False)
    return weighted_taps(np.maximum(_positions(node, size, count, scale), 0), size, kernel, reach, False)


def _late_linear(node: Node, x: Value, axis: _Axis) -> Value:
    size = node.builder.sizes(x.shape[axis.axis], _EXACT)
    at = maximum(_late_positions(node, axis, size), 0)
    base = floor_of(at)
    first, second = (read(x, axis.axis, minimum(place, size - 1)) for place in (base, base + 1))
    return between(first, second, at - base, axis.axis)


def _cubic(node: Node, size: int, count: int, scale: float) -> Taps:
    kernel, reach = cubic_kernel(scale, -0.75, antialias=False)
    return weighted_taps(_positions(node, size, count, scale), size, kernel, reach, False)


def _late_cubic(node: Node, x: Value, axis: _Axis) -> Value:
    size = node.builder.sizes(x.shape[axis.axis], _EXACT)
    kernel = Kernel(1.0, -0.75, normalised=False)
    return read_weighted(x, axis.axis, _late_positions(node, axis, size), size, kernel, excluded=False)


def _grid_sampler(node: Node) -> Value:
    mode = ("bilinear", "nearest", "bicubic")[node.integer("interpolation_mode")]
    padding = ("zeros", "border", "reflection")[node.integer("padding_mode")]
    return grid_sample(node.value("input"), node.value("grid"), mode, padding, node.flag("align_corners"))


IMPORTERS: Mapping[str, Importer] = {
    "_upsample_nearest_exact1d": _nearest(0.5),
    "_upsample_nearest_exact2d": _nearest(0.5),
    "_upsample_nearest_exact3d": _nearest(0.5),
    "grid_sampler_2d": _grid_sampler,
    "grid_sampler_3d": _grid_sampler,
    "upsample_bicubic2d": _resampled(_cubic, _late_cubic),
    "upsample_bilinear2d": _resampled(_linear, _late_linear),
    "upsample_linear1d": _resampled(_linear, _late_linear),
    "upsample_nearest1d": _nearest(0),
    "upsample_nearest2d": _nearest(0),
    "upsample_nearest3d": _nearest(0),
    "upsample_trilinear3d": _resampled(_linear, _late_linear),
}
