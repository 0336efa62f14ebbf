"""Element types: the list of all, their numpy dtypes, and the conversion of constants between both.

Signless integers are signed (`i8` is int8_t), `ui8` and its kin are unsigned, `i1` is bool.
"""

from functools import cache, lru_cache
from typing import Any, TypeAlias, cast

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    IntegerType,
    MemRefType,
    Signedness,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.hints import isa

Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[Any]]
AnyTensor: TypeAlias = TensorType[Attribute]

ui8 = IntegerType(8, Signedness.UNSIGNED)
ui16 = IntegerType(16, Signedness.UNSIGNED)
ui32 = IntegerType(32, Signedness.UNSIGNED)
ui64 = IntegerType(64, Signedness.UNSIGNED)

_PAIRS: tuple[tuple[Attribute, np.dtype[Any]], ...] = (
    (i1, np.dtype(np.bool_)),
    (i8, np.dtype(np.int8)),
    (i16, np.dtype(np.int16)),
    (i32, np.dtype(np.int32)),
    (i64, np.dtype(np.int64)),
    (ui8, np.dtype(np.uint8)),
    (ui16, np.dtype(np.uint16)),
    (ui32, np.dtype(np.uint32)),
    (ui64, np.dtype(np.uint64)),
    (f16, np.dtype(np.float16)),
    (bf16, np.dtype(ml_dtypes.bfloat16)),
    (f32, np.dtype(np.float32)),
    (f64, np.dtype(np.float64)),
)
_TO_NUMPY: dict[Attribute, np.dtype[Any]] = dict(_PAIRS)
_FROM_NUMPY = {dtype: element for element, dtype in _PAIRS}

_FLOATS: frozenset[Attribute] = frozenset((f16, bf16, f32, f64))
_SIGNED: frozenset[Attribute] = frozenset((i8, i16, i32, i64))
_UNSIGNED: frozenset[Attribute] = frozenset((ui8, ui16, ui32, ui64))


@cache
def vector_of(element: Attribute, lanes: int) -> VectorType[Attribute]:
    """The vector of this many lanes; the same object each time, since making and checking one takes long."""
    return VectorType(element, [lanes])


@lru_cache(maxsize=4096)
def flat_buffer(element: Attribute, size: int) -> MemRefType[Attribute]:
    """The buffer of `size` elements; the same object each time, as for vectors."""
    return MemRefType(element, [size])


ELEMENT_TYPES = tuple(element for element, _ in _PAIRS)


def to_numpy(element: Attribute) -> np.dtype[Any]:
    """The numpy dtype that holds values of `element`."""
    dtype = _TO_NUMPY.get(element)
    if dtype is None:
        raise CompilerBug(f"{element} is not an element type of s2s")
    return dtype


def from_numpy(dtype: np.dtype[Any] | type[np.generic]) -> Attribute:
    """The element type of a numpy dtype, whatever its byte order."""
    native = np.dtype(dtype).newbyteorder("=")
    if native not in _FROM_NUMPY:
        names = ", ".join(str(known) for known in _FROM_NUMPY)
        raise UnsupportedError(f"element type {dtype}: is not supported; convert the tensor to one of {names}")
    return _FROM_NUMPY[native]


def size_in_bytes(element: Attribute) -> int:
    """Bytes of one element in memory; a bool takes one."""
    return to_numpy(element).itemsize


def is_float(element: Attribute) -> bool:
    """Whether `element` is a floating-point type."""
    return element in _FLOATS


def is_bool(element: Attribute) -> bool:
    """Whether `element` is `i1`."""
    return element == i1


def is_integer(element: Attribute) -> bool:
    """Whether `element` is an integer type other than bool."""
    return element in _SIGNED or element in _UNSIGNED


def is_unsigned(element: Attribute) -> bool:
    """Whether `element` is an unsigned integer type."""
    return element in _UNSIGNED


def scalar_type(element: Attribute) -> Attribute:
    """Return the type of one element as a scalar: integers are signless, since operations state the sign."""
    return IntegerType(element.width.data) if isa(element, IntegerType) else element


def tensor_type(element: Attribute, shape: tuple[int, ...]) -> AnyTensor:
    """The tensor type of `element` and `shape`, one object for all equal ones: types are compared all the time.

    Sizes that are symbols (`types/size.py`) stay in the type, which is one of its own.
    """
    for size in shape:
        if type(size) is not int:
            return TensorType(element, map(IntAttr, shape))
    return _tensor_type(element, shape)


@lru_cache(maxsize=4096)
def _tensor_type(element: Attribute, shape: tuple[int, ...]) -> AnyTensor:
    return TensorType(element, shape)


def as_tensor_type(attribute: Attribute) -> AnyTensor:
    """Return `attribute`, which must be a tensor type, with that static type."""
    if not isinstance(attribute, TensorType):
        raise CompilerBug(f"{attribute} is not a tensor type")
    return cast(AnyTensor, attribute)


def type_of_array(array: Array) -> AnyTensor:
    """The tensor type that describes `array`."""
    return tensor_type(from_numpy(array.dtype), array.shape)


def holds(dtype: np.dtype[Any], value: float) -> bool:
    """Return whether `value` is a number of a bool or integer type."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return bool(low <= value <= high and value == int(value))


def to_dense(array: Array) -> DenseIntOrFPElementsAttr[Any]:
    """`array` as a dense attribute, bit for bit."""
    native = np.asarray(array, dtype=np.dtype(array.dtype).newbyteorder("<"), order="C")
    return DenseIntOrFPElementsAttr(type_of_array(array), BytesAttr(native.tobytes()))  # pyright: ignore[reportArgumentType]


def from_dense(value: DenseIntOrFPElementsAttr[Any]) -> Array:
    """The read-only array a dense attribute stands for, bit for bit."""
    dtype = to_numpy(value.get_element_type())
    stored = np.frombuffer(value.data.data, np.dtype(np.int8) if dtype == np.bool_ else dtype.newbyteorder("<"))
    array = stored.reshape(value.get_shape()).astype(dtype, copy=False)
    array.flags.writeable = False
    return array
