"""Losses of classifiers: what the scores of the true classes cost.

    loss[n, d…] = -x[n, target[n, d…], d…] * weight[target[n, d…]]
    mean        = sum(loss) / sum(weight[target])

ONNX's own definition of SoftmaxCrossEntropyLoss is ill-typed for bfloat16. Floats of 16 bits are computed in float32.
"""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, equal, reshape, select, unsqueeze, widened
from s2s.frontends.onnx.indexing import check_indices
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.reduce import reduce_to

_INDEX = np.dtype(np.int64)


def _likelihood(node: Node) -> Value:
    x = node.input(0)
    return cast(_loss(node, widened(x)), x.dtype)


def _cross_entropy(node: Node) -> list[Value]:
    x = node.input(0)
    _check_shapes(node)
    logs = emit(graph.LogSoftmaxOp, widened(x), axis=1)
    outputs = [cast(_loss(node, logs), x.dtype)]
    return [*outputs, cast(logs, x.dtype)] if node.outputs() > 1 else outputs


def _check_shapes(node: Node) -> None:
    """Refuse labels that are not one for each position of the scores, and weights that are not one for each class."""
    x, target, weight = node.input(0), node.input(1), node.optional(2)
    wanted = (*x.shape[:1], *x.shape[2:])
    if x.rank < 2 or target.shape != wanted:
        fact = f"labels {list(target.shape)} do not fit scores {list(x.shape)}"
        raise node.invalid(fact, "give scores [N, C, …] and labels [N, …]")
    if weight is not None and weight.shape != (x.shape[1],):
        raise node.invalid(f"weights {list(weight.shape)} are not one for each of {x.shape[1]} classes", "fix them")


def _loss(node: Node, logs: Value) -> Value:
    """The loss of logarithms of probabilities, `reduction` and `ignore_index` as the node has them."""
    _check_shapes(node)
    target, given = node.input(1), node.optional(2)
    reduction = node.choice("reduction", "none", "sum", "mean")
    ignored = equal(cast(target, _INDEX), node.integer("ignore_index")) if node.has("ignore_index") else None
    place = target if ignored is None else select(ignored, target.like(0), target)
    check_indices(node, place, logs.shape[1])
    found = emit(graph.GatherElementsOp, logs, unsqueeze(place, [1]), axis=1)
    loss = _unless(ignored, -reshape(found, target.shape))
    weight = None
    if given is not None:
        weight = _unless(ignored, emit(graph.GatherOp, cast(given, logs.dtype), place, axis=0))
        loss = loss * weight
    elif ignored is not None:
        weight = select(ignored, logs.like(0), logs.like(1))
    axes = list(range(loss.rank))
    if reduction == "none":
        return loss
    if reduction == "mean" and weight is None:
        return reduce_to(graph.ReduceMeanOp, loss, axes, keepdims=False)
    total = reduce_to(graph.ReduceSumOp, loss, axes, keepdims=False)
    if reduction == "sum" or weight is None:
        return total
    return total / reduce_to(graph.ReduceSumOp, weight, axes, keepdims=False)


def _unless(ignored: Value | None, x: Value) -> Value:
    """`x`, and 0 where its label is ignored."""
    return x if ignored is None else select(ignored, x.like(0), x)


IMPORTERS: Mapping[str, Importer] = {
    "NegativeLogLikelihoodLoss": _likelihood,
    "SoftmaxCrossEntropyLoss": _cross_entropy,
}
