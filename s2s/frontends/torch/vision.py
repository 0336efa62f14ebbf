"""Operators of torchvision for detection, by their names: torchvision itself is never imported."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, checked_shape, concat, maximum, reshape, take, widened
from s2s.frontends.sampling import channels_first, channels_last
from s2s.frontends.selection import true_places
from s2s.frontends.torch.dtypes import INT64
from s2s.frontends.torch.node import Importer, Node

_INT32 = np.dtype(np.int32)


def _nms(node: Node) -> Value:
    """The boxes that overlap no chosen one by more than the threshold, by descending scores."""
    boxes, scores = node.value("dets"), node.value("scores")
    if boxes.rank != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise node.invalid(f"boxes {list(boxes.shape)} and scores {list(scores.shape)}", "give [n, 4] and [n]")
    count = boxes.shape[0]
    chosen = emit(
        graph.NonMaxSuppressionOp,
        reshape(cast(boxes, np.dtype(np.float32)), [1, count, 4]),
        reshape(cast(scores, np.dtype(np.float32)), [1, 1, count]),
        node.constant(np.float32(node.real("iou_threshold"))),
        node.constant(np.float32(-np.inf)),
        most=count,
        is_centered=False,
    )
    flat = reshape(chosen, [count])
    places = true_places(emit(graph.GreaterEqualOp, flat, flat.like(0)))
    return cast(emit(graph.GatherOp, flat, places, axis=0), INT64)


def _roi_align(node: Node) -> Value:
    """The mean of samples in each bin of regions; rows of `rois` are image, left, top, right and bottom."""
    x, rois = node.value("input"), node.value("rois")
    counts, ratio = (node.integer("pooled_height"), node.integer("pooled_width")), node.integer("sampling_ratio")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 5 or min(counts) < 1:
        raise node.invalid(f"regions {list(rois.shape)} of {list(x.shape)} in {counts} bins", "give rows of 5 numbers")
    checked_shape((rois.shape[0], *counts, x.shape[1]), node.place)
    node.require_small(max(counts) * max(ratio, 1), "a row of samples")
    image, aligned, scale = channels_last(widened(x)), node.flag("aligned"), node.real("spatial_scale")
    corners = [cast(take(rois, 1, position, 1), image.dtype) * scale for position in (2, 1, 4, 3)]
    starts, ends = concat(corners[:2], 1), concat(corners[2:], 1)
    if aligned:
        starts, ends = starts - 0.5, ends - 0.5
    lengths = ends - starts if aligned else maximum(ends - starts, 1)
    pooled = emit(
        graph.RoiAlignOp,
        image,
        cast(reshape(take(rois, 1, 0, 1), [rois.shape[0]]), _INT32),
        starts,
        lengths / node.constant(np.array([counts]), image.dtype),
        node.builder.sizes(x.shape[2:], _INT32),
        rows=counts[0],
        columns=counts[1],
        ratio=max(ratio, 0),
        largest=False,
    )
    return cast(channels_first(pooled), x.dtype)


IMPORTERS: Mapping[str, Importer] = {"nms": _nms, "roi_align": _roi_align}
