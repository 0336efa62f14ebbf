"""Numpy meaning of the matrix products with weights that are quantised by blocks of superblocks."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.blockwise import unpack_blocks
from s2s.interpret.graph.precision import Meaning, widen
from s2s.types.dtypes import Array, to_numpy


def _by_block(inner: Array, outer: Array) -> Array:
    """Return the product of the scales of blocks and of superblocks, for each block."""
    return inner.astype(np.float32) * np.repeat(widen(outer), inner.shape[1] // outer.shape[1], axis=1)


def _matmul(op: graph.SuperblockMatmulOp, x: Array, w: Array, *levels: Array) -> Array:
    scales, mins, super_scales, super_mins = levels
    q = unpack_blocks(w, 4) & 15 if op.bits.value.data == 4 else w
    least = _by_block(mins, super_mins)[..., None]
    weights = (q * _by_block(scales, super_scales)[..., None] - least).reshape(w.shape[0], -1)
    y = np.matmul(widen(x), weights[:, : x.shape[-1]].T)
    return y.astype(to_numpy(op.y.type.element_type), copy=False)


def _dot(op: graph.SuperblockDotOp, x: Array, x_scales: Array, w: Array, *levels: Array) -> Array:
    scales, mins, super_scales, super_mins = levels
    parts = w[:, :, None, :] if x.shape[-2] == 1 else np.stack([w & 15, (w >> 4) & 15], axis=2)
    sums = np.einsum("...bhn,jbhn->...jb", x.astype(np.int32), parts.astype(np.int32))
    totals = x.astype(np.int32).sum(axis=(-2, -1))[..., None, :]
    scaled = sums * _by_block(scales, super_scales) - totals * _by_block(mins, super_mins)
    y = np.sum(scaled * widen(x_scales)[..., None, :], axis=-1)
    return y.astype(to_numpy(op.y.type.element_type), copy=False)


MEANINGS: dict[type[Operation], Meaning] = {
    graph.SuperblockMatmulOp: _matmul,
    graph.SuperblockDotOp: _dot,
}
