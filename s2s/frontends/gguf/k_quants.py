"""Take apart the blocks of GGML's k-quants: superblocks of 256 weights with scales that are quantised too."""

from typing import NamedTuple

import numpy as np

from s2s.types.dtypes import Array

BLOCKS = 8
"""The blocks in a superblock of Q4_K, of 32 weights each."""
LOW = np.uint8(0x0F)
HIGH_OF_SIX = np.uint8(0x30)
SIX = np.uint8(0x3F)


class Q4K(NamedTuple):
    """Weights `q * super_scale * scale - super_min * min`: `[rows, blocks, 32]` with constants of each block and of
    each superblock."""

    q: Array
    scales: Array
    mins: Array
    super_scales: Array
    super_mins: Array

    def floats(self) -> Array:
        """The weights, `[rows, blocks, 32]` of float32; nothing but the last difference is rounded."""
        scales, mins = (
            inner.astype(np.float32) * np.repeat(outer.astype(np.float32), BLOCKS, axis=1)
            for inner, outer in ((self.scales, self.super_scales), (self.mins, self.super_mins))
        )
        return self.q * scales[..., None] - mins[..., None]


def q4_k(data: Array) -> Q4K:
    """Take apart `[rows, superblocks, 144]` bytes: two halves, twelve bytes of scales and least values of six bits,
    and for each pair of blocks 32 bytes that hold the weights of the first in their lower half."""
    rows = len(data)
    packed = data[..., 4:16].reshape(rows, -1, 3, 4)
    first, second, mixed = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
    scales = np.concatenate([first & SIX, mixed & LOW | first >> 2 & HIGH_OF_SIX], axis=-1)
    mins = np.concatenate([second & SIX, mixed >> 4 | second >> 2 & HIGH_OF_SIX], axis=-1)
    pairs = data[..., 16:].reshape(rows, -1, BLOCKS // 2, 32)
    q = np.stack([pairs & LOW, pairs >> 4], axis=3)
    return Q4K(
        q.reshape(rows, -1, 32),
        scales.reshape(rows, -1),
        mins.reshape(rows, -1),
        halves(data[..., :2]),
        halves(data[..., 2:4]),
    )


def q6_k(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 210]` bytes: the lower four bits of the weights, their upper two, sixteen scales,
    and a half. Return integers `[rows, blocks, 16]` of int8 and the scales of these blocks, which are exact in
    float32."""
    rows = len(data)
    lower = data[..., :128].reshape(rows, -1, 2, 1, 64)
    low = np.concatenate([lower & LOW, lower >> 4], axis=3).reshape(rows, -1, 8, 32)
    upper = data[..., 128:192].reshape(rows, -1, 2, 1, 32)
    high = np.concatenate([upper >> shift & 3 for shift in (0, 2, 4, 6)], axis=3).reshape(rows, -1, 8, 32)
    q = (low | high << 4).astype(np.int8) - np.int8(32)
    scales = data[..., 192:208].view(np.int8) * halves(data[..., 208:]).astype(np.float32)[..., None]
    return q.reshape(rows, -1, 16), scales.astype(np.float32).reshape(rows, -1)


def halves(data: Array) -> Array:
    """Return the numbers of half precision `[…]` in bytes `[…, 2]`."""
    return np.ascontiguousarray(data).view("<f2")[..., 0]
