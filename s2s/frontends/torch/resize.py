"""Resampling of images, axis by axis."""

from collections.abc import Callable, Mapping

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.resample import Taps, coordinates, cubic_kernel, linear_kernel, read_taps, weighted_taps
from s2s.frontends.sampling import grid_sample
from s2s.frontends.torch.node import Importer, Node

_ROI = (0.0, 1.0)


def _axes(node: Node, x: Value) -> list[tuple[int, int, float]]:
    """For each spatial dimension: its number, the size that it gets, and the scale by which torch reads."""
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
        counts = [int(size * scale) for size, scale in zip(spatial, scales, strict=True) if scale is not None]
    return [
        (axis, count, count / size if scale is None else scale)
        for axis, (size, count, scale) in enumerate(zip(spatial, counts, scales, strict=True), 2)
    ]


def _resampled(taps_of: Callable[[Node, int, int, float], Taps]) -> Importer:
    def importer(node: Node) -> Value:
        x = node.value("input" if "input" in node.arguments else "self")
        y = x
        for axis, count, scale in _axes(node, x):
            node.require_small(count, "a resized axis")
            y = read_taps(node, y, axis, taps_of(node, x.shape[axis], count, scale))
        return y

    return importer


def _nearest(offset: float) -> Callable[[Node, int, int, float], Taps]:
    """The element below; computed in 32 bits, as torch does."""

    def taps(node: Node, size: int, count: int, scale: float) -> Taps:
        step = np.float32(1 / scale)
        at = np.floor((np.arange(count, dtype=np.float32) + np.float32(offset)) * step).astype(np.int64)
        index = np.minimum(at, size - 1)[:, None]
        return Taps(index, np.ones(index.shape), np.zeros(count, np.bool_))

    return taps


def _positions(node: Node, size: int, count: int, scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if node.flag("align_corners"):
        return coordinates("align_corners", size, count / size, count, _ROI)
    return coordinates("half_pixel", size, scale, count, _ROI)


def _linear(node: Node, size: int, count: int, scale: float) -> Taps:
    kernel, reach = linear_kernel(scale, antialias=False)
    return weighted_taps(np.maximum(_positions(node, size, count, scale), 0), size, kernel, reach, False)


def _cubic(node: Node, size: int, count: int, scale: float) -> Taps:
    kernel, reach = cubic_kernel(scale, -0.75, antialias=False)
    return weighted_taps(_positions(node, size, count, scale), size, kernel, reach, False)


def _grid_sampler(node: Node) -> Value:
    mode = ("bilinear", "nearest", "bicubic")[node.integer("interpolation_mode")]
    padding = ("zeros", "border", "reflection")[node.integer("padding_mode")]
    return grid_sample(node.value("input"), node.value("grid"), mode, padding, node.flag("align_corners"))


IMPORTERS: Mapping[str, Importer] = {
    "_upsample_nearest_exact1d": _resampled(_nearest(0.5)),
    "_upsample_nearest_exact2d": _resampled(_nearest(0.5)),
    "_upsample_nearest_exact3d": _resampled(_nearest(0.5)),
    "grid_sampler_2d": _grid_sampler,
    "grid_sampler_3d": _grid_sampler,
    "upsample_bicubic2d": _resampled(_cubic),
    "upsample_bilinear2d": _resampled(_linear),
    "upsample_linear1d": _resampled(_linear),
    "upsample_nearest1d": _resampled(_nearest(0)),
    "upsample_nearest2d": _resampled(_nearest(0)),
    "upsample_nearest3d": _resampled(_nearest(0)),
    "upsample_trilinear3d": _resampled(_linear),
}
