"""Numpy meanings, at the greatest sizes, of the operations that depend on sizes that are known at run time."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array, to_numpy
from s2s.types.shapes.window import same_low


def _dynamic_slice(op: graph.DynamicSliceOp, x: Array) -> Array:
    rows = zip(op.starts.get_values(), op.sizes.get_values(), op.strides.get_values(), strict=True)
    return x[np.ix_(*(start + stride * np.arange(size) for start, size, stride in rows))]


def _dynamic_reshape(op: graph.DynamicReshapeOp, x: Array) -> Array:
    return x.reshape(op.shape.get_values())


def _size_values(op: graph.SizeValuesOp) -> Array:
    return np.array(op.values.get_values()).astype(to_numpy(op.y.type.element_type)).reshape(op.y.type.get_shape())


def _same_pad(op: graph.SamePadOp, x: Array) -> Array:
    axes = zip(x.shape, op.windows.get_values(), op.strides.get_values(), strict=True)
    low = [same_low(size, extent, stride, op.side.data) for size, extent, stride in axes]
    y = np.full(op.y.type.get_shape(), number(op.value), x.dtype)
    y[tuple(slice(before, before + size) for before, size in zip(low, x.shape, strict=True))] = x
    return y


MEANINGS: dict[type[Operation], Meaning] = {
    graph.DynamicReshapeOp: _dynamic_reshape,
    graph.DynamicSliceOp: _dynamic_slice,
    graph.SamePadOp: _same_pad,
    graph.SizeValuesOp: _size_values,
}
