"""Support vector machines of ai.onnx.ml: a kernel of the features and the support vectors, then a product.

A classifier of `k` classes has one decision for each pair of them. Each decision is a vote for a class; the label is
the class with most votes, the first of equal ones. With `prob_a` and `prob_b` the scores are probabilities of classes
that agree best with those of the pairs (Wu, Lin and Weng, 2004), found by the iteration that libsvm uses.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, concat, greater, less, reshape, select, take, unsqueeze
from s2s.frontends.networks import Values, repeat
from s2s.frontends.onnx.forest import as_rows
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.scores import Labels, class_labels, labelled, transform, transformed
from s2s.types.dtypes import Array

_FLOAT = np.dtype(np.float32)
_KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
_MAX_CLASSES = 64
"""Of a classifier with probabilities, whose iteration takes a step for each class."""
_MAX_STEPS = 100
_SMALLEST_PROBABILITY = 1e-7


def _svm_regressor(node: Node) -> Value:
    x = cast(as_rows(node, node.input(0)), _FLOAT)
    count, coefficients = node.integer("n_supports"), np.array(node.reals("coefficients", []), np.float32)
    rho = node.reals("rho", [])
    if len(rho) != 1 or len(coefficients) != (count or x.shape[1]):
        raise node.invalid(f"{len(coefficients)} coefficients and {len(rho)} offsets", "export the model again")
    y = emit(graph.MatmulOp, _kernel(node, x, count), node.constant(coefficients[:, None])) + rho[0]
    if node.flag("one_class", False):
        return select(greater(y, 0), y.like(1), -1)
    if node.choice("post_transform", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT") != "NONE":
        raise node.unsupported("transforms its result, which every engine does in another way", "leave it out")
    return y


def _kernel(node: Node, x: Value, count: int) -> Value:
    """The kernel of each row with each of `count` support vectors; the features themselves without any."""
    vectors = np.array(node.reals("support_vectors", []), np.float32)
    if count == 0:
        return x
    if count < 0 or len(vectors) != count * x.shape[1]:
        raise node.invalid(f"{len(vectors)} numbers for {count} vectors of {x.shape[1]} features", "fix them")
    kind = node.choice("kernel_type", *_KERNELS)
    gamma, offset, degree = node.reals("kernel_params", [0, 0, 0])
    table = node.constant(vectors.reshape(count, -1))
    if kind == "RBF":
        apart = unsqueeze(x, [1]) - table
        return emit(graph.ExpOp, emit(graph.ReduceSumOp, apart * apart, axes=[2], keepdims=False) * -gamma)
    product = emit(graph.MatmulOp, x, node.constant(vectors.reshape(count, -1).T))
    if kind == "LINEAR":
        return product
    scaled = product * gamma + offset
    return emit(graph.TanhOp, scaled) if kind == "SIGMOID" else scaled ** float(degree)


def _svm_classifier(node: Node) -> list[Value]:
    x = cast(as_rows(node, node.input(0)), _FLOAT)
    labels = class_labels(node, "classlabels_ints", "classlabels_strings")
    supports = node.integers("vectors_per_class", [])
    if len(labels) < 2:
        raise node.invalid(f"{len(labels)} classes", "give at least two")
    return _by_pairs(node, x, labels, supports) if sum(supports) else _by_rows(node, x, labels)


def _by_rows(node: Node, x: Value, labels: Labels) -> list[Value]:
    """Without support vectors: one row of coefficients for each class."""
    coefficients, rho = np.array(node.reals("coefficients"), np.float32), node.reals("rho", [])
    if len(coefficients) != len(labels) * x.shape[1] or not rho:
        raise node.invalid(f"{len(coefficients)} coefficients for {len(labels)} classes", "export the model again")
    scores = emit(graph.MatmulOp, x, node.constant(coefficients.reshape(len(labels), -1).T)) + rho[0]
    number = emit(graph.ArgmaxOp, scores, axis=1, keepdims=False)
    if len(labels) == 2:
        least = 0.5 if (coefficients >= 0).all() else 0.0
        best = emit(graph.ReduceMaxOp, scores, axes=[1], keepdims=False)
        above = emit(graph.GreaterEqualOp, best, best.like(least)) if least else greater(best, 0)
        number = select(above, number.like(1), number)
    return [labelled(number, labels), transformed(node, scores)]


def _by_pairs(node: Node, x: Value, labels: Labels, supports: Sequence[int]) -> list[Value]:
    pairs = list(combinations(range(len(labels)), 2))
    weights, rho = _weights_of_pairs(node, supports, pairs, len(labels)), node.reals("rho", [])
    if len(rho) != len(pairs):
        raise node.invalid(f"{len(rho)} offsets for {len(pairs)} pairs of classes", "export the model again")
    decisions = emit(graph.MatmulOp, _kernel(node, x, sum(supports)), node.constant(weights))
    decisions = decisions + node.constant(rho, np.float32)
    label = _most_votes(node, decisions, pairs, labels)
    a, b = node.reals("prob_a", []), node.reals("prob_b", [])
    if a:
        if not len(a) == len(b) == len(pairs):
            raise node.invalid(f"{len(a)} and {len(b)} parameters for {len(pairs)} pairs", "export the model again")
        exponent = decisions * node.constant(a, np.float32) + node.constant(b, np.float32)
        likely = clamp(emit(graph.SigmoidOp, -exponent), _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
        return [label, transformed(node, _probabilities(node, likely, pairs, len(labels)))]
    if len(labels) > 2:
        return [label, transformed(node, decisions)]
    return [label, _two_scores(node, decisions)]


def _two_scores(node: Node, decision: Value) -> Value:
    """The scores of two classes from their only decision."""
    how = node.choice("post_transform", "NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
    return transform(concat([-decision, decision], 1), how)


def _weights_of_pairs(node: Node, supports: Sequence[int], pairs: list[tuple[int, int]], classes: int) -> Array:
    """The coefficients as a matrix `[support vector, pair]`; only vectors of the two classes count."""
    coefficients = np.array(node.reals("coefficients"), np.float32)
    count = sum(supports)
    if len(supports) != classes or min(supports) < 0 or len(coefficients) != (classes - 1) * count:
        raise node.invalid(f"{len(coefficients)} coefficients for {count} vectors", "export the model again")
    rows, ends = coefficients.reshape(classes - 1, count), np.cumsum([0, *supports])
    weights = np.zeros((count, len(pairs)), np.float32)
    for number, (i, j) in enumerate(pairs):
        weights[ends[i] : ends[i + 1], number] = rows[j - 1, ends[i] : ends[i + 1]]
        weights[ends[j] : ends[j + 1], number] = rows[i, ends[j] : ends[j + 1]]
    return weights


def _most_votes(node: Node, decisions: Value, pairs: list[tuple[int, int]], labels: Labels) -> Value:
    gained, given = np.zeros((len(pairs), len(labels)), np.float32), np.zeros(len(labels), np.float32)
    for number, (i, j) in enumerate(pairs):
        gained[number, i], gained[number, j] = 1, -1
        given[j] += 1
    won = cast(greater(decisions, 0), _FLOAT)
    votes = emit(graph.MatmulOp, won, node.constant(gained)) + node.constant(given)
    return labelled(emit(graph.ArgmaxOp, votes, axis=1, keepdims=False), labels)


def _probabilities(node: Node, likely: Value, pairs: list[tuple[int, int]], classes: int) -> Value:
    """The probabilities `[n, class]`, from `likely[n, pair]`, the probabilities of the first class of each pair."""
    if classes > _MAX_CLASSES:
        raise node.unsupported(f"gives probabilities of {classes} classes", f"use up to {_MAX_CLASSES}")
    number = {pair: position for position, pair in enumerate(pairs)}

    def rather(i: int, j: int) -> Value:
        """The probability of class `i` among classes `i` and `j`, `[n, 1]`."""
        column = take(likely, 1, number[min(i, j), max(i, j)], 1)
        return column if i < j else 1 - column

    def entry(i: int, j: int) -> Value:
        if i != j:
            return -(rather(j, i) * rather(i, j))
        squares = [rather(k, i) * rather(k, i) for k in range(classes) if k != i]
        return _added(squares)

    q = reshape(
        concat([entry(i, j) for i in range(classes) for j in range(classes)], 1), [likely.shape[0], classes, classes]
    )
    start = node.builder.filled(1 / classes, (likely.shape[0], classes), np.dtype(np.float32))
    carried = [node.constant(np.zeros((1,)), np.int32), start]
    return repeat(node.builder, "probabilities", _goes_on(classes), _step(classes), carried, [q])[1]


def _added(values: Sequence[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def _gradient(q: Value, p: Value) -> tuple[Value, Value, Value]:
    """`Q p`, `p Q p`, and for each row whether it is far from its solution."""
    qp = emit(graph.ReduceSumOp, q * unsqueeze(p, [1]), axes=[2], keepdims=False)
    pqp = emit(graph.ReduceSumOp, p * qp, axes=[1], keepdims=True)
    error = emit(graph.ReduceMaxOp, abs(qp - pqp), axes=[1], keepdims=True)
    return qp, pqp, emit(graph.GreaterEqualOp, error, error.like(0.005 / p.shape[1]))


def _goes_on(classes: int) -> Callable[[Builder, Values], Values]:
    def condition(_: Builder, values: Values) -> Values:
        step, p, q = values
        far = emit(graph.ReduceMaxOp, _gradient(q, p)[2], axes=[0, 1], keepdims=False)
        return [emit(graph.LogicalAndOp, far, reshape(less(step, max(_MAX_STEPS, classes)), []))]

    return condition


def _step(classes: int) -> Callable[[Builder, Values], Values]:
    """Change one probability after the other; rows that are near their solution stay."""

    def body(_: Builder, values: Values) -> Values:
        step, p, q = values
        qp, pqp, far = _gradient(q, p)
        new = p
        for t in range(classes):
            row = reshape(take(q, 1, t, 1), p.shape)
            own, mine = take(row, 1, t, 1), take(qp, 1, t, 1)
            change = (pqp - mine) / own
            shrink = change + 1
            place = np.zeros(classes, np.float32)
            place[t] = 1
            new = (new + change * p.builder.constant(place)) / shrink
            pqp = (pqp + change * (change * own + mine * 2)) / (shrink * shrink)
            qp = (qp + change * row) / shrink
        return [step + 1, select(far, new, p)]

    return body


ML_IMPORTERS: Mapping[str, Importer] = {
    "SVMClassifier": _svm_classifier,
    "SVMRegressor": _svm_regressor,
}
