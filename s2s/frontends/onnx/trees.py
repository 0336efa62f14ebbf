"""Ensembles of decision trees of ai.onnx.ml, as scikit-learn, LightGBM and XGBoost are converted to."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, greater, select
from s2s.frontends.onnx.forest import LEAF, MODES, Branch, Forest, aggregated, as_rows, expand_members
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.scores import Labels, class_labels, labelled, most_likely, transform, transformed

_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def _numbers(node: Node, name: str) -> Sequence[float]:
    """A list of numbers that is an attribute of floats, or a tensor of another type."""
    tensor = f"{name}_as_tensor"
    return node.tensor(tensor).reshape(-1).tolist() if node.has(tensor) else node.reals(name, [])


def _forest(node: Node, kind: str) -> Forest:
    """The trees of the operators before TreeEnsemble; `kind` is `target` or `class`, what leaves speak of."""
    trees, ids = node.integers("nodes_treeids"), node.integers("nodes_nodeids")
    modes = [mode.decode("utf-8", "replace") for mode in node.texts("nodes_modes")]
    features, splits = node.integers("nodes_featureids"), _numbers(node, "nodes_values")
    yes, no = node.integers("nodes_truenodeids"), node.integers("nodes_falsenodeids")
    missing = node.integers("nodes_missing_value_tracks_true", []) or [0] * len(ids)
    columns = (trees, ids, modes, features, splits, yes, no, missing)
    if len({len(column) for column in columns}) != 1 or not ids:
        raise node.invalid("the attributes of its nodes differ in length, or are empty", "export the model again")
    rows = {key: row for row, key in enumerate(zip(trees, ids, strict=True))}
    nodes: list[Branch] = []
    for row, (tree, mode, feature, split, then, other, unknown) in enumerate(
        zip(trees, modes, features, splits, yes, no, missing, strict=True)
    ):
        if mode == LEAF:
            nodes.append(Branch(LEAF, yes=row, no=row))
            continue
        if mode not in MODES[:-1]:
            raise node.unsupported(f"a node has mode {mode!r}", f"use {', '.join(MODES[:-1])} or LEAF")
        children = [_row(node, rows, tree, child) for child in (then, other)]
        nodes.append(Branch(mode, feature, split, *children, missing=bool(unknown)))
    inner = {child for branch in nodes if branch.mode != LEAF for child in (branch.yes, branch.no)}
    roots = [row for row in range(len(nodes)) if row not in inner]
    if len(roots) != len(set(trees)):
        raise node.invalid(f"{len(set(trees))} trees have {len(roots)} roots", "export the model again")
    return Forest(nodes, roots, _weights(node, kind, rows))


def _row(node: Node, rows: Mapping[tuple[int, int], int], tree: int, wanted: int) -> int:
    if (tree, wanted) not in rows:
        raise node.invalid(f"tree {tree} has no node {wanted}", "export the model again")
    return rows[tree, wanted]


def _weights(node: Node, kind: str, rows: Mapping[tuple[int, int], int]) -> list[tuple[int, int, float]]:
    trees, ids = node.integers(f"{kind}_treeids"), node.integers(f"{kind}_nodeids")
    targets, weights = node.integers(f"{kind}_ids"), _numbers(node, f"{kind}_weights")
    if len({len(trees), len(ids), len(targets), len(weights)}) != 1:
        raise node.invalid("the attributes of its leaves differ in length", "export the model again")
    return [
        (_row(node, rows, tree, leaf), target, weight)
        for tree, leaf, target, weight in zip(trees, ids, targets, weights, strict=True)
    ]


def _check_targets(node: Node, forest: Forest, count: int) -> None:
    if count < 1 or any(not 0 <= target < count for _, target, _ in forest.weights):
        raise node.invalid(f"a leaf speaks of a target beyond {count}", "export the model again")
    node.require_small(count * len(forest.nodes), "the table of leaves")


def _with_base(node: Node, scores: Value) -> Value:
    base = _numbers(node, "base_values")
    if base and len(base) != scores.shape[1]:
        raise node.invalid(f"{len(base)} base values for {scores.shape[1]} scores", "export the model again")
    return scores + node.constant(np.asarray(base).astype(scores.dtype)) if base else scores


def _regressor(node: Node) -> Value:
    x, forest = as_rows(node, node.input(0)), _forest(node, "target")
    targets = node.integer("n_targets", 1)
    _check_targets(node, forest, targets)
    how = node.choice("aggregate_function", *_AGGREGATES)
    return transformed(node, _with_base(node, _single(aggregated(node, x, forest, targets, how))))


def _single(scores: Value) -> Value:
    """Scores as f32, which these operators give whatever their input is."""
    return cast(scores, np.dtype(np.float32))


def _classifier(node: Node) -> list[Value]:
    x, forest = as_rows(node, node.input(0)), _forest(node, "class")
    labels = class_labels(node, "classlabels_int64s", "classlabels_strings")
    _check_targets(node, forest, len(labels))
    spoken_of = {target for _, target, _ in forest.weights}
    if len(labels) == 2 and len(spoken_of) == 1:
        return _binary(node, x, forest, labels)
    scores = _with_base(node, _single(aggregated(node, x, forest, len(labels), "SUM")))
    return [most_likely(scores, labels), transformed(node, scores)]


def _binary(node: Node, x: Value, forest: Forest, labels: Labels) -> list[Value]:
    """Two classes of which leaves speak of one: its score decides, and stands for both if it belongs to the first."""
    base, (spoken_of,) = _numbers(node, "base_values"), {target for _, target, _ in forest.weights}
    if len(base) > 1 or (base and spoken_of):
        raise node.unsupported(f"{len(base)} base values for leaves of class {spoken_of} alone", "leave them out")
    one = Forest(forest.nodes, forest.roots, [(row, 0, weight) for row, _, weight in forest.weights])
    score = _single(aggregated(node, x, one, 1, "SUM"))
    score = score + base[0] if base else score
    positive = all(weight >= 0 for _, _, weight in forest.weights)
    chosen = greater(score, 0.5 if positive else 0.0)
    label = labelled(emit(graph.ReshapeOp, _number(chosen), shape=[x.shape[0]]), labels)
    how = node.choice("post_transform", *_TRANSFORMS)
    if spoken_of:
        return [label, transform(concat([score * 0.0, score], 1), how)]
    if how == "PROBIT":
        raise node.unsupported(
            "PROBIT of one score for two classes is read differently by every engine", "use LOGISTIC"
        )
    if how == "LOGISTIC":
        return [label, transform(concat([-score, score], 1), how)]
    return [label, concat([1 - score if positive else -score, score], 1)]


def _number(condition: Value) -> Value:
    yes = condition.builder.constant(np.ones((), np.int64))
    return select(condition, yes, 0)


def _ensemble(node: Node) -> Value:
    """TreeEnsemble of version 5: branches and leaves are tables of their own."""
    x, targets = as_rows(node, node.input(0)), node.integer("n_targets", 1)
    modes, splits = node.tensor("nodes_modes").reshape(-1).tolist(), node.tensor("nodes_splits").reshape(-1)
    features = node.integers("nodes_featureids")
    yes, no = node.integers("nodes_truenodeids"), node.integers("nodes_falsenodeids")
    yes_leaf, no_leaf = node.integers("nodes_trueleafs"), node.integers("nodes_falseleafs")
    missing = node.integers("nodes_missing_value_tracks_true", []) or [0] * len(modes)
    leaf_targets, weights = node.integers("leaf_targetids"), node.tensor("leaf_weights").reshape(-1).tolist()
    branches = len(modes)
    columns = (modes, splits, features, yes, no, yes_leaf, no_leaf, missing)
    if len({len(column) for column in columns}) != 1 or len(leaf_targets) != len(weights) or not weights:
        raise node.invalid("the attributes of its nodes or leaves differ in length", "export the model again")

    def row(child: int, is_leaf: int) -> int:
        if not 0 <= child < (len(weights) if is_leaf else branches):
            raise node.invalid(f"a node has child {child}, which does not exist", "export the model again")
        return child + (branches if is_leaf else 0)

    nodes = [
        Branch(_mode(node, mode), feature, float(split), row(then, then_leaf), row(other, other_leaf), bool(unknown))
        for mode, feature, split, then, then_leaf, other, other_leaf, unknown in zip(
            modes, features, splits, yes, yes_leaf, no, no_leaf, missing, strict=True
        )
    ]
    nodes += [Branch(LEAF, yes=branches + leaf, no=branches + leaf) for leaf in range(len(weights))]
    forest = Forest(nodes, [row(root, 0) for root in node.integers("tree_roots")] if branches else [0])
    forest.weights = [(branches + leaf, target, weights[leaf]) for leaf, target in enumerate(leaf_targets)]
    expand_members(forest, _members(node, forest))
    _check_targets(node, forest, targets)
    y = aggregated(node, x, forest, targets, _AGGREGATES[_of(node, "aggregate_function", len(_AGGREGATES))])
    return transform(y, _TRANSFORMS[_of(node, "post_transform", len(_TRANSFORMS))])


def _of(node: Node, name: str, count: int) -> int:
    value = node.integer(name)
    if not 0 <= value < count:
        raise node.invalid(f"{name} is {value}", f"give 0 to {count - 1}")
    return value


def _mode(node: Node, number: int) -> str:
    if not 0 <= number < len(MODES):
        raise node.invalid(f"a node has mode {number}", f"give 0 to {len(MODES) - 1}")
    return MODES[number]


def _members(node: Node, forest: Forest) -> dict[int, list[float]]:
    """The sets of the nodes that test membership, one after the other with a NaN behind each."""
    rows = [row for row, branch in enumerate(forest.nodes) if branch.mode == MODES[-1]]
    if not rows:
        return {}
    sets: list[list[float]] = [[]]
    for value in node.tensor("membership_values").reshape(-1).tolist():
        if np.isnan(value):
            sets.append([])
        else:
            sets[-1].append(value)
    if len(sets) < len(rows) or any(not values for values in sets[: len(rows)]):
        raise node.invalid(f"{len(rows)} nodes test membership in {len(sets)} sets", "export the model again")
    return dict(zip(rows, sets, strict=False))


ML_IMPORTERS: Mapping[str, Importer] = {
    "TreeEnsemble": _ensemble,
    "TreeEnsembleClassifier": _classifier,
    "TreeEnsembleRegressor": _regressor,
}
