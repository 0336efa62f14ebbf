"""Numpy meanings of matrix products and determinants."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.graph.products import factors, matmul
from s2s.types.dtypes import Array, to_numpy


def _matmul(op: graph.MatmulOp, a: Array, b: Array) -> Array:
    left, right = factors(op.accumulation, a, b if a.dtype.kind != "f" else b.astype(a.dtype, copy=False))
    left = np.swapaxes(left, -1, -2) if op.transpose_a else left
    right = np.swapaxes(right, -1, -2) if op.transpose_b else right
    return matmul(left, right).astype(to_numpy(op.y.type.element_type), copy=False)


def _determinant(op: graph.DeterminantOp, x: Array) -> Array:
    from s2s.interpret.determinant import determinant

    return determinant(x)


MEANINGS: dict[type[Operation], Meaning] = {graph.DeterminantOp: _determinant, graph.MatmulOp: _matmul}
