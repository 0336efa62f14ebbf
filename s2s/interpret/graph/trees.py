"""Numpy meaning of ensembles of decision trees."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.trees import leaf_row
from s2s.types.dtypes import Array
from s2s.types.trees import ABSENT, weight_table


def _tree_ensemble(op: graph.TreeEnsembleOp, x: Array) -> Array:
    trees, how = op.trees, op.aggregate.data
    absent = ABSENT[how]
    weights = weight_table(trees.rows, op.targets.value.data, op.weights, x.dtype, absent)
    y = np.full((len(x), weights.shape[1]), absent, x.dtype)
    combine = {"min": np.minimum, "max": np.maximum}.get(how, np.add)
    for root in trees.roots:
        y = combine(y, weights[leaf_row(trees, root, x.T)])
    return np.where(np.isinf(y), x.dtype.type(0), y) if absent else y


MEANINGS: dict[type[Operation], Meaning] = {graph.TreeEnsembleOp: _tree_ensemble}
