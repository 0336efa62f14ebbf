"""Ensembles of decision trees keep their numbers when they are lowered to branches."""

import pytest

from s2s.dialects import graph
from s2s.types.trees import Trees
from support.decision_trees import random_trees, samples
from support.kernels import check_lowering


@pytest.mark.parametrize("levels", [0, 1, 3, 6])
@pytest.mark.parametrize("count", [1, 5])
def test_branches(count: int, levels: int):
    trees, weights = random_trees(levels, count, levels)
    check_lowering(lambda x: graph.TreeEnsembleOp(x, trees=trees, weights=weights, targets=1), samples(count, 50))


def test_a_node_that_two_others_lead_to():
    """As a test of membership in a set is written: each of its members leads to the same row."""
    trees = Trees((0,), (1, 1, 0, 0), (4, 4, 0, 0), (0.5, 0.0, 0, 0), (2, 2, 2, 3), (1, 3, 2, 3), (0, 0, 0, 0))
    assert trees.unfolded(0) == 2
    weights = [(2, 0, 1.5), (3, 0, -1.0)]
    check_lowering(lambda x: graph.TreeEnsembleOp(x, trees=trees, weights=weights, targets=1), samples(1, 50))
