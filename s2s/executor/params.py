"""Weights in TVM's params format: `<model>.params`.

All numbers are little endian. A file is a magic number, a reserved word, the list of names, and as many arrays:

    u64 0xF7E58D4F05049CB7, u64 0
    u64 count, then for each name: u64 length, bytes
    u64 count, then for each array:
        u64 0xDD5E40F096B4A13F, u64 0
        i32 1, i32 0                    device: processor, number 0
        i32 ndim, u8 code, u8 bits, u16 lanes, i64 shape[ndim]
        i64 bytes, data

Names are written in sorted order, so that equal weights give equal files. Source: `src/runtime/file_utils.cc` and
`include/tvm/runtime/ndarray.h` of TVM 0.12.
"""

import io
import math
import struct
from collections.abc import Iterator, Mapping
from typing import BinaryIO

import numpy as np

from s2s.errors import InputError
from s2s.executor.device import CPU
from s2s.executor.element_types import numpy_of_dlpack, tvm_of_numpy
from s2s.types.weights import Array

LIST_MAGIC = 0xF7E58D4F05049CB7
ARRAY_MAGIC = 0xDD5E40F096B4A13F
MAX_RANK = 32
CHUNK_ELEMENTS = 1 << 20
"""Elements that are copied at once, so that writing a broadcast array takes no memory of its full size."""


def param_pieces(params: Mapping[str, Array]) -> Iterator[bytes]:
    """The file piece by piece; arrays of any layout, stride-0 broadcasts included."""
    names = sorted(params)
    yield struct.pack("<QQQ", LIST_MAGIC, 0, len(names))
    for name in names:
        encoded = name.encode()
        yield struct.pack("<Q", len(encoded)) + encoded
    yield struct.pack("<Q", len(names))
    for name in names:
        yield from _array_pieces(params[name])


def write_param_dict(file: BinaryIO, params: Mapping[str, Array]) -> None:
    """Write `params` to `file`."""
    for piece in param_pieces(params):
        file.write(piece)


def save_param_dict(params: Mapping[str, Array]) -> bytes:
    """`params` as one blob."""
    file = io.BytesIO()
    write_param_dict(file, params)
    return file.getvalue()


def _array_pieces(array: Array) -> Iterator[bytes]:
    code, bits, lanes = tvm_of_numpy(array.dtype)
    yield struct.pack("<QQiii", ARRAY_MAGIC, 0, CPU, 0, array.ndim)
    yield struct.pack("<BBH", code, bits, lanes)
    yield struct.pack(f"<{array.ndim}qq", *array.shape, array.nbytes)
    stored = array.dtype.newbyteorder("<")
    for start in range(0, array.size, CHUNK_ELEMENTS):
        yield array.flat[start : start + CHUNK_ELEMENTS].astype(stored, copy=False).tobytes()


def load_param_dict(blob: bytes) -> dict[str, Array]:
    """The arrays of a blob by name. Nothing in the blob is trusted: what does not add up is an InputError."""
    reader = _Reader(blob)
    if reader.u64("magic number") != LIST_MAGIC:
        raise InputError("params: this is not a params file of TVM or s2s; save it with save_param_dict")
    reader.u64("reserved word")
    names = [reader.name() for _ in range(reader.u64("number of names"))]
    count = reader.u64("number of arrays")
    if count != len(names):
        raise InputError(f"params: {len(names)} names stand for {count} arrays; the file is damaged, save it again")
    params: dict[str, Array] = {}
    for name in names:
        if name in params:
            raise InputError(f"params: {name!r} occurs twice; the file is damaged, save it again")
        params[name] = reader.array(name)
    if reader.rest():
        raise InputError(f"params: {reader.rest()} bytes follow the last array; the file is damaged, save it again")
    return params


class _Reader:
    """Takes numbers and arrays from a blob in order, and never more than the blob has."""

    def __init__(self, blob: bytes) -> None:
        self._view = memoryview(blob)
        self._position = 0

    def rest(self) -> int:
        """Bytes not taken yet."""
        return len(self._view) - self._position

    def take(self, size: int, what: str) -> memoryview:
        """The next `size` bytes."""
        if size > self.rest():
            raise InputError(
                f"params: {what} wants {size} bytes at byte {self._position}, {self.rest()} are left; "
                "the file is cut short or damaged, save it again"
            )
        self._position += size
        return self._view[self._position - size : self._position]

    def numbers(self, layout: str, what: str) -> tuple[int, ...]:
        """The next numbers, laid out as `struct` says."""
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout), what))

    def u64(self, what: str) -> int:
        """The next unsigned word."""
        return self.numbers("Q", what)[0]

    def name(self) -> str:
        """The next name."""
        encoded = bytes(self.take(self.u64("length of a name"), "a name"))
        try:
            return encoded.decode()
        except UnicodeDecodeError as error:
            raise InputError(f"params: name {encoded!r} is not UTF-8; save the file again") from error

    def array(self, name: str) -> Array:
        """The next array, as a writable copy."""
        magic, _, device, _, ndim = self.numbers("QQiii", f"head of {name!r}")
        if magic != ARRAY_MAGIC:
            raise InputError(f"params: no array stands where {name!r} should; the file is damaged, save it again")
        if device != CPU:
            raise InputError(f"params: {name!r} lies on a device of type {device}; copy it to the processor first")
        if not 0 <= ndim <= MAX_RANK:
            raise InputError(f"params: {name!r} has {ndim} dimensions; at most {MAX_RANK} are supported")
        code, bits, lanes = self.numbers("BBH", f"element type of {name!r}")
        shape = self.numbers(f"{ndim}q", f"shape of {name!r}")
        size = self.numbers("q", f"size of {name!r}")[0]
        dtype = numpy_of_dlpack((code, bits, lanes))
        if any(dim < 0 for dim in shape) or size != math.prod(shape) * dtype.itemsize:
            raise InputError(
                f"params: {name!r} of type {dtype} and shape {list(shape)} cannot have {size} bytes; save it again"
            )
        data = self.take(size, f"data of {name!r}")
        if dtype == np.bool_:
            return np.frombuffer(data, np.uint8).reshape(shape) != 0
        stored = np.frombuffer(data, dtype.newbyteorder("<"))
        return stored.reshape(shape).astype(dtype)
