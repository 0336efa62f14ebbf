"""Quantise made-up weights by superblocks, as the layout Q4_K of GGML has them."""

import numpy as np

from s2s.types.dtypes import Array

STEPS, LEVELS, BLOCKS = 15, 63, 8
TINY = 1e-8
"""Scales below it are 0 in half precision."""


def quantize_q4_k(weights: Array) -> Array:
    """Return the bytes `[rows, superblocks * 144]` of `weights[rows, columns]`, with the range of each block as scale
    and least value."""
    rows = len(weights)
    blocks = weights.reshape(rows, -1, BLOCKS, 32).astype(np.float32)
    least = np.maximum(-blocks.min(axis=-1), 0)
    steps = (np.maximum(blocks.max(axis=-1), 0) + least) / STEPS
    super_scales, scales = _by_superblock(steps)
    super_mins, mins = _by_superblock(least)
    step = super_scales.astype(np.float32) * scales
    low = super_mins.astype(np.float32) * mins
    q = np.rint((blocks + low[..., None]) / np.maximum(step, TINY)[..., None])
    pairs = np.clip(q, 0, STEPS).astype(np.uint8).reshape(rows, -1, BLOCKS // 2, 2, 32)
    parts = [
        super_scales.view(np.uint8),
        super_mins.view(np.uint8),
        _six_bits(scales, mins),
        (pairs[..., 0, :] | pairs[..., 1, :] << 4).reshape(*q.shape[:2], -1),
    ]
    return np.concatenate(parts, axis=-1).reshape(rows, -1)


def _by_superblock(numbers: Array) -> tuple[Array, Array]:
    """Return the scale of each superblock `[rows, superblocks, 1]`, and `numbers` in its units."""
    outer = (numbers.max(axis=-1, keepdims=True) / LEVELS).astype("<f2")
    units = np.rint(numbers / np.maximum(outer.astype(np.float32), TINY))
    return outer, np.clip(units, 0, LEVELS).astype(np.uint8)


def _six_bits(scales: Array, mins: Array) -> Array:
    """Return twelve bytes: six bits of the first four scales and mins, with the upper bits of the last four above
    them, and the lower bits of these."""
    first, last = (np.stack([scales, mins])[..., part] for part in (slice(None, 4), slice(4, None)))
    mixed = last[0] & 15 | (last[1] & 15) << 4
    return np.concatenate([*(first | last >> 4 << 6), mixed], axis=-1)
