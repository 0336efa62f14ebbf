"""Import the post-processing of detections: boxes are decoded, and boxes with high scores that overlap little are
chosen.

Boxes are computed in double precision and rounded, as the reference does; libraries may differ in the last place of an
exponential. Places behind the last detection hold zeros, which the reference leaves alone in its fast form.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, greater, less, maximum, pad, reshape, select, take, transpose
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.fixed_point import I32
from s2s.frontends.tflite.micro.flexbuffer import Options, options_of
from s2s.frontends.tflite.node import Importer, Node

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_PER_CLASS = 100
"""Detections of a class, unless the options say how many."""


class _Found(NamedTuple):
    """The boxes that are chosen, in order: their numbers, classes and scores; -1 stands for none."""

    boxes: Value
    classes: Value
    scores: Value


def _post_process(node: Node) -> list[Value]:
    """Boxes `[1, n, 4]`, classes and scores of detections in the order of their scores, and how many there are."""
    encoded, scores, anchors = node.input(0), node.input(1), node.input(2)
    require_kinds(node, (encoded, scores, anchors), "float32")
    options, classes = options_of(node), options_of(node).positive("num_classes")
    if encoded.rank != 3 or encoded.shape[0] != 1 or encoded.shape[2] < 4 or anchors.shape != (encoded.shape[1], 4):
        raise node.invalid(
            f"has boxes {list(encoded.shape)} for anchors {list(anchors.shape)}", "give [1, n, 4], [n, 4]"
        )
    if scores.rank != 3 or scores.shape[:2] != encoded.shape[:2] or scores.shape[2] - classes not in (0, 1):
        raise node.invalid(f"has scores {list(scores.shape)} of {classes} classes", "give one for each box and class")
    boxes = _boxes(encoded.value, anchors.value, options)
    rows = reshape(take(scores.value, 2, scores.shape[2] - classes, classes), [scores.shape[1], classes])
    regular = bool(options.integer("use_regular_nms", 0))
    most = options.positive("max_detections")
    found = _by_class(node, boxes, rows, options, most) if regular else _by_box(node, boxes, rows, options, most)
    exists = greater(found.boxes, -1)
    chosen = emit(graph.GatherOp, boxes, maximum(found.boxes, 0), axis=0)
    count = emit(graph.ReduceSumOp, cast(exists, _F32), axes=[0], keepdims=True)
    return [
        reshape(select(reshape(exists, [most, 1]), chosen, 0), [1, most, 4]),
        reshape(select(exists, cast(found.classes, _F32), 0), [1, most]),
        reshape(select(exists, found.scores, 0), [1, most]),
        count,
    ]


def _boxes(encoded: Value, anchors: Value, options: Options) -> Value:
    """The corners of boxes `[n, 4]`, y before x, from centres and sizes relative to anchors."""
    rows = cast(reshape(take(encoded, 2, 0, 4), [encoded.shape[1], 4]), _F64)
    wide = cast(anchors, _F64)

    def centre(axis: int, scale: str) -> Value:
        share = take(rows, 1, axis, 1) / np.float32(options.real(scale)).item()
        return cast(share * take(wide, 1, axis + 2, 1) + take(wide, 1, axis, 1), _F32)

    def half(axis: int, scale: str) -> Value:
        share = take(rows, 1, axis, 1) / np.float32(options.real(scale)).item()
        return cast(emit(graph.ExpOp, share) * 0.5 * take(wide, 1, axis, 1), _F32)

    y, x = centre(0, "y_scale"), centre(1, "x_scale")
    height, width = half(2, "h_scale"), half(3, "w_scale")
    return concat([y - height, x - width, y + height, x + width], 1)


def _chosen(node: Node, boxes: Value, scores: Value, options: Options, most: int) -> Value:
    """The numbers `[classes, most]` of boxes that each row of `scores` chooses, -1 behind the last one."""
    least = np.nextafter(np.float32(options.real("nms_score_threshold")), np.float32(-np.inf))
    limits = (np.float32(options.real("nms_iou_threshold")), least)
    found = emit(
        graph.NonMaxSuppressionOp,
        reshape(boxes, [1, *boxes.shape]),
        reshape(scores, [1, *scores.shape]),
        *(node.constant(limit, _F32) for limit in limits),
        most=min(most, boxes.shape[0]),
    )
    return reshape(found, list(found.shape[1:]))


def _by_box(node: Node, boxes: Value, scores: Value, options: Options, most: int) -> _Found:
    """Each box takes part with its best class."""
    if min(options.positive("max_classes_per_detection"), scores.shape[1]) > 1:
        raise node.unsupported("gives several classes of a box", "set max_classes_per_detection to 1")
    classes = emit(graph.ArgmaxOp, scores, axis=1, keepdims=False)
    best = emit(graph.ReduceMaxOp, scores, axes=[1], keepdims=False)
    found = _chosen(node, boxes, reshape(best, [1, scores.shape[0]]), options, most)
    found = _filled(reshape(found, [found.shape[1]]), most)
    places = maximum(found, 0)
    return _Found(found, *(emit(graph.GatherOp, each, places, axis=0) for each in (classes, best)))


def _by_class(node: Node, boxes: Value, scores: Value, options: Options, most: int) -> _Found:
    """Each class chooses boxes for itself; the best of all classes are left."""
    by_class = transpose(scores, [1, 0])
    found = _chosen(node, boxes, by_class, options, options.integer("detections_per_class", _PER_CLASS))
    classes, per_class = found.shape
    values = emit(graph.GatherElementsOp, by_class, maximum(found, 0), axis=1)
    values = reshape(select(less(found, 0), values.like(-np.inf), values), [classes * per_class])
    order = emit(graph.TopKOp, values, count=min(most, classes * per_class))
    flat = reshape(found, [classes * per_class])
    ordered = _filled(emit(graph.GatherOp, flat, order, axis=0), most)
    order = _filled(cast(order, I32), most)
    places = maximum(order, 0)
    return _Found(ordered, places / per_class, emit(graph.GatherOp, values, places, axis=0))


def _filled(numbers: Value, count: int) -> Value:
    """`numbers`, and -1 up to `count` of them."""
    return pad(numbers, [0], [count - numbers.shape[0]], value=-1)


IMPORTERS: Mapping[str, Importer] = {"TFLite_Detection_PostProcess": _post_process}
