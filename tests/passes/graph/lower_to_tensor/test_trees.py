"""Ensembles of decision trees keep their numbers when they are lowered to branches."""

from dataclasses import replace

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


@pytest.mark.parametrize("levels", [0, 1, 3, 6])
def test_leaves_that_often_say_the_same(levels: int):
    trees, weights = random_trees(levels, 8, levels)
    few = [(row, 0, float(value > 0)) for row, _, value in weights]
    check_lowering(lambda x: graph.TreeEnsembleOp(x, trees=trees, weights=few, targets=1), samples(levels, 50))


def chain(*weights: float) -> tuple[Trees, list[float]]:
    """A tree whose branches, one for each weight but the last, have a leaf on one side and the next on the other."""
    count = len(weights) - 1
    leaves = tuple(range(count, 2 * count + 1))
    zeros = (0,) * (2 * count + 1)
    no = (*range(1, count), leaves[-1], *leaves)
    trees = Trees((0,), zeros, zeros, (0.0,) * len(zeros), (*leaves[:-1], *leaves), no, zeros)
    return trees, [0.0] * count + [*weights]


@pytest.mark.parametrize(("weights", "branches"), [((1, 2, 3), 2), ((1, 2, 2), 1), ((1, 1, 1), 0), ((1, 1, 2), 2)])
def test_branches_that_decide_nothing_are_left_out(weights: tuple[float, ...], branches: int):
    trees, by_row = chain(*weights)
    kept = trees.without_equal_sides(by_row)
    assert (trees.unfolded(0), kept.unfolded(kept.roots[0])) == (2, branches)


def test_a_tree_that_ends_in_one_weight_is_that_leaf():
    trees, by_row = chain(5.0, 5.0, 5.0)
    [root] = trees.without_equal_sides(by_row).roots
    assert trees.is_leaf(root)
    assert by_row[root] == 5.0


def test_trees_that_say_nothing_are_not_added():
    one, weights = chain(0.0, 0.0)
    trees = replace(one, roots=(0, 0))
    entries = [(row, 0, weight) for row, weight in enumerate(weights) if trees.is_leaf(row)]
    check_lowering(lambda x: graph.TreeEnsembleOp(x, trees=trees, weights=entries, targets=1), samples(1, 4))
