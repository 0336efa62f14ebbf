"""Import the selection of boxes that overlap little: greedy and soft non-maximum suppression.

One step of a scan picks the best box that is left and lowers the scores of what overlaps it. Scores are compared with a
relative tolerance of 1e-6, as the weights of soft suppression are exponentials.
"""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, greater, less, maximum, minimum, reshape, select, take
from s2s.frontends.networks import Values, scan
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node

_NEVER = -np.inf
"""The score of a box that is chosen, suppressed, or too bad from the start."""


def _number(node: Node, position: int, what: str) -> float:
    array = node.known(position, what)
    if array.size != 1:
        raise node.invalid(f"{what} has {array.size} numbers", "give one")
    return float(array.reshape(()))


def _overlaps(boxes: Value, box: Value) -> Value:
    """Intersection over union of each box `[count, 4]` (two opposite corners, y before x) with one, `[1, 4]`."""

    def edges(of: Value, axis: int) -> tuple[Value, Value]:
        first, second = take(of, 1, axis, 1), take(of, 1, axis + 2, 1)
        return minimum(first, second), maximum(first, second)

    inner, areas, area = boxes.like(1), boxes.like(1), box.like(1)
    for axis in (0, 1):
        (low, high), (one_low, one_high) = edges(boxes, axis), edges(box, axis)
        inner = inner * maximum(minimum(high, one_high) - maximum(low, one_low), 0)
        areas, area = areas * (high - low), area * (one_high - one_low)
    real = emit(graph.LogicalAndOp, greater(areas, 0), greater(area, 0))
    union = areas + area - inner
    share = select(real, inner / select(real, union, union.like(1)), 0)
    return reshape(share, [boxes.shape[0]])


def _suppressed(node: Node, sigma: float) -> tuple[Value, Value, Value]:
    """Indices and scores of the chosen boxes, zeros after them, and how many there are."""
    boxes, scores = node.input(0), node.input(1)
    require_kinds(node, (boxes, scores), "float32")
    if boxes.rank != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise node.invalid(f"has boxes {list(boxes.shape)} and scores {list(scores.shape)}", "give four edges and one")
    count = int(_number(node, 2, "the greatest number of boxes"))
    limit, least = _number(node, 3, "the overlap that is too much"), _number(node, 4, "the least score")
    if count < 1:
        raise node.invalid(f"chooses {count} boxes", "choose at least one")

    def step(inner: Builder, carried: Values, _: Values, kept: Values) -> tuple[Values, Values]:
        (left,), (every,) = carried, kept
        best = emit(graph.ArgmaxOp, left, axis=0, element_type=None, keepdims=True)
        score = emit(graph.GatherOp, left, best, axis=0)
        overlap = _overlaps(every, emit(graph.GatherOp, every, best, axis=0))
        lowered = left * emit(graph.ExpOp, overlap * overlap * (-0.5 / sigma)) if sigma > 0 else left
        lowered = select(greater(lowered, least), lowered, _NEVER)
        keep = emit(graph.LogicalAndOp, less(overlap, limit), _others(inner, left, best))
        return [select(keep, lowered, _NEVER)], [cast(best, np.dtype(np.int32)), score]

    start = select(greater(scores.value, least), scores.value, _NEVER)
    _, (indices, found) = scan(node.builder, node.name, step, carried=[start], kept=[boxes.value], steps=count)
    valid = greater(found, _NEVER)
    number = emit(graph.ReduceSumOp, cast(reshape(valid, [count]), np.dtype(np.int32)), axes=[0])
    indices, found = (reshape(select(valid, values, 0), [count]) for values in (indices, found))
    return indices, found, number


def _others(inner: Builder, left: Value, best: Value) -> Value:
    """Whether a box is not the one that is chosen, which overlaps itself wholly unless it is empty."""
    places = inner.constant(np.arange(left.shape[0]), "")
    return emit(graph.LogicalNotOp, emit(graph.EqualOp, places, cast(best, places.dtype)))


def _version_4(node: Node) -> list[Value]:
    indices, _, number = _suppressed(node, 0.0)
    return [indices, number]


def _version_5(node: Node) -> list[Value]:
    return list(_suppressed(node, _number(node, 5, "the width of soft suppression")))


IMPORTERS: Mapping[str, Importer] = {
    "NON_MAX_SUPPRESSION_V4": _version_4,
    "NON_MAX_SUPPRESSION_V5": _version_5,
}
