"""Take apart the blocks of GGML's older quantisations: 32 weights that share a scale, some a least value too."""

import numpy as np

from s2s.frontends.gguf.k_quants import LOW, Levels, halves
from s2s.types.dtypes import Array

NON_LINEAR = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)
"""The integers that the sixteen codes of IQ4_NL stand for."""


def q8_0(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, blocks, 34]` bytes: a half, and 32 integers. Return these and their scales."""
    return np.asarray(data[..., 2:], order="C").view(np.int8), _scale(data)


def q4_0(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, blocks, 18]` bytes: a half, and 32 integers from 0 to 15 that stand for 8 less."""
    return nibbles(data[..., 2:]).astype(np.int8) - np.int8(8), _scale(data)


def iq4_nl(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, blocks, 18]` bytes: a half, and 32 codes of integers."""
    return NON_LINEAR[nibbles(data[..., 2:])], _scale(data)


def q5_0(data: Array) -> tuple[Array, Array]:
    """Take apart `[rows, blocks, 22]` bytes: a half, the highest bits of 32 integers, and their lower four. They stand
    for 16 less."""
    return _five_bits(data[..., 2:6], data[..., 6:]).astype(np.int8) - np.int8(16), _scale(data)


def q4_1(data: Array) -> Levels:
    """Take apart `[rows, blocks, 20]` bytes: the halves of scale and offset, and 32 integers from 0 to 15."""
    return _with_offset(nibbles(data[..., 4:]), data)


def q5_1(data: Array) -> Levels:
    """Take apart `[rows, blocks, 24]` bytes: the halves of scale and offset, and 32 integers like Q5_0's."""
    return _with_offset(_five_bits(data[..., 4:8], data[..., 8:]), data)


def _with_offset(q: Array, data: Array) -> Levels:
    """Return the blocks `scale * q + offset` as superblocks of one block."""
    one = np.ones(q.shape[:2], np.uint8)
    return Levels(q, one, one, halves(data[..., :2]), -halves(data[..., 2:4]))


def _scale(data: Array) -> Array:
    return halves(data[..., :2]).astype(np.float32)


def nibbles(packed: Array) -> Array:
    """Return the integers of bytes that hold two each, half a block apart."""
    return np.concatenate([packed & LOW, packed >> 4], axis=-1)


def _five_bits(upper: Array, packed: Array) -> Array:
    """Return integers whose highest bits lie apart."""
    bits = np.unpackbits(np.asarray(upper, order="C"), axis=-1, bitorder="little")
    return nibbles(packed) | bits << 4
