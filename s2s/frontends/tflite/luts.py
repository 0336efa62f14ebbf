"""Tables as TFLite's kernels fill them: a function at every 8-bit number, or at 513 places of the 16-bit ones."""

from collections.abc import Callable
from math import erfc, pi

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_HALF = np.float32(0.5)


def exact(function: Function) -> Callable[[Floats], Floats]:
    """`function` of float32 numbers, computed in float64 and rounded once, as a good libm does."""
    return lambda x: function(x.astype(np.float64)).astype(np.float32)


def rounded(x: NDArray[np.floating]) -> NDArray[np.floating]:
    """The nearest integers, ties away from zero, as C's `round`."""
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def gelu(x: Floats) -> Floats:
    """`x * P(X <= x)` of a normal variable X."""
    tail = exact(np.vectorize(erfc))((x * np.float32(-(0.5**0.5))).astype(np.float32))
    return (np.float32(0.5) * x * tail).astype(np.float32)


def gelu_by_tanh(x: Floats) -> Floats:
    """`gelu`, its integral approximated by a tangens hyperbolicus."""
    angle = (np.float32((2 / pi) ** 0.5) * (x + np.float32(0.044715) * x * x * x)).astype(np.float32)
    return (np.float32(0.5) * x * (np.float32(1) + exact(np.tanh)(angle))).astype(np.float32)


def table_of(
    function: Callable[[Floats], Floats], source: tuple[float, int], target: tuple[float, int]
) -> NDArray[np.int8]:
    """`function` at every `int8`; source and target are scale and zero point, the arithmetic is float32."""
    scale, inverse = np.float32(source[0]), np.float32(1) / np.float32(target[0])
    x = scale * (np.arange(-128, 128) - source[1]).astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        y = rounded(function(x) * inverse) + np.float32(target[1])
    return np.clip(np.nan_to_num(y), -128, 127).astype(np.int8)


def interpolated(function: Callable[[Floats], Floats], source: tuple[float, int], scale: float) -> NDArray[np.int16]:
    """`function` at 513 places from the lowest to the highest `int16`, each lowered by half of what a straight line
    to the next is too high in its middle; zero point 0 in the result."""
    source_scale, target_scale = np.float32(source[0]), np.float32(scale)
    lowest = source_scale * np.float32(-32768 - source[1])
    highest = source_scale * np.float32(32767 - source[1])
    step = (highest - lowest) / np.float32(512)
    factor = np.float32(65536) / (target_scale * np.float32(32767) - target_scale * np.float32(-32768))
    places = np.arange(512).astype(np.float32)
    at = function(lowest + places * step)
    middle = rounded(function(lowest + places * step + step * _HALF) * factor)
    after = function(lowest + (places + np.float32(1)) * step)
    sample = rounded(at * factor)
    line = rounded((after * factor + rounded(at * factor)) * _HALF)
    last = rounded(function(np.array([highest], np.float32)) * factor)
    table = np.concatenate([sample - rounded((line - middle) * _HALF), last])
    return np.clip(table, -32768, 32767).astype(np.int16)


def sigmoid_table() -> NDArray[np.uint16]:
    """`2 ** 16 * sigmoid(i / 24)`, each lowered by half of what a straight line is too high in its middle."""

    def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return 65536 / (1 + np.exp(-x / 24))

    i = np.arange(255, dtype=np.float64)
    error = (sigmoid(i + 1) + sigmoid(i)) / 2 - sigmoid(i + 0.5)
    table = np.append(rounded(sigmoid(i) - error / 2), 65535)
    return table.astype(np.uint16)
