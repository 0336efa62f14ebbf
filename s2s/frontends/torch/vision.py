"""Operators of torchvision for detection, by their names: torchvision itself is never imported."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, checked_shape, reshape, take
from s2s.frontends.region_align import Bins, Regions, align_regions
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
    images = reshape(take(rois, 1, 0, 1), [rois.shape[0]])
    bins = Bins(counts, max(ratio, 0), node.real("spatial_scale"), node.flag("aligned"))
    return align_regions(node, x, Regions(rois, 1, images), bins)


IMPORTERS: Mapping[str, Importer] = {"nms": _nms, "roi_align": _roi_align}
