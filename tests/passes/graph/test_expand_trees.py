"""Ensembles of decision trees keep their numbers when they become tables, or are split by targets."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from s2s.decisions.given import Given
from s2s.decisions.keys import group_key
from s2s.decisions.trees import BRANCHES, TABLES
from s2s.dialects import graph
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.expand_trees import ExpandTreesPass
from support.decision_trees import random_trees, samples
from support.kernels import kernel


def check(levels: int, aggregate: str, form: str) -> None:
    """Fail if an ensemble for two targets gives other numbers in that form, or has not got it."""
    trees, weights = random_trees(levels, 6, levels)
    both = [*weights, *((row, 1, 2 * value) for row, _, value in weights[::2])]
    x = samples(levels, 40)
    function = kernel(lambda x: graph.TreeEnsembleOp(x, trees=trees, weights=both, targets=2, aggregate=aggregate), [x])
    module, op = function.parent_op(), function.body.block.first_op
    assert isinstance(module, ModuleOp)
    assert isinstance(op, graph.TreeEnsembleOp)
    context = CompilerContext(given=Given(user={"trees": {group_key((op,)): form}}))
    [before] = run_graph(function, [x], context.weights)
    ExpandTreesPass().apply(context, module)
    module.verify()
    left = [each for each in module.walk() if isinstance(each, graph.TreeEnsembleOp)]
    assert [each.targets.value.data for each in left] == ([] if form == TABLES else [1, 1])
    [after] = run_graph(function, [x], context.weights)
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("levels", [0, 1, 2, 5])
@pytest.mark.parametrize("aggregate", ["sum", "min", "max"])
def test_tables(aggregate: str, levels: int):
    check(levels, aggregate, TABLES)


@pytest.mark.parametrize("levels", [0, 1, 5])
def test_branches_by_target(levels: int):
    check(levels, "sum", BRANCHES)
