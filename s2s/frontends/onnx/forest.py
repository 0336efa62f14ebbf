"""Decision trees as tables that all trees of an ensemble share, walked level by level.

A node is a row: the feature it looks at, what it compares with, and the rows that come next. A leaf is its own next
row, so that every tree takes as many steps as the deepest one:

    at[n, t] = root of tree t
    depth times: at = x[n, feature[at]] <= split[at] ? yes[at] : no[at]
    y[n] = sum(t: weights[at[n, t]])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, reshape, select
from s2s.frontends.onnx.node import Node
from s2s.types.dtypes import Array

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
"""Comparisons, by the number that TreeEnsemble has for them."""
_COMPARISONS: Mapping[str, type[graph.LessOp | graph.EqualOp]] = {
    "BRANCH_LEQ": graph.LessEqualOp,
    "BRANCH_LT": graph.LessOp,
    "BRANCH_GTE": graph.GreaterEqualOp,
    "BRANCH_GT": graph.GreaterOp,
    "BRANCH_EQ": graph.EqualOp,
}  # pyright: ignore[reportAssignmentType]
LEAF = "LEAF"
_MAX_DEPTH = 512
"""Levels of a tree; trainers stop far earlier, but a test of membership takes one for each member."""


@dataclass
class Branch:
    """A node of a tree. `yes` and `no` are rows of the table; those of a leaf are its own."""

    mode: str
    feature: int = 0
    split: float = 0.0
    yes: int = 0
    no: int = 0
    missing: bool = False
    """Whether NaN goes to `yes`."""


@dataclass
class Forest:
    """Trees: all their nodes, the roots, and the weights of leaves by target."""

    nodes: list[Branch]
    roots: list[int]
    weights: list[tuple[int, int, float]] = field(default_factory=list[tuple[int, int, float]])
    """Row of a leaf, target, weight; those of one leaf and target add up."""

    def table(self, targets: int, dtype: np.dtype[np.generic], absent: float = 0.0) -> Array:
        """The weights by row and target; `absent` where a leaf says nothing of a target."""
        found = np.full((len(self.nodes), targets), absent, dtype)
        for row, target, weight in self.weights:
            before = 0.0 if found[row, target] == absent else float(found[row, target])
            found[row, target] = before + weight
        return found

    def depth(self, node: Node) -> int:
        """Steps from the roots to the deepest leaf."""
        level, at = 0, set(self.roots)
        while at := {row for row in at if self.nodes[row].mode != LEAF}:
            level += 1
            at = {child for row in at for child in (self.nodes[row].yes, self.nodes[row].no)}
            if level > _MAX_DEPTH:
                raise node.invalid(
                    f"its trees are over {_MAX_DEPTH} levels deep, or run in circles", "export them again"
                )
        return level


def leaves(node: Node, x: Value, forest: Forest) -> Value:
    """For each row of `x` and each tree the row of the leaf that it ends in."""
    depth, count = forest.depth(node), len(forest.nodes)
    if any(branch.feature >= x.shape[1] or branch.feature < 0 for branch in forest.nodes):
        raise node.invalid(f"a tree looks at a feature beyond the {x.shape[1]} of its input", "fix the ids of features")
    index = np.min_scalar_type(count)
    column = _columns(forest, index, x)
    at = node.constant(np.asarray(forest.roots)[None, :], index)
    for level in range(depth):
        feature = emit(graph.GatherOp, column["feature"], at, axis=0)
        if level == 0:
            value = emit(graph.GatherOp, x, reshape(feature, [feature.shape[1]]), axis=1)
        else:
            value = emit(graph.GatherElementsOp, x, feature, axis=1)
        yes = emit(graph.GatherOp, column["yes"], at, axis=0)
        no = emit(graph.GatherOp, column["no"], at, axis=0)
        at = select(_goes_on(forest, column, at, value), yes, no)
    return broadcast_to(at, [x.shape[0], len(forest.roots)])


def _columns(forest: Forest, index: np.dtype[np.generic], x: Value) -> dict[str, Value]:
    nodes, constant = forest.nodes, x.builder.constant
    features = np.array([branch.feature for branch in nodes])
    return {
        "feature": constant(features.astype(np.min_scalar_type(int(features.max(initial=0))))),
        "split": constant(np.array([branch.split for branch in nodes]).astype(x.dtype)),
        "yes": constant(np.array([branch.yes for branch in nodes]).astype(index)),
        "no": constant(np.array([branch.no for branch in nodes]).astype(index)),
        "missing": constant(np.array([branch.missing for branch in nodes], np.bool_)),
        "mode": constant(np.array([_code(branch.mode) for branch in nodes], np.uint8)),
    }


def _code(mode: str) -> int:
    return MODES.index(mode) if mode in MODES else 0


def _goes_on(forest: Forest, column: Mapping[str, Value], at: Value, value: Value) -> Value:
    """Whether the comparison of each node holds."""
    modes = sorted({branch.mode for branch in forest.nodes} - {LEAF}, key=_code)
    split = emit(graph.GatherOp, column["split"], at, axis=0)
    holds = _compared(modes[0], value, split)
    for mode in modes[1:]:
        code = emit(graph.GatherOp, column["mode"], at, axis=0)
        holds = select(emit(graph.EqualOp, code, code.like(_code(mode))), _compared(mode, value, split), holds)
    if any(branch.missing for branch in forest.nodes):
        missing = emit(graph.GatherOp, column["missing"], at, axis=0)
        unknown = emit(graph.LogicalAndOp, emit(graph.IsNanOp, value), missing)
        holds = emit(graph.LogicalOrOp, holds, unknown)
    return holds


def _compared(mode: str, value: Value, split: Value) -> Value:
    if mode == "BRANCH_NEQ":
        return emit(graph.LogicalNotOp, emit(graph.EqualOp, value, split))
    return emit(_COMPARISONS[mode], value, split)


def expand_members(forest: Forest, members: Mapping[int, Sequence[float]]) -> None:
    """Rewrite nodes that test membership in a set as chains of tests for equality."""
    for row, values in members.items():
        branch = forest.nodes[row]
        outcome, last = branch.yes, branch.no
        chain = [row, *range(len(forest.nodes), len(forest.nodes) + len(values) - 1)]
        for place, (each, value) in enumerate(zip(chain, values, strict=True)):
            following = chain[place + 1] if place + 1 < len(chain) else last
            made = Branch("BRANCH_EQ", branch.feature, value, outcome, following, branch.missing)
            if each < len(forest.nodes):
                forest.nodes[each] = made
            else:
                forest.nodes.append(made)


def aggregated(node: Node, x: Value, forest: Forest, targets: int, how: str) -> Value:
    """`SUM`, `AVERAGE`, `MIN` or `MAX` of the weights of leaves, by row and target."""
    absent = {"MIN": np.inf, "MAX": -np.inf}.get(how, 0.0)
    at = leaves(node, x, forest)
    weights = node.constant(forest.table(targets, x.dtype, absent))
    picked = emit(graph.GatherOp, weights, at, axis=0)
    operation = {"MIN": graph.ReduceMinOp, "MAX": graph.ReduceMaxOp}.get(how, graph.ReduceSumOp)
    y = emit(operation, picked, axes=[1], keepdims=False)
    if absent:
        unknown = emit(graph.IsInfOp, y, detect_negative=True, detect_positive=True)
        return select(unknown, y.like(0), y)
    return y / len(forest.roots) if how == "AVERAGE" else y


def as_rows(node: Node, x: Value) -> Value:
    """`x` as rows of floats; integers count as f32."""
    if x.rank not in (1, 2):
        raise node.invalid(f"input has {x.rank} dimensions", "give one row of features for each sample")
    rows = reshape(x, [1, *x.shape]) if x.rank == 1 else x
    return rows if x.is_float else cast(rows, np.dtype(np.float32))
