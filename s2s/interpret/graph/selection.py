"""Numpy meanings of the operations that select elements."""

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.routines import first_nonzero, suppressed
from s2s.types.dtypes import Array


def _nonzero(op: graph.NonzeroOp, mask: Array, _: Array) -> Array:
    return first_nonzero(mask, op.bound.value.data)


def _non_max_suppression(
    op: graph.NonMaxSuppressionOp, boxes: Array, scores: Array, overlap: Array, least: Array
) -> Array:
    return suppressed(boxes, scores, overlap, least, op.most.value.data, is_centered=op.is_centered is not None)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.NonMaxSuppressionOp: _non_max_suppression,
    graph.NonzeroOp: _nonzero,
}
