"""Numpy meaning of the matrix products with weights that are quantised by blocks."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, widen
from s2s.types.dtypes import Array, to_numpy


def unpack_blocks(w: Array, bits: int) -> Array:
    """Return the integers of `w[rows, blocks, bytes]`, one an element: `[rows, blocks, block]`."""
    if bits == 8:
        return w
    return np.stack([(w << 4) >> 4, w >> 4], axis=-1).reshape(*w.shape[:-1], -1)


def dequantize_blocks(op: graph.BlockwiseMatmulOp, w: Array, scales: Array, zero_points: Array | None) -> Array:
    """Return the weights as floats, `[rows, blocks * block]`."""
    scales = widen(scales)
    q = unpack_blocks(w, op.bits.value.data).astype(scales.dtype)
    moved = q if zero_points is None else q - zero_points[..., None].astype(scales.dtype)
    return (moved * scales[..., None]).reshape(w.shape[0], -1)


def _matmul(op: graph.BlockwiseMatmulOp, x: Array, w: Array, scales: Array, *zero_points: Array) -> Array:
    weights = dequantize_blocks(op, w, scales, zero_points[0] if zero_points else None)
    y = np.matmul(widen(x), weights[:, : x.shape[-1]].T)
    return y.astype(to_numpy(op.y.type.element_type), copy=False)


def dequantize_codes(w: Array, table: Array, scales: Array) -> Array:
    """Return weights that are codes of a table as floats, `[rows, blocks * block]`."""
    scales = widen(scales)
    return (widen(table)[unpack_blocks(w, 4) & 15] * scales[..., None]).reshape(w.shape[0], -1)


def _codebook_matmul(op: graph.CodebookMatmulOp, x: Array, w: Array, table: Array, scales: Array) -> Array:
    y = np.matmul(widen(x), dequantize_codes(w, table, scales)[:, : x.shape[-1]].T)
    return y.astype(to_numpy(op.y.type.element_type), copy=False)


def _dot(op: graph.BlockwiseDotOp, x: Array, x_scales: Array, w: Array, scales: Array, *zero_points: Array) -> Array:
    parts = w[:, :, None, :] if op.bits.value.data == 8 else np.stack([w & 15, (w >> 4) & 15], axis=2)
    sums = np.einsum("...bhn,jbhn->...jb", x.astype(np.int32), parts.astype(np.int32))
    zero = zero_points[0].astype(np.float64) + op.half if zero_points else op.half
    moved = sums - zero * x.astype(np.int32).sum(axis=(-2, -1))[..., None, :]
    y = np.sum(moved * widen(x_scales)[..., None, :] * widen(scales), axis=-1)
    return y.astype(to_numpy(op.y.type.element_type), copy=False)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.BlockwiseMatmulOp: _matmul,
    graph.CodebookMatmulOp: _codebook_matmul,
    graph.BlockwiseDotOp: _dot,
}
