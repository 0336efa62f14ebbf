"""Tensors during an import, and the values of constants as arrays."""

from math import prod
from typing import NamedTuple

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Value
from s2s.frontends.tflite.records import ModelInfo, Quant, Sparsity, TensorInfo
from s2s.frontends.tflite.schema import COMPLEX, PACKED_BITS
from s2s.frontends.tflite.sparse import positions
from s2s.interpret.graph.work import MAX_FOLDED_ELEMENTS
from s2s.types.dtypes import Array


class Tensor(NamedTuple):
    """A value of the network, with the file's description of its tensor."""

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
    def parts(self) -> tuple[int, ...]:
        """The last dimensions of its value that the file does not count: two parts of a complex number."""
        return (2,) if self.info.kind == COMPLEX else ()

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
    if tensor.kind in PACKED_BITS:
        return _unpacked(np.frombuffer(stored, np.uint8), count, PACKED_BITS[tensor.kind], tensor.dtype)
    count = min(count, len(stored) // tensor.dtype.itemsize)
    stored_as = tensor.dtype.newbyteorder("<") if tensor.dtype != np.bool_ else np.dtype(np.uint8)
    return np.frombuffer(stored, stored_as, count).astype(tensor.dtype, copy=False)


def _unpacked(packed: Array, count: int, bits: int, dtype: np.dtype[np.generic]) -> Array:
    """Elements of `bits` bits, the lowest of a byte first; in two's complement where `dtype` has a sign."""
    codes = (packed[:, None] >> np.arange(0, 8, bits, dtype=np.uint8)).reshape(-1)[:count] & (2**bits - 1)
    if dtype.kind == "u":
        return codes.astype(dtype)
    half = 2 ** (bits - 1)
    return ((codes ^ half).astype(np.int8) - half).astype(dtype)


def densify(tensor: TensorInfo, sparsity: Sparsity, stored: bytes | memoryview) -> Array:
    """Return a sparse tensor as a dense array."""
    if prod(tensor.shape) > MAX_FOLDED_ELEMENTS:
        raise UnsupportedError(f"{tensor.place}: is sparse, of over {MAX_FOLDED_ELEMENTS} elements; store it densely")
    index = positions(tensor.place, tensor.shape, sparsity)
    values = _elements(tensor, stored, len(index[0]))
    if len(values) != len(index[0]):
        raise InputError(
            f"{tensor.place}: holds {len(values)} values for {len(index[0])} places; export the model again"
        )
    dense = np.zeros(tensor.shape, tensor.dtype)
    dense[index] = values
    dense.flags.writeable = False
    return dense
