"""Numpy meaning of the matrix product."""

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.dtypes import Array
from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, widen


def _matmul(op: graph.MatmulOp, a: Array, b: Array) -> Array:
    left = widen(np.swapaxes(a, -1, -2) if op.transpose_a else a)
    right = widen(np.swapaxes(b, -1, -2) if op.transpose_b else b)
    return np.matmul(left, right).astype(a.dtype, copy=False)


MEANINGS: dict[type[Operation], Meaning] = {graph.MatmulOp: _matmul}
