"""Convert between the bytes that a network is passed by `--ports int8` and the real numbers of its model."""

import numpy as np

from s2s.c_syntax.interface import Port
from s2s.errors import CompilerBug
from s2s.types.dtypes import Array, to_numpy


def as_reals(port: Port, array: Array) -> Array:
    """Return the real numbers, in float32, that the bytes of a port stand for."""
    scale, zero_point = _quantisation(port)
    return ((array.astype(np.int32) - zero_point).astype(np.float32) * np.float32(scale)).astype(np.float32)


def as_bytes(port: Port, array: Array) -> Array:
    """Return the bytes that the real numbers of a port are, to the nearest."""
    scale, zero_point = _quantisation(port)
    dtype = to_numpy(port.element)
    info = np.iinfo(dtype)
    return np.clip(np.rint(array / np.float32(scale)) + zero_point, info.min, info.max).astype(dtype)


def _quantisation(port: Port) -> tuple[float, int]:
    if port.quantisation is None:
        raise CompilerBug(f"{port.name}: bytes without a quantisation")
    return port.quantisation
