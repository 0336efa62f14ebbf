"""Numpy meanings of the operations that write at positions that a tensor holds (scatter)."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.index import element_places, slice_places
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array

_COMBINE = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _scatter(x: Array, places: tuple[Array, ...], updates: Array, reduction: str) -> Array:
    y = x.copy()
    if reduction == "none":
        y[places] = updates
    else:
        _COMBINE[reduction].at(y, places, updates)
    return y


def _scatter_elements(op: graph.ScatterElementsOp, x: Array, indices: Array, updates: Array) -> Array:
    places = element_places(x, indices, op.axis.value.data, nonnegative=op.is_nonnegative)
    return _scatter(x, places, updates, op.reduction.data)


def _scatter_nd(op: graph.ScatterNdOp, x: Array, indices: Array, updates: Array) -> Array:
    places = slice_places(x.shape, indices, nonnegative=op.is_nonnegative)
    return _scatter(x, places, updates, op.reduction.data)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.ScatterElementsOp: _scatter_elements,
    graph.ScatterNdOp: _scatter_nd,
}
