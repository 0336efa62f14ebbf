"""Fixed-point multiplication of integers by real numbers, `x * multiplier * 2 ** (shift - 31)`, in several roundings.

All functions take numpy scalars or arrays and return int32, which wraps around on overflow.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Number = Any
Rescale = Callable[[Number, Number, Number], Number]


def _wrapped(x: Number) -> Number:
    return np.asarray(x).astype(np.int32)[()]


def _parts(x: Number, multiplier: Number, shift: Number) -> tuple[Number, Number, Number]:
    return np.asarray(x).astype(np.int64), np.asarray(multiplier).astype(np.int64), np.asarray(shift).astype(np.int64)


def rescale_double(x: Number, multiplier: Number, shift: Number) -> Number:
    """The upper half of twice the product, halves up; then a division by a power of two, halves away from zero."""
    x, multiplier, shift = _parts(x, multiplier, shift)
    shifted = (x << np.maximum(shift, 0)).astype(np.int32).astype(np.int64)
    high = (shifted * multiplier + (1 << 30)) >> 31
    right = np.maximum(-shift, 0)
    half = (np.int64(1) << right) >> 1
    down = ((high < 0) & (right > 0)).astype(np.int64)
    return _wrapped((high - down + half) >> right)


def rescale_single(x: Number, multiplier: Number, shift: Number) -> Number:
    """The exact product, rounded once, halves up."""
    x, multiplier, shift = _parts(x, multiplier, shift)
    right = 31 - shift
    return _wrapped((x * multiplier + (np.int64(1) << (right - 1))) >> right)


def rescale_reduced(x: Number, multiplier: Number, shift: Number) -> Number:
    """As `rescale_single`, with a multiplier of 16 bits, so that x may have 48."""
    x, multiplier, shift = _parts(x, multiplier, shift)
    reduced = np.where(multiplier < 0x7FFF0000, (multiplier + (1 << 15)) >> 16, 0x7FFF)
    right = 15 - shift
    return _wrapped((x * reduced + (np.int64(1) << (right - 1))) >> right)


def rescale_high(x: Number, multiplier: Number, shift: Number) -> Number:
    """`rescale_double` for a shift of 0: the upper half of twice the product, halves up."""
    x, multiplier, _ = _parts(x, multiplier, shift)
    return _wrapped((x * multiplier + (1 << 30)) >> 31)


def rescale_upward(x: Number, multiplier: Number, shift: Number) -> Number:
    """`rescale_double` for a negative shift, with halves up in the division as well."""
    x, multiplier, shift = _parts(x, multiplier, shift)
    right = np.maximum(-shift, 0)
    half = (np.int64(1) << right) >> 1
    return _wrapped((((x * multiplier + (1 << 30)) >> 31) + half) >> right)


RESCALES: Mapping[str, Rescale] = {
    "double": rescale_double,
    "single": rescale_single,
    "reduced": rescale_reduced,
    "high": rescale_high,
    "negative": rescale_double,
    "upward": rescale_upward,
}
"""The functions by the name of their rounding."""
