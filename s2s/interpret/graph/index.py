"""Numpy meanings of the operations that read at positions that a tensor holds (gather)."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array


def _positions(indices: Array, size: int, *, nonnegative: bool) -> Array:
    """Return nonnegative `indices`; raise an error for an index outside of the dimension, which ONNX leaves
    undefined. Negative ones count from the end, or are outside too if they have to be `nonnegative`."""
    positions, least = indices.astype(np.int64), 0 if nonnegative else -size
    outside = (positions < least) | (positions >= size)
    if np.any(outside):
        raise InputError(f"index {positions[outside].flat[0]}: is outside [{least}, {size}); give valid indices")
    return np.where(positions < 0, positions + size, positions)


def _gather(op: graph.GatherOp, x: Array, indices: Array) -> Array:
    axis = op.axis.value.data
    return np.take(x, _positions(indices, x.shape[axis], nonnegative=op.is_nonnegative), axis=axis)


def _gather_elements(op: graph.GatherElementsOp, x: Array, indices: Array) -> Array:
    return x[element_places(x, indices, op.axis.value.data, nonnegative=op.is_nonnegative)]


def element_places(x: Array, indices: Array, axis: int, *, nonnegative: bool) -> tuple[Array, ...]:
    """Return the positions in `x` of the elements that `indices` select along `axis`."""
    places = list(np.indices(indices.shape, sparse=True))
    places[axis] = _positions(indices, x.shape[axis], nonnegative=nonnegative)
    return tuple(places)


def _gather_nd(op: graph.GatherNdOp, x: Array, indices: Array) -> Array:
    batch_dims = op.batch_dims.value.data
    batch = np.indices((*indices.shape[:batch_dims], *[1] * (indices.ndim - 1 - batch_dims)), sparse=True)
    places = slice_places(x.shape[batch_dims:], indices, nonnegative=op.is_nonnegative)
    return x[(*batch[:batch_dims], *places)]


def slice_places(shape: tuple[int, ...], indices: Array, *, nonnegative: bool) -> tuple[Array, ...]:
    """Split the last dimension of `indices` into one array of positions per dimension of `shape`."""
    return tuple(_positions(indices[..., i], shape[i], nonnegative=nonnegative) for i in range(indices.shape[-1]))


MEANINGS: dict[type[Operation], Meaning] = {
    graph.GatherOp: _gather,
    graph.GatherElementsOp: _gather_elements,
    graph.GatherNdOp: _gather_nd,
}
