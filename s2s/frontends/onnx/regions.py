"""Import operators that pool regions of images."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    cast,
    checked_shape,
    concat,
    less,
    maximum,
    reshape,
    select,
    take,
    unsqueeze,
    widened,
)
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.region_align import Bins, Regions, align_regions
from s2s.frontends.sampling import channels_first, channels_last, limited, size_of

_INT32 = np.dtype(np.int32)


def _roi_align(node: Node) -> Value:
    x, rois, batch = node.input(0), node.input(1), node.input(2)
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 4 or batch.shape != rois.shape[:1]:
        raise node.invalid(f"rois {list(rois.shape)} and batch_indices {list(batch.shape)} do not match", "fix them")
    half_pixel = node.since >= 16 and _mode(node) == "half_pixel"
    counts, ratio = (node.integer("output_height"), node.integer("output_width")), node.integer("sampling_ratio")
    shape = checked_shape((rois.shape[0], *counts, x.shape[1]), node.place)
    if any(size < 1 for size in shape):
        raise node.invalid(f"output of {counts[0]} x {counts[1]}", "give positive sizes")
    if ratio < 0:
        raise node.invalid(f"sampling_ratio {ratio}", "give 0 or the number of samples")
    largest = node.text("mode") == "max"
    bins = Bins((counts[0], counts[1]), ratio, node.real("spatial_scale"), half_pixel, largest)
    return align_regions(node, x, Regions(rois, 0, batch), bins)


def _mode(node: Node) -> str:
    return node.choice("coordinate_transformation_mode", "half_pixel", "output_half_pixel")


def _max_roi_pool(node: Node) -> Value:
    """The largest element of each bin of a region; 0 of an empty bin."""
    x, rois = node.input(0), node.input(1)
    counts, scale = node.integers("pooled_shape"), node.real("spatial_scale")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 5 or len(counts) != 2 or min(counts) < 1:
        raise node.invalid(f"rois {list(rois.shape)} and pooled_shape {counts}", "give [regions, 5] and two sizes")
    checked_shape((rois.shape[0], *counts, x.shape[1]), node.place)
    batch = cast(reshape(take(rois, 1, 0, 1), [rois.shape[0]]), _INT32)
    ends: list[Value] = []
    for axis, first in ((2, 2), (3, 1)):
        count, size = counts[axis - 2], size_of(x, axis, rois)
        start, end = (_half_up(take(rois, 1, first + part, 1) * scale) for part in (0, 2))
        share = maximum(end - start + 1, 1) / count
        steps = node.constant(np.arange(count)[None], rois.dtype)
        low, high = (emit(graph.FloorOp, share * steps) + start, emit(graph.CeilOp, share * (steps + 1)) + start)
        bounds = [cast(limited(each, size), _INT32) for each in (low, high)]
        ends.append(concat([unsqueeze(each, [2]) for each in bounds], 2))
    pooled = emit(graph.MaxRegionsOp, channels_last(widened(x)), batch, *ends)
    return cast(channels_first(pooled), x.dtype)


def _half_up(x: Value) -> Value:
    """The nearest whole number, of two the one farther from 0."""
    return select(less(x, 0), emit(graph.FloorOp, 0.5 - x) * -1, emit(graph.FloorOp, x + 0.5))


IMPORTERS: Mapping[str, Importer] = {"MaxRoiPool": _max_roi_pool, "RoiAlign": _roi_align}
