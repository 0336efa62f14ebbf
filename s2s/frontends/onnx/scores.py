"""Post-process the scores of classifiers and regressors of ai.onnx.ml."""

from collections.abc import Sequence
from math import pi, sqrt

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import greater, select
from s2s.frontends.onnx.node import Node
from s2s.frontends.onnx.texts import decoded, picked

_NEARLY_ZERO = 1e-7


def transformed(node: Node, scores: Value) -> Value:
    """`scores[n, class]` by the attribute `post_transform`."""
    how = node.choice("post_transform", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
    return transform(scores, how)


def transform(scores: Value, how: str) -> Value:
    """`scores[n, class]` by a transform that ai.onnx.ml names."""
    match how:
        case "LOGISTIC":
            return emit(graph.SigmoidOp, scores)
        case "SOFTMAX":
            return emit(graph.SoftmaxOp, scores, axis=1)
        case "SOFTMAX_ZERO":
            return _softmax_zero(scores)
        case "PROBIT":
            return _probit(scores)
        case _:
            return scores


def _softmax_zero(scores: Value) -> Value:
    """A softmax that leaves out what is zero."""
    largest = emit(graph.ReduceMaxOp, scores, axes=[1], keepdims=True)
    counts = greater(abs(scores), _NEARLY_ZERO)
    powers = emit(graph.ExpOp, scores - largest)
    total = emit(graph.ReduceSumOp, select(counts, powers, 0), axes=[1], keepdims=True)
    return select(counts, powers, scores * emit(graph.ExpOp, -largest)) / total


def _probit(p: Value) -> Value:
    """`sqrt(2) * erfinv(2 p - 1)`, by Winitzki's approximation, as onnxruntime has it."""
    x = 2 * p - 1
    logarithm = emit(graph.LogOp, (1 - x) * (1 + x))
    v = logarithm * 0.5 + 2 / (pi * 0.147)
    root = emit(graph.SqrtOp, emit(graph.SqrtOp, v * v - logarithm * (1 / 0.147)) - v)
    return emit(graph.SignOp, x) * root * sqrt(2)


Labels = Sequence[int] | Sequence[str]
"""The labels of classes, in their order."""


def class_labels(node: Node, integers: str, strings: str) -> Labels:
    """The labels of classes: integers, or texts."""
    texts = decoded(node.texts(strings)) if node.has(strings) else []
    return texts or node.integers(integers, [])


def labelled(numbers: Value, labels: Labels) -> Value:
    """The labels of classes by number."""
    if any(isinstance(label, str) for label in labels):
        return picked(numbers, [str(label) for label in labels])
    return emit(graph.GatherOp, numbers.builder.constant(np.array(labels, np.int64)), numbers, axis=0)


def most_likely(scores: Value, labels: Labels) -> Value:
    """The label of the largest score of each row, the first of equal ones."""
    return labelled(emit(graph.ArgmaxOp, scores, axis=1, keepdims=False), labels)
