"""Arrays as TVM's users know them: numpy arrays with the methods of `tvm.nd.NDArray`."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from s2s.executor.device import Device
from s2s.executor.element_types import DType
from s2s.types.weights import Array

ALIGNMENT = 64
"""Where arrays of the executor begin: a line of the cache, and the widest vector."""


class Receiver(Protocol):
    """An array anywhere that takes the values of one of this machine."""

    def copyfrom(self, source: npt.ArrayLike) -> Any:
        """Take the values of `source`, which has the same shape."""
        ...


class NDArray(np.ndarray[tuple[int, ...], DType]):
    """A numpy array that also answers to `numpy`, `copyfrom` and `copyto`."""

    def numpy(self) -> Array:
        """A copy as a plain numpy array."""
        return np.array(self, subok=False)

    @property
    def is_view(self) -> bool:
        """Whether it stands for memory of a caller, which kernels in C get; arrays of Python own theirs."""
        return False

    def asnumpy(self) -> Array:
        """A copy as a plain numpy array, as `numpy`."""
        return self.numpy()

    def same_as(self, other: object) -> bool:
        """Whether both are one object."""
        return self is other

    def copyfrom(self, source: npt.ArrayLike) -> "NDArray":
        """Take the values of `source`, which has the same shape."""
        np.copyto(self, source, casting="same_kind")
        return self

    def copyto(self, target: Array | Device | Receiver) -> Any:
        """Give the values to `target`, which has the same shape; or to a new array, if it is a device. Return it."""
        if isinstance(target, Device):
            return target.place(self.copy())
        if isinstance(target, np.ndarray):
            np.copyto(target, self, casting="same_kind")
            return target
        return target.copyfrom(self)


def aligned_empty(shape: tuple[int, ...], dtype: DType, alignment: int = ALIGNMENT) -> NDArray:
    """An array with any contents whose first element stands at a multiple of `alignment`."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(size + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size].view(dtype).reshape(shape).view(NDArray)
