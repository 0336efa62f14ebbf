"""Numpy meanings, at the greatest sizes, of the operations that depend on sizes that are known at run time."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array, to_numpy


def _dynamic_slice(op: graph.DynamicSliceOp, x: Array) -> Array:
    rows = zip(op.starts.get_values(), op.sizes.get_values(), op.strides.get_values(), strict=True)
    return x[np.ix_(*(start + stride * np.arange(size) for start, size, stride in rows))]


def _dynamic_reshape(op: graph.DynamicReshapeOp, x: Array) -> Array:
    return x.reshape(op.shape.get_values())


def _size_values(op: graph.SizeValuesOp) -> Array:
    return np.array(op.values.get_values()).astype(to_numpy(op.y.type.element_type)).reshape(op.y.type.get_shape())


MEANINGS: dict[type[Operation], Meaning] = {
    graph.DynamicReshapeOp: _dynamic_reshape,
    graph.DynamicSliceOp: _dynamic_slice,
    graph.SizeValuesOp: _size_values,
}
