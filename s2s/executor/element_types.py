"""Element types as executors name them: in TVM's files and in DLPack's descriptors.

Names are those of TVM's graph JSON (`float32`, `bool`), which numpy shares. DLPack describes a type by a code, the bits
of one lane and the number of lanes.
"""

import ml_dtypes
import numpy as np

from s2s.errors import InputError, WrongValueError

DType = np.dtype[np.generic]
DLDataType = tuple[int, int, int]
"""Code, bits, lanes."""

_NUMPY: dict[DLDataType, DType] = {
    (6, 8, 1): np.dtype(np.bool_),
    (0, 8, 1): np.dtype(np.int8),
    (0, 16, 1): np.dtype(np.int16),
    (0, 32, 1): np.dtype(np.int32),
    (0, 64, 1): np.dtype(np.int64),
    (1, 8, 1): np.dtype(np.uint8),
    (1, 16, 1): np.dtype(np.uint16),
    (1, 32, 1): np.dtype(np.uint32),
    (1, 64, 1): np.dtype(np.uint64),
    (2, 16, 1): np.dtype(np.float16),
    (2, 32, 1): np.dtype(np.float32),
    (2, 64, 1): np.dtype(np.float64),
    (4, 16, 1): np.dtype(ml_dtypes.bfloat16),
}
_DLPACK = {dtype: described for described, dtype in _NUMPY.items()}
_BY_NAME = {dtype.name: dtype for dtype in _DLPACK}

_TVM_BOOL = (1, 1, 1)
"""TVM before DLPack 0.8 describes a bool as an unsigned integer of one bit; it takes a byte there too."""


def numpy_of_name(name: str) -> DType:
    """The numpy type called `name`."""
    if name not in _BY_NAME:
        raise WrongValueError(f"element type {name!r}: is not known; use one of {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


def numpy_of_dlpack(described: DLDataType) -> DType:
    """The numpy type that DLPack describes by `described`."""
    if described == _TVM_BOOL:
        return np.dtype(np.bool_)
    if described not in _NUMPY:
        code, bits, lanes = described
        raise InputError(
            f"element type with code {code}, {bits} bits and {lanes} lanes: is not known; convert it to "
            f"{', '.join(_BY_NAME)}"
        )
    return _NUMPY[described]


def dlpack_of_numpy(dtype: DType) -> DLDataType:
    """How DLPack describes values of `dtype`, whatever their byte order."""
    native = dtype.newbyteorder("=")
    if native not in _DLPACK:
        raise InputError(f"element type {dtype}: is not supported; convert the array to one of {', '.join(_BY_NAME)}")
    return _DLPACK[native]


def tvm_of_numpy(dtype: DType) -> DLDataType:
    """How TVM's params files describe values of `dtype`."""
    return _TVM_BOOL if dtype == np.bool_ else dlpack_of_numpy(dtype)
