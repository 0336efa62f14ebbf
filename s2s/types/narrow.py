"""Element types of fewer than 16 bits that models store and no C type holds.

ONNX packs elements of fewer than eight bits, the first in the low bits; four elements of six bits share three bytes:

    int4 [1, -2, 3]                     ->  bytes 0xe1 0x03
    float6_e2m3fn [0.125, -0.125, 7.5]  ->  codes 0x01 0x21 0x1f  ->  bytes 0x41 0xf8 0x01

The interface of a network passes these bytes. Within the network an element takes a byte, its *carrier*: an integer is
itself, a float is its bits.
"""

from collections.abc import Mapping, Sequence
from math import lcm, prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from s2s.types.dtypes import Array

BYTE = 8
"""Bits of a byte."""


class Narrow(NamedTuple):
    """An element type of `bits` bits."""

    dtype: np.dtype[Any]
    bits: int
    is_float: bool
    carrier: np.dtype[Any]

    @property
    def fills_byte(self) -> bool:
        """Whether an element takes a whole byte."""
        return self.bits == BYTE

    def packed_size(self, shape: Sequence[int]) -> int:
        """Bytes of a packed tensor."""
        return -(-prod(shape) * self.bits // BYTE)

    def packed_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Shape of the bytes: the tensor's shape where an element takes a whole byte, else a row."""
        return tuple(shape) if self.fills_byte else (self.packed_size(shape),)


def _float(name: str, bits: int = 8) -> Narrow:
    return Narrow(np.dtype(getattr(ml_dtypes, name)), bits, True, np.dtype(np.uint8))


def _integer(name: str, bits: int, carrier: type[np.generic]) -> Narrow:
    return Narrow(np.dtype(getattr(ml_dtypes, name)), bits, False, np.dtype(carrier))


NARROW: Mapping[np.dtype[Any], Narrow] = {
    each.dtype: each
    for each in (
        _float("float8_e4m3fn"),
        _float("float8_e4m3fnuz"),
        _float("float8_e5m2"),
        _float("float8_e5m2fnuz"),
        _float("float8_e8m0fnu"),
        _float("float6_e2m3fn", 6),
        _float("float6_e3m2fn", 6),
        _float("float4_e2m1fn", 4),
        _integer("int4", 4, np.int8),
        _integer("uint4", 4, np.uint8),
        _integer("int2", 2, np.int8),
        _integer("uint2", 2, np.uint8),
    )
}


def dtype_of_name(name: str) -> np.dtype[Any]:
    """The dtype that numpy or ml_dtypes calls `name`."""
    return next((dtype for dtype in NARROW if dtype.name == name), None) or np.dtype(name)


def carried(array: Array) -> Array:
    """An array of a narrow type, an element in each carrier."""
    narrow = NARROW[array.dtype]
    return np.array(array, order="C").view(np.uint8) if narrow.is_float else array.astype(narrow.carrier)


def pack(array: Array) -> Array:
    """The bytes of an array of a narrow type, in the shape that `Narrow.packed_shape` says."""
    narrow = NARROW[array.dtype]
    if narrow.fills_byte:
        return carried(array)
    codes = carried(array).reshape(-1).view(np.uint8) & np.uint8(2**narrow.bits - 1)
    return _regrouped(codes, narrow.bits, BYTE)[: narrow.packed_size(array.shape)]


def unpack(data: Array, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    """The array of a narrow type whose bytes are `data`."""
    narrow = NARROW[dtype]
    codes = _regrouped(data.reshape(-1), BYTE, narrow.bits)[: prod(shape)]
    if narrow.is_float:
        return codes.view(dtype).reshape(shape)
    half = 2 ** (narrow.bits - 1)
    values = (codes ^ np.uint8(half)).view(np.int8) - np.int8(half) if narrow.carrier == np.int8 else codes
    return values.astype(dtype).reshape(shape)


def _regrouped(codes: Array, given: int, wanted: int) -> Array:
    """Cut a row of codes of `given` bits into codes of `wanted` bits, the first in the low bits, zeros at the end."""
    bits = lcm(given, wanted)
    word = np.uint8 if bits == BYTE else np.uint32
    filled = np.zeros((-(-codes.size * given // bits), bits // given), word)
    filled.reshape(-1)[: codes.size] = codes
    words = np.bitwise_or.reduce(filled << np.arange(0, bits, given, dtype=word), axis=1)
    cut = words[:, None] >> np.arange(0, bits, wanted, dtype=word) & word(2**wanted - 1)
    return cut.astype(np.uint8).reshape(-1)


class Quantised(NamedTuple):
    """Integers of at most four bits, and the scale and zero point of each: `(integers - zeros) * scales`."""

    integers: Array
    scales: Array
    zeros: Array
