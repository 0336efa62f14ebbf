"""Arrays as DLPack's descriptors for C, and descriptors from C as arrays; no elements are copied."""

import ctypes
import math
from functools import cache
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.executor.device import CPU
from s2s.executor.element_types import DType, dlpack_of_numpy, numpy_of_dlpack
from s2s.executor.ndarray import NDArray
from s2s.tvm.runtime.abi import abi, c_type
from s2s.types.weights import Array

MAX_RANK = 32


class Descriptor:
    """An array described for C; the array must outlive it."""

    __slots__ = ("array_shape", "dtype", "pointer", "shape", "strides")

    def __init__(self, array: Array) -> None:
        ffi = abi()
        self.array_shape, self.dtype = array.shape, array.dtype
        self.shape = ffi.new(c_type("int64_t[]"), self.array_shape)
        contiguous = array.flags.c_contiguous
        self.strides = None if contiguous else _strides(array)
        self.pointer: Any = ffi.new(c_type("s2s_tensor *"), _template(array.dtype))
        tensor = self.pointer
        tensor.data = _address(array, contiguous)
        tensor.ndim = len(self.array_shape)
        tensor.shape = self.shape
        if self.strides is not None:
            tensor.strides = self.strides


class Place:
    """Memory for the descriptor of one array after the other, each valid until the next one."""

    __slots__ = ("dtype", "pointer", "shape", "sizes")

    def __init__(self) -> None:
        ffi = abi()
        self.sizes: tuple[int, ...] | None = None
        """The shape that is described now."""
        self.dtype: DType | None = None
        self.shape: Any = ffi.new(c_type("int64_t[]"), MAX_RANK)
        self.pointer: Any = ffi.new("s2s_tensor *", {"device": {"type": CPU}, "shape": self.shape})

    def describe(self, array: Array) -> bool:
        """Describe type and shape of an array; False if it has no buffer of plain numbers."""
        dtype, sizes = _plain_type(array.dtype), array.shape
        if dtype is None or len(sizes) > MAX_RANK:
            return False
        for number, size in enumerate(sizes):
            self.shape[number] = size
        self.pointer.ndim = len(sizes)
        self.pointer.dtype = dtype
        self.sizes, self.dtype = sizes, array.dtype
        return True


def _plain_type(dtype: DType) -> Any:
    """The type of DLPack of numbers in the order of the machine; None for other elements, whose arrays have no buffer
    that cffi takes."""
    return _template(dtype).dtype if dtype.kind in "biuf" and dtype.isnative else None


@cache
def _template(dtype: DType) -> Any:
    """The tensor without dimensions of an element type."""
    if not dtype.isnative:
        raise InputError(f"array of {dtype}: its bytes are swapped; give it in the order of the machine")
    code, bits, lanes = dlpack_of_numpy(dtype)
    described = {"code": code, "bits": bits, "lanes": lanes}
    return abi().new("s2s_tensor *", {"device": {"type": CPU}, "dtype": described})[0]


def _address(array: Array, contiguous: bool) -> Any:
    """The first element. The buffer protocol is fast, but has no bfloat16 and no gaps."""
    ffi = abi()
    if contiguous and array.dtype.kind in "biuf":
        return ffi.cast(c_type("void *"), ffi.from_buffer(array))
    return ffi.cast("void *", array.ctypes.data)


def _strides(array: Array) -> Any:
    if any(stride % array.itemsize for stride in array.strides):
        raise InputError("array: its strides are no multiples of its elements; copy it")
    return abi().new(c_type("int64_t[]"), [stride // array.itemsize for stride in array.strides])


def descriptor_of(array: Array) -> Descriptor:
    """The descriptor of an array; an NDArray keeps it for the next call."""
    if not isinstance(array, NDArray):
        return Descriptor(array)
    kept = array.__dict__.get("_descriptor")
    if kept is None or kept.array_shape != array.shape or kept.dtype is not array.dtype:
        kept = array.__dict__["_descriptor"] = Descriptor(array)
    return kept


def memory_of(tensor: Any) -> tuple[Any, NDArray]:
    """The memory of a descriptor of C, and the array of its elements, which holds a reference to that memory."""
    ffi = abi()
    ndim = int(tensor.ndim)
    if not 0 <= ndim <= MAX_RANK:
        raise InputError(f"tensor from C: {ndim} dimensions; at most {MAX_RANK} are supported")
    if tensor.device.type != CPU:
        raise InputError(f"tensor from C: it lies on a device of type {tensor.device.type}; copy it to the processor")
    shape = tuple(tensor.shape[i] for i in range(ndim))
    dtype = numpy_of_dlpack((tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes))
    strides = [tensor.strides[i] for i in range(ndim)] if tensor.strides else _row_major(shape)
    if any(dim < 0 for dim in shape) or any(stride < 0 for stride in strides):
        raise InputError(
            f"tensor from C: shape {list(shape)} or its strides are negative; give sizes and strides from 0"
        )
    last = sum((dim - 1) * stride for dim, stride in zip(shape, strides, strict=True))
    size = 0 if 0 in shape else (last + 1) * dtype.itemsize
    if size and not tensor.data:
        raise InputError("tensor from C: it has elements and no memory; set data")
    start = ffi.cast("char *", tensor.data) + int(tensor.byte_offset) if size else ffi.new("char[]", 1)
    memory = ffi.buffer(start, size)
    flat = np.frombuffer(memory, np.uint8)
    bytes = [stride * dtype.itemsize for stride in strides]
    made = np.lib.stride_tricks.as_strided(flat.view(dtype) if size else np.empty(0, dtype), shape, bytes)
    return memory, made.view(NDArray)


def _row_major(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[i + 1 :]) for i in range(len(shape))]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Capsule:
    """What `numpy.from_dlpack` takes; numpy calls the deleter of the tensor when its array is forgotten."""

    def __init__(self, managed: Any) -> None:
        self._managed = managed

    def __dlpack__(self, **_: object) -> object:
        """A capsule of DLPack around the tensor."""
        return _new_capsule(int(abi().cast("uintptr_t", self._managed)), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The processor."""
        return (CPU, 0)


def adopt(managed: Any) -> NDArray:
    """The array of a managed tensor that C gives away."""
    return np.from_dlpack(_Capsule(managed)).view(NDArray)  # pyright: ignore[reportArgumentType]


class _Given:
    """An array that C owns until it calls the deleter."""

    def __init__(self, array: Array) -> None:
        ffi = abi()
        self.array = array
        self.descriptor = Descriptor(array)
        self.handle = ffi.new_handle(self)
        self.managed: Any = ffi.new("s2s_managed *")
        self.managed.tensor = self.descriptor.pointer[0]
        self.managed.context = self.handle
        self.managed.deleter = deleter()


_given: dict[int, _Given] = {}
"""Arrays that C owns, by the address of their tensor."""


def give(array: Array) -> Any:
    """An array as a managed tensor that C owns from now on."""
    given = _Given(array)
    _given[int(abi().cast("uintptr_t", given.managed))] = given
    return given.managed


def given_count() -> int:
    """How many arrays C owns."""
    return len(_given)


_deleters: list[Any] = []


def deleter() -> Any:
    """The C function that lets go of an array that C owned."""
    if not _deleters:
        ffi = abi()

        def delete(managed: Any) -> None:
            _given.pop(int(ffi.cast("uintptr_t", managed)), None)

        _deleters.append(ffi.callback("void(s2s_managed *)", delete))
    return _deleters[0]
