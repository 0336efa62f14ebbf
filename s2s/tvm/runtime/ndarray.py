"""Arrays under the names of `tvm.nd`. An array is a numpy array with a few more methods, aligned for every kernel.

    x = nd.array([[1, 2], [3, 4]], dtype="float32")
    y = nd.empty((2, 2), "float32")
    function(x, y)
    y.numpy()

DLPack goes both ways: `numpy.from_dlpack(x)` and `nd.from_dlpack(tensor)` share memory with x and with the tensor.
"""

from typing import cast

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError
from s2s.executor.device import Device, check_device, cpu, device
from s2s.executor.element_types import DType, numpy_of_name
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.tvm.runtime.data_type import DataType, DataTypeCode
from s2s.tvm.runtime.devices import cuda, ext_dev, hexagon, metal, opencl, rocm, vpi, vulkan, webgpu
from s2s.tvm.runtime.registry import register_func
from s2s.types.weights import Array

__all__ = [
    "DataType",
    "DataTypeCode",
    "Device",
    "NDArray",
    "array",
    "cl",
    "cpu",
    "cuda",
    "device",
    "empty",
    "ext_dev",
    "from_dlpack",
    "gpu",
    "hexagon",
    "metal",
    "mtl",
    "opencl",
    "rocm",
    "vpi",
    "vulkan",
    "webgpu",
]
cl, gpu, mtl = opencl, cuda, metal
"""Older names."""


_DEFAULTS: dict[DType, DType] = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.int64): np.dtype(np.int32),
}
"""The element types of Python's numbers."""


def array(
    arr: npt.ArrayLike, device: object = None, mem_scope: str | None = None, dtype: str | DType | None = None
) -> NDArray:
    """A copy of `arr`. Python floats become float32 and integers int32, as in TVM; numpy arrays keep their type."""
    check_device(device)
    _check_scope("array", mem_scope)
    given = np.asarray(arr, None if dtype is None else _dtype(dtype))
    if dtype is None and not hasattr(arr, "dtype"):
        given = given.astype(
            {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}.get(given.dtype, given.dtype)
        )
    made = aligned_empty(given.shape, given.dtype)
    made[...] = given
    return _placed(made, device)


def empty(
    shape: int | tuple[int, ...], dtype: str | DType = "float32", device: object = None, mem_scope: str | None = None
) -> NDArray:
    """An array with any contents."""
    check_device(device)
    _check_scope("empty", mem_scope)
    return _placed(aligned_empty((shape,) if isinstance(shape, int) else tuple(shape), _dtype(dtype)), device)


def _placed(array: NDArray, device: object) -> NDArray:
    """The array on a device; one of a remote session has the methods of an array, and its elements there."""
    return cast(NDArray, device.place(array)) if isinstance(device, Device) else array


def _check_scope(name: str, mem_scope: str | None) -> None:
    if mem_scope not in (None, "", "global"):
        raise InputError(f"nd.{name}: mem_scope {mem_scope}: arrays lie in the memory of the process; leave it out")


def from_dlpack(dltensor: object) -> NDArray:
    """The memory of a tensor of another library, not copied."""
    shared: Array = np.from_dlpack(dltensor)  # pyright: ignore[reportArgumentType]
    return shared.view(NDArray)


@register_func("tvm.contrib.random.random_fill")
def _random_fill(array: NDArray) -> None:
    """Write random numbers, small ones of integers, into an array."""
    draws = np.random.default_rng().random(array.shape)
    array[...] = (draws * 10).astype(array.dtype) if array.dtype.kind in "iu" else draws.astype(array.dtype)


def _dtype(dtype: str | DType) -> DType:
    return numpy_of_name(dtype) if isinstance(dtype, str) else np.dtype(dtype)
