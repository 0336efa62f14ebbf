"""Values of ONNX tensors as numpy arrays, read only after their sizes are known to agree."""

from math import prod

import numpy as np
import onnx
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper
from onnx.checker import ValidationError

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.formulas import checked_shape
from s2s.frontends.names import one_line
from s2s.types.dtypes import Array, from_numpy
from s2s.types.narrow import BYTE, NARROW


def element_dtype(data_type: int, where: str) -> np.dtype[np.generic]:
    """The numpy type of an ONNX element type."""
    if data_type in (TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        name = TensorProto.DataType.Name(data_type).lower()
        raise UnsupportedError(f"{where}: element type {name} is not supported; use a real number type")
    try:
        dtype = helper.tensor_dtype_to_np_dtype(data_type)
    except KeyError:
        raise InputError(f"{where}: element type {data_type} is unknown; export the model again") from None
    try:
        if dtype not in NARROW:
            from_numpy(dtype)
    except UnsupportedError as error:
        raise UnsupportedError(f"{where}: {error}") from None
    return dtype


def read_tensor(tensor: TensorProto, folder: str | None, where: str) -> Array:
    """The values of `tensor`; external data must lie in `folder`."""
    dtype = element_dtype(tensor.data_type, where)
    shape = checked_shape(tuple(tensor.dims), where)
    if tensor.HasField("segment"):
        raise UnsupportedError(f"{where}: data in segments is not supported; store the tensor whole")
    if tensor.data_location == TensorProto.EXTERNAL:
        array = _read_external(tensor, _raw_bytes(tensor, dtype), folder, where)
    else:
        _check_length(tensor, dtype, where)
        array = numpy_helper.to_array(tensor)
    if dtype == np.bool_:  # a byte other than 0 and 1 is no bool for numpy
        array = array.view(np.uint8) != 0
    return array.reshape(shape)


def read_sparse(sparse: SparseTensorProto, folder: str | None, where: str) -> Array:
    """The dense array of a sparse tensor in coordinate form, with flat or with per-dimension indices."""
    shape = checked_shape(tuple(sparse.dims), where)
    values = read_tensor(sparse.values, folder, where)
    indices = read_tensor(sparse.indices, folder, where)
    if values.ndim != 1 or indices.ndim not in (1, 2) or len(indices) != len(values) or indices.dtype != np.int64:
        raise InputError(f"{where}: sparse values and indices do not match; store the tensor dense")
    if indices.ndim == 1:
        indices = (
            np.stack(np.unravel_index(indices % max(prod(shape), 1), shape), 1) if len(values) else indices[:, None]
        )
    if len(values) and (indices.shape[1] != len(shape) or (indices < 0).any() or (indices >= np.array(shape)).any()):
        raise InputError(f"{where}: a sparse index is outside shape {list(shape)}; store the tensor dense")
    dense = np.zeros(shape, values.dtype)
    if len(values):
        dense[tuple(indices.T)] = values
    return dense


def _raw_bytes(tensor: TensorProto, dtype: np.dtype[np.generic]) -> int:
    narrow = NARROW.get(dtype)
    return prod(tensor.dims) * dtype.itemsize if narrow is None else narrow.packed_size(tensor.dims)


def _typed_values(tensor: TensorProto, dtype: np.dtype[np.generic]) -> int:
    """Entries of the typed field: one for each byte, but for six bits, of which an entry holds one element."""
    narrow = NARROW.get(dtype)
    return prod(tensor.dims) if narrow is None or BYTE % narrow.bits else narrow.packed_size(tensor.dims)


def _check_length(tensor: TensorProto, dtype: np.dtype[np.generic], where: str) -> None:
    """The stored data must be exactly as long as the shape says."""
    if tensor.HasField("raw_data"):
        stored, expected, unit = len(tensor.raw_data), _raw_bytes(tensor, dtype), "bytes"
    else:
        stored = len(getattr(tensor, helper.tensor_dtype_to_field(tensor.data_type)))
        expected, unit = _typed_values(tensor, dtype), "values"
    if stored != expected:
        raise InputError(
            f"{where}: holds {stored} {unit}, its shape {list(tensor.dims)} needs {expected}; export the model again"
        )


def _read_external(tensor: TensorProto, size: int, folder: str | None, where: str) -> Array:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = one_line(entries.get("location", ""))
    if folder is None:
        raise InputError(f"{where}: its data lies in file {location!r}; give the model by its path, not by its bytes")
    if entries.get("length", str(size)) != str(size):
        raise InputError(
            f"{where}: external data has {one_line(entries['length'])} bytes, its shape needs {size}; "
            "export the model again"
        )
    bounded = TensorProto()
    bounded.CopyFrom(tensor)
    if "length" not in entries:  # else everything up to the end of the file would be read
        bounded.external_data.add(key="length", value=str(size))
    try:
        return numpy_helper.to_array(bounded, folder)
    except (ValidationError, ValueError, TypeError, OSError, RuntimeError) as error:  # the last from C++
        reason = one_line(str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise InputError(
            f"{where}: external data {location!r} cannot be read ({reason}); put the file into the model's folder"
        ) from None


def type_name(dtype: np.dtype[np.generic]) -> str:
    """An element type as operator schemas spell it: `tensor(float)`."""
    return f"tensor({onnx.TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(dtype)).lower()})"
