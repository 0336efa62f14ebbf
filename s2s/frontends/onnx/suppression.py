"""Import the selection of boxes that overlap little."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, reshape
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.selection import true_places

MAX_ROOM = 1024
"""The boxes of a class up to which there is room for all that the model asks for, however many there are in a run."""

_INDEX = np.dtype(np.int64)


def _number(node: Node, position: int, default: float) -> Value:
    """An optional operand of one f32."""
    value = node.optional(position)
    return node.constant(np.full((), default, np.float32)) if value is None else reshape(value, [])


def _non_max_suppression(node: Node) -> Value:
    """Rows of batch, class and box for the chosen boxes, of a table with room for all boxes."""
    boxes, scores = node.input(0), node.input(1)
    limit = node.known_number(2, "the number of boxes of a class") if node.optional(2) is not None else 0
    if boxes.rank != 3 or scores.rank != 3 or boxes.shape[2] != 4 or scores.shape[::2] != boxes.shape[:2]:
        raise node.invalid(
            f"has boxes {list(boxes.shape)} and scores {list(scores.shape)}", "give [batch, n, 4], [batch, class, n]"
        )
    batches, classes, count = scores.shape
    most = int(limit or 0)
    if most > MAX_ROOM or not node.builder.varies:  # at smaller sizes there may be fewer boxes than are asked for
        most = min(most, count)
    if most <= 0:
        return node.constant(np.zeros((0, 3)), _INDEX)
    chosen = emit(
        graph.NonMaxSuppressionOp,
        boxes,
        scores,
        _number(node, 3, 0.0),
        _number(node, 4, -np.inf),
        most=most,
        is_centered=bool(node.integer("center_point_box")),
    )
    flat = reshape(chosen, [batches * classes * most])
    places = true_places(emit(graph.GreaterEqualOp, flat, flat.like(0)))
    box = emit(graph.GatherOp, flat, places, axis=0)
    of_image, of_class, in_image = (_size(node, count) for count in (classes * most, most, classes))
    image, label = places / of_image, places / of_class
    columns = [image, label - image * in_image, box]
    return cast(concat([reshape(each, [*places.shape, 1]) for each in columns], 1), _INDEX)


def _size(node: Node, number: int) -> Value:
    """A number that follows from sizes of axes, such as a number of places."""
    return node.builder.sizes(number, np.dtype(np.int32))


IMPORTERS: Mapping[str, Importer] = {"NonMaxSuppression": _non_max_suppression}
