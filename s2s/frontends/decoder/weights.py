"""The weights of a decoder: floats, or integers in blocks that share scales."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from s2s.types.dtypes import Array


class Blocks(NamedTuple):
    """The weights of a linear layer, quantised by blocks of inputs, as MatMulNBits takes them."""

    packed: Array
    """Bytes `[outputs, blocks, bytes]`; with 4 bits two neighbours in a byte."""
    scales: Array
    """Scales `[outputs, blocks]`."""
    bits: int
    inputs: int


class Superblocks(NamedTuple):
    """The weights of a linear layer in superblocks of inputs, as MatMulSuperblocks takes them."""

    packed: Array
    """Bytes `[outputs, blocks, bytes]`; with 4 bits two neighbours in a byte."""
    levels: tuple[Array, Array, Array, Array]
    """Scales and least values of blocks and of superblocks."""
    bits: int


Linear = Array | Blocks | Superblocks
Weights = Mapping[str, Linear]
"""Weights by name; floats of linear layers are `[inputs, outputs]`."""


def as_multiplied(weights: Blocks | Superblocks) -> Array:
    """Return the bytes of `weights` as products with activations of 8 bits take them, so that lookups can share them:
    whole ones with sign; of 4 bits without, two columns that are half a block apart in a byte."""
    if weights.bits == 8:
        return (weights.packed ^ 128 if isinstance(weights, Blocks) else weights.packed).view(np.int8)
    q = np.stack([weights.packed & 15, weights.packed >> 4], axis=-1).reshape(*weights.packed.shape[:-1], 2, -1)
    return (q[..., 0, :] | q[..., 1, :] << 4).view(np.int8)
