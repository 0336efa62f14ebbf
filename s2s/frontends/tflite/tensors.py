"""Tensors during an import, and the values of constants as arrays."""

from dataclasses import dataclass
from math import prod

import numpy as np

from s2s.analysis.dtypes import Array
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Value
from s2s.frontends.limits import MAX_FOLDED_ELEMENTS
from s2s.frontends.tflite.records import ModelInfo, Quant, Sparsity, TensorInfo
from s2s.frontends.tflite.schema import INT4


@dataclass(frozen=True)
class Tensor:
    """A value of the network, and what the file says of the tensor that holds it."""

    value: Value
    info: TensorInfo

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each dimension."""
        return self.value.shape

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self.value.rank

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Element type in numpy."""
        return self.value.dtype

    @property
    def quant(self) -> Quant | None:
        """What its integers stand for."""
        return self.info.quant

    @property
    def array(self) -> Array | None:
        """Its values when they are known."""
        return self.value.array

    def scalar(self) -> tuple[float, int]:
        """Scale and zero point of the whole tensor."""
        return self.info.scalar()


def constant_array(tensor: TensorInfo, model: ModelInfo) -> Array:
    """The values of a constant; the file was checked to hold as many bytes as its shape needs."""
    stored = model.buffers[tensor.buffer]
    if tensor.sparsity is not None:
        return densify(tensor, tensor.sparsity, stored)
    array = _elements(tensor, stored, prod(tensor.shape)).reshape(tensor.shape)
    array.flags.writeable = False
    return array


def _elements(tensor: TensorInfo, stored: bytes | memoryview, count: int) -> Array:
    if tensor.kind == INT4:
        return _unpack_int4(np.frombuffer(stored, np.uint8), count)
    found = np.frombuffer(stored, tensor.dtype.newbyteorder("<") if tensor.dtype != np.bool_ else np.uint8)
    return found[:count].astype(tensor.dtype, copy=False)


def _unpack_int4(packed: Array, count: int) -> Array:
    """Two's complement nibbles, the lower one first."""
    nibbles = np.stack([packed & 15, packed >> 4], axis=-1).reshape(-1)[:count].astype(np.int8)
    return np.where(nibbles > 7, nibbles - 16, nibbles).astype(np.int8)


def densify(tensor: TensorInfo, sparsity: Sparsity, stored: bytes | memoryview) -> Array:
    """The whole of a tensor that is stored sparsely: dimensions in traversal order, blocks innermost."""
    if prod(tensor.shape) > MAX_FOLDED_ELEMENTS:
        raise UnsupportedError(f"{tensor.place}: is sparse, of over {MAX_FOLDED_ELEMENTS} elements; store it densely")
    rank, blocks = len(tensor.shape), len(sparsity.blocks)
    wrong = InputError(f"{tensor.place}: its sparsity does not fit its shape; export the model again")
    levels = list(sparsity.order)
    if sorted(levels) != list(range(rank + blocks)) or len(sparsity.sizes) != len(levels):
        raise wrong
    if any(not 0 <= dim < rank for dim in sparsity.blocks) or len(set(sparsity.blocks)) != blocks:
        raise wrong
    block_sizes = {dim: sparsity.sizes[levels.index(rank + i)] for i, dim in enumerate(sparsity.blocks)}
    if any(size < 1 or tensor.shape[dim] % size for dim, size in block_sizes.items()):
        raise wrong
    extents = [
        tensor.shape[dim] // block_sizes.get(dim, 1) if dim < rank else block_sizes[sparsity.blocks[dim - rank]]
        for dim in levels
    ]
    positions = np.zeros((1, 0), np.int64)
    limit = prod(tensor.shape)
    for level, extent in enumerate(extents):
        if sparsity.compressed[level] is None and len(positions) * extent > limit:
            raise wrong
        positions = _expand(positions, level, extent, sparsity, wrong)
        if len(positions) > limit:
            raise wrong
    values = _elements(tensor, stored, len(positions))
    if len(values) != len(positions):
        raise wrong
    index: list[Array] = []
    for dim in range(rank):
        at = positions[:, levels.index(dim)]
        if dim in block_sizes:
            at = at * block_sizes[dim] + positions[:, levels.index(rank + sparsity.blocks.index(dim))]
        index.append(at)
    dense = np.zeros(tensor.shape, tensor.dtype)
    dense[tuple(index)] = values
    dense.flags.writeable = False
    return dense


def _expand(positions: Array, level: int, extent: int, sparsity: Sparsity, wrong: InputError) -> Array:
    """Each position once for every stored entry of the next level, with the entry's coordinate behind it."""
    compressed = sparsity.compressed[level]
    if compressed is None:
        if sparsity.sizes[level] != extent:
            raise wrong
        counts = np.full(len(positions), extent)
        coordinates = np.tile(np.arange(extent), len(positions))
    else:
        segments, indices = compressed
        steps = np.diff(segments)
        if len(segments) != len(positions) + 1 or segments[0] != 0 or (steps < 0).any() or segments[-1] != len(indices):
            raise wrong
        if len(indices) and not (indices.min() >= 0 and indices.max() < extent):
            raise wrong
        counts, coordinates = steps, indices
    return np.concatenate([np.repeat(positions, counts, axis=0), coordinates[:, None]], axis=1)
