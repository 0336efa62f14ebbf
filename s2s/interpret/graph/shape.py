"""Numpy meanings of the operations that move elements."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.interpret.graph.precision import Meaning
from s2s.types.dtypes import Array, to_numpy


def _reshape(op: graph.ReshapeOp, x: Array) -> Array:
    return x.reshape(op.y.type.get_shape())


def _broadcast_to(op: graph.BroadcastToOp, x: Array) -> Array:
    return np.broadcast_to(x, op.y.type.get_shape())


def _transpose(op: graph.TransposeOp, x: Array) -> Array:
    return np.transpose(x, op.perm.get_values())


def _slice(op: graph.SliceOp, x: Array) -> Array:
    bounds = zip(op.starts.get_values(), op.sizes.get_values(), op.strides.get_values(), strict=True)
    return x[tuple(_range(start, size, stride) for start, size, stride in bounds)]


def _range(start: int, size: int, stride: int) -> slice:
    """Return the slice of `size` elements from `start`; a descending slice that ends at element 0 needs None as its
    end."""
    end = start + size * stride
    return slice(start, None if end < 0 else end, stride) if size else slice(0, 0)


def _tile(op: graph.TileOp, x: Array) -> Array:
    return np.tile(x, op.repeats.get_values())


def _pad(op: graph.PadOp, x: Array) -> Array:
    widths = list(zip(op.low.get_values(), op.high.get_values(), strict=True))
    if op.mode.data == "constant":
        return np.pad(x, widths, constant_values=np.asarray(number(op.value)).astype(x.dtype))
    if op.mode.data == "edge":
        return np.pad(x, widths, mode="edge")
    return np.pad(x, widths, mode="reflect" if op.mode.data == "reflect" else "wrap")


def _concat(op: graph.ConcatOp, *inputs: Array) -> Array:
    return np.concatenate(inputs, axis=op.axis.value.data)


def _iota(op: graph.IotaOp) -> Array:
    shape, axis = op.y.type.get_shape(), op.axis.value.data
    counts = np.arange(shape[axis]).astype(to_numpy(op.y.type.element_type))
    return np.broadcast_to(counts.reshape(-1, *[1] * (len(shape) - axis - 1)), shape)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.ReshapeOp: _reshape,
    graph.BroadcastToOp: _broadcast_to,
    graph.TransposeOp: _transpose,
    graph.SliceOp: _slice,
    graph.TileOp: _tile,
    graph.PadOp: _pad,
    graph.ConcatOp: _concat,
    graph.IotaOp: _iota,
}
