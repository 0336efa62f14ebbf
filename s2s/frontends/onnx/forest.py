"""Ensembles of decision trees, as their operators state them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.onnx.node import Node
from s2s.types.trees import MAX_DEPTH, Trees

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
"""Comparisons, by the number that TreeEnsemble and `s2s.types.trees.COMPARISONS` have for them."""
LEAF = "LEAF"


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
    """Row of a leaf, target, weight; rows of one leaf and target add up."""

    def trees(self) -> Trees:
        """The tables of all nodes."""
        nodes = self.nodes
        return Trees(
            roots=tuple(self.roots),
            features=tuple(branch.feature for branch in nodes),
            comparisons=tuple(_code(branch.mode) for branch in nodes),
            splits=tuple(branch.split for branch in nodes),
            yes=tuple(branch.yes for branch in nodes),
            no=tuple(branch.no for branch in nodes),
            missing=tuple(int(branch.missing) for branch in nodes),
        )


def _code(mode: str) -> int:
    return MODES.index(mode) if mode in MODES else 0


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
    trees = forest.trees()
    if trees.levels() is None:
        raise node.invalid(f"its trees are over {MAX_DEPTH} levels deep, or run in circles", "export them again")
    if any(branch.feature >= x.shape[1] or branch.feature < 0 for branch in forest.nodes):
        raise node.invalid(f"a tree looks at a feature beyond the {x.shape[1]} of its input", "fix the ids of features")
    aggregate = {"MIN": "min", "MAX": "max"}.get(how, "sum")
    weights = [entry for entry in forest.weights if trees.is_leaf(entry[0])]
    y = emit(graph.TreeEnsembleOp, x, trees=trees, weights=weights, targets=targets, aggregate=aggregate)
    return y / len(forest.roots) if how == "AVERAGE" else y


def as_rows(node: Node, x: Value) -> Value:
    """`x` as rows of floats; integers count as f32."""
    if x.rank not in (1, 2):
        raise node.invalid(f"input has {x.rank} dimensions", "give one row of features for each sample")
    rows = reshape(x, [1, *x.shape]) if x.rank == 1 else x
    return rows if x.is_float else cast(rows, np.dtype(np.float32))
