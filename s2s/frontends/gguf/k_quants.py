"""Take apart the blocks of GGML's k-quants: superblocks of 256 weights with scales that are quantised too."""

from typing import NamedTuple

import numpy as np

from s2s.types.dtypes import Array

BLOCKS = 8
"""The blocks in a superblock of Q4_K and Q5_K, of 32 weights each."""
LOW = np.uint8(0x0F)
HIGH_OF_SIX = np.uint8(0x30)
SIX = np.uint8(0x3F)


class Levels(NamedTuple):
    """Weights `q * super_scale * scale - super_min * min`: `[rows, blocks, size]` with constants of each block and of
    each superblock."""

    q: Array
    scales: Array
    mins: Array
    super_scales: Array
    super_mins: Array

    def floats(self) -> Array:
        """The weights, `[rows, blocks, size]` of float32; nothing but the last difference is rounded."""
        count = self.scales.shape[1] // self.super_scales.shape[1]
        scales, mins = (
            inner.astype(np.float32) * np.repeat(outer.astype(np.float32), count, axis=1)
            for inner, outer in ((self.scales, self.super_scales), (self.mins, self.super_mins))
        )
        return self.q * scales[..., None] - mins[..., None]


def q4_k(data: Array) -> Levels:
    """Take apart `[rows, superblocks, 144]` bytes: two halves, twelve bytes of scales and least values of six bits,
    and for each pair of blocks 32 bytes that hold the weights of the first in their lower half."""
    return _with_levels(_pairs(data[..., 16:]), data)


def q5_k(data: Array) -> Levels:
    """Take apart `[rows, superblocks, 176]` bytes: like blocks of Q4_K, with 32 bytes before the weights. Bit `b` of
    byte `n` of these is the highest of weight `n` in block `b`."""
    upper = data[..., 16:48, None] >> np.arange(BLOCKS, dtype=np.uint8) & 1
    high = np.moveaxis(upper, -1, -2).reshape(*data.shape[:2], BLOCKS, 32)
    return _with_levels(_pairs(data[..., 48:]) | high << 4, data)


def q2_k(data: Array) -> Levels:
    """Take apart `[rows, superblocks, 84]` bytes: for each of 16 blocks the scale in the lower half of a byte and the
    least value in the upper one, the weights, and two halves."""
    rows = len(data)
    return Levels(
        _quarters(data[..., 16:80]).reshape(rows, -1, 16),
        (data[..., :16] & LOW).reshape(rows, -1),
        (data[..., :16] >> 4).reshape(rows, -1),
        halves(data[..., 80:82]),
        halves(data[..., 82:84]),
    )


def q3_k(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, superblocks, 110]` bytes: the highest bits of the weights, their lower two, sixteen scales of
    six bits that stand for 32 less, and a half. Return integers `[rows, blocks, 16]` and the scales of these blocks,
    which are exact in float32."""
    rows = len(data)
    upper = data[..., :32, None] >> np.arange(8, dtype=np.uint8) & 1
    high = np.moveaxis(upper, -1, -2).reshape(rows, -1, 8, 32)
    q = (_quarters(data[..., 32:96]) | high << 2).astype(np.int8) - np.int8(4)
    low, mixed = data[..., 96:104], data[..., 104:108]
    lower = np.concatenate([low & LOW, low >> 4], axis=-1)
    scales = lower | np.concatenate([mixed >> shift & 3 for shift in (0, 2, 4, 6)], axis=-1) << 4
    real = (scales.astype(np.int8) - np.int8(32)) * halves(data[..., 108:]).astype(np.float32)[..., None]
    return q.reshape(rows, -1, 16), real.astype(np.float32).reshape(rows, -1)


def _pairs(packed: Array) -> Array:
    """Return the weights `[rows, superblocks, 8, 32]` of bytes that hold the weights of two blocks each."""
    pairs = packed.reshape(*packed.shape[:2], BLOCKS // 2, 32)
    return np.stack([pairs & LOW, pairs >> 4], axis=3).reshape(*packed.shape[:2], BLOCKS, 32)


def _quarters(packed: Array) -> Array:
    """Return the weights `[rows, superblocks, 8, 32]` of bytes that hold four each, 32 apart."""
    parts = packed.reshape(*packed.shape[:2], 2, 1, 32)
    return np.concatenate([parts >> shift & 3 for shift in (0, 2, 4, 6)], axis=3).reshape(*packed.shape[:2], 8, 32)


def _with_levels(q: Array, data: Array) -> Levels:
    """Return weights with the scales and the least values in the first bytes of `data`."""
    rows = len(data)
    packed = data[..., 4:16].reshape(rows, -1, 3, 4)
    first, second, mixed = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
    scales = np.concatenate([first & SIX, mixed & LOW | first >> 2 & HIGH_OF_SIX], axis=-1)
    mins = np.concatenate([second & SIX, mixed >> 4 | second >> 2 & HIGH_OF_SIX], axis=-1)
    return Levels(
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
    return np.asarray(data, order="C").view("<f2")[..., 0]
