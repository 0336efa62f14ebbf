"""Means or maxima of samples in the bins of regions (RoIAlign), which ONNX and torchvision define alike."""

from typing import NamedTuple

import numpy as np

from s2s.dialects import graph
from s2s.frontends.any_node import AnyNode
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, maximum, take, widened
from s2s.frontends.sampling import channels_first, channels_last

_INT32 = np.dtype(np.int32)


class Regions(NamedTuple):
    """Regions of a batch of images."""

    corners: Value
    """`[regions, 4]` or more columns: of each region left, top, right and bottom, from column `first` on."""
    first: int
    images: Value
    """`[regions]`: the image of each."""


class Bins(NamedTuple):
    """How the regions are sampled."""

    counts: tuple[int, int]
    """Rows and columns of a result."""
    ratio: int
    """Samples along each axis of a bin; 0 for the pixels of the bin."""
    scale: float
    """Pixels of `x` for one unit of the corners."""
    half_pixel: bool
    """Whether corners count from the middle of the first pixel, and regions may be smaller than one."""
    largest: bool = False
    """Whether a bin is its largest sample, not the mean."""


def align_regions(node: AnyNode, x: Value, regions: Regions, bins: Bins) -> Value:
    """Return `[regions, channels, rows, columns]` of the images `x`, `[images, channels, height, width]`."""
    node.require_small(max(bins.counts) * max(bins.ratio, 1), "a row of samples")
    image = channels_last(widened(x))
    columns = [regions.first + column for column in (1, 0, 3, 2)]
    corners = [cast(take(regions.corners, 1, column, 1), image.dtype) * bins.scale for column in columns]
    starts, ends = concat(corners[:2], 1), concat(corners[2:], 1)
    if bins.half_pixel:
        starts, ends = starts - 0.5, ends - 0.5
    lengths = ends - starts if bins.half_pixel else maximum(ends - starts, 1)
    pooled = emit(
        graph.RoiAlignOp,
        image,
        cast(regions.images, _INT32),
        starts,
        lengths / node.constant(np.array([bins.counts]), image.dtype),
        x.builder.sizes(x.shape[2:], _INT32),
        rows=bins.counts[0],
        columns=bins.counts[1],
        ratio=bins.ratio,
        largest=bins.largest,
    )
    return cast(channels_first(pooled), x.dtype)
