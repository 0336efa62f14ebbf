"""Compute the coordinates of the values of a sparse constant.

The dimensions are stored as levels in an order of traversal, those within blocks innermost. A level is dense, every
coordinate is there, or compressed: `segments` say which of `indices` belong to each entry of the level around it.
"""

from math import prod

import numpy as np

from s2s.errors import InputError
from s2s.frontends.tflite.records import Sparsity
from s2s.types.dtypes import Array


def positions(place: str, shape: tuple[int, ...], sparsity: Sparsity) -> tuple[Array, ...]:
    """For each dimension of a tensor of `shape` the coordinates of the stored values, in the order they are stored."""
    wrong = InputError(f"{place}: its sparsity does not fit its shape; export the model again")
    if not shape or not _is_sound(shape, sparsity):
        raise wrong
    rank, levels = len(shape), sparsity.order
    blocks = {dim: sparsity.sizes[levels.index(rank + number)] for number, dim in enumerate(sparsity.blocks)}
    if any(size < 1 or shape[dim] % size for dim, size in blocks.items()):
        raise wrong
    found, limit = np.zeros((1, 0), np.int64), prod(shape)
    for level, dim in enumerate(levels):
        extent = shape[dim] // blocks.get(dim, 1) if dim < rank else blocks[sparsity.blocks[dim - rank]]
        counts, coordinates = _entries(sparsity, level, extent, len(found), limit, wrong)
        found = np.concatenate([np.repeat(found, counts, axis=0), coordinates[:, None]], axis=1)
        if len(found) > limit:
            raise wrong
    index: list[Array] = []
    for dim in range(rank):
        at = found[:, levels.index(dim)]
        if dim in blocks:
            at = at * blocks[dim] + found[:, levels.index(rank + sparsity.blocks.index(dim))]
        index.append(at)
    return tuple(index)


def _is_sound(shape: tuple[int, ...], sparsity: Sparsity) -> bool:
    """Whether every dimension and every block has one level."""
    rank, blocks = len(shape), sparsity.blocks
    return (
        sorted(sparsity.order) == list(range(rank + len(blocks)))
        and len(sparsity.sizes) == len(sparsity.order)
        and len(set(blocks)) == len(blocks)
        and all(0 <= dim < rank for dim in blocks)
    )


def _entries(
    sparsity: Sparsity, level: int, extent: int, around: int, limit: int, wrong: InputError
) -> tuple[Array, Array]:
    """How many entries a level has within each of the entries `around` it, and the coordinates of all."""
    compressed = sparsity.compressed[level]
    if compressed is None:
        if sparsity.sizes[level] != extent or around * extent > limit:
            raise wrong
        return np.full(around, extent), np.tile(np.arange(extent), around)
    segments, indices = compressed
    steps = np.diff(segments)
    if len(segments) != around + 1 or segments[0] != 0 or (steps < 0).any() or segments[-1] != len(indices):
        raise wrong
    if len(indices) and not (indices.min() >= 0 and indices.max() < extent):
        raise wrong
    return steps, indices
