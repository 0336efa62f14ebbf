"""Lower an ensemble of decision trees for one target to the sum of its trees.

    %y = graph.tree_ensemble %x {targets = 1, roots = array<i64: 0, 5>, …} : (tensor<4x5xf32>) -> tensor<4x1xf32>
->
    %y = tensor.compute [4, 1] epilogue(%x at (d0, d1) -> (d0, 0), %x at (d0, d1) -> (d0, 3)) apply {
    ^bb0(%a: f32, %b: f32):
      %0 = tensor.tree %a, %b {…} : …
      %1 = tensor.tree %b {…} : …
      %2 = arith.addf %0, %1 : f32
      tensor.yield %2 : f32
    } : …

Branches that decide nothing are left out, and so are trees that say 0 of everything.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.dialects import graph, tensor
from s2s.dialects.graph.base import type_of
from s2s.passes.graph.lower_to_tensor.compute import at, compute, dims
from s2s.passes.graph.lower_to_tensor.scalars import Scalar, Scalars
from s2s.support.frozen import frozen
from s2s.types.trees import Trees, weight_table


@frozen
class Tree:
    """One tree of its own: the tables with the root first, the features that it reads, and a value for each row."""

    tables: Trees
    features: Sequence[int]
    values: Sequence[float]


def alone(trees: Trees, root: int, weights: Sequence[float]) -> Tree:
    """Return the tree below `root`, whose rows and features are numbered anew."""
    order, number = [root], {root: 0}
    for row in order:
        for child in (trees.yes[row], trees.no[row]):
            if child not in number:
                number[child] = len(order)
                order.append(child)
    read = sorted({trees.features[row] for row in order if not trees.is_leaf(row)})
    place = {feature: position for position, feature in enumerate(read)}
    tables = Trees(
        roots=(0,),
        features=tuple(place.get(trees.features[row], 0) for row in order),
        comparisons=tuple(trees.comparisons[row] for row in order),
        splits=tuple(trees.splits[row] for row in order),
        yes=tuple(number[trees.yes[row]] for row in order),
        no=tuple(number[trees.no[row]] for row in order),
        missing=tuple(trees.missing[row] for row in order),
    )
    return Tree(tables, read, [weights[row] for row in order])


class LowerTreeEnsemble(RewritePattern):
    """Each tree is a scalar operation on the features that it reads."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TreeEnsembleOp, rewriter: PatternRewriter) -> None:
        weights = weight_table(op.trees.rows, 1, op.weights, np.dtype(np.float64))[:, 0].tolist()
        trees = op.trees.without_equal_sides(weights)
        found = [alone(trees, root, weights) for root in trees.roots]
        every = [tree for tree in found if tree.features or tree.values[0] != 0.0] or found[:1]
        features = sorted({feature for tree in every for feature in tree.features})
        place = {feature: position for position, feature in enumerate(features)}

        def total(s: Scalars, *values: Scalar) -> Scalar:
            said = [_value(s, tree, [values[place[feature]] for feature in tree.features], element) for tree in every]
            acc = said[0]
            for each in said[1:]:
                acc = acc + each
            return acc

        element, (row, _) = type_of(op.y).element_type, dims(2)
        y = compute(
            rewriter,
            op,
            type_of(op.y).get_shape(),
            epilogue=[at(op.x, row, feature) for feature in features],
            apply=total,
        )
        rewriter.replace(op, [], [y])


def _value(s: Scalars, tree: Tree, features: Sequence[Scalar], element: Attribute) -> Scalar:
    """What a tree says; a leaf alone is a constant."""
    if not features:
        return s.constant(tree.values[0], element)
    made = tensor.TreeOp([each.value for each in features], tree.tables, tree.values, features[0].value.type)
    return s.insert(made, features[0].element)


PATTERNS: tuple[RewritePattern, ...] = (LowerTreeEnsemble(),)
