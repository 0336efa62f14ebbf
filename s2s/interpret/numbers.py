"""Numeric functions that numpy lacks or defines differently, on numpy scalars and arrays."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Scalar = Any
Function = Callable[..., Scalar]

where: Function = np.where


def through_double(function: Function) -> Function:
    """Wrap `function` to compute in f64 and round once to the type of its first argument."""

    def rounded(*values: Scalar) -> Scalar:
        return function(*(value.astype(np.float64) for value in values)).astype(values[0].dtype)

    return rounded


def is_array(value: Scalar) -> bool:
    """Return whether `value` is an array and not a scalar; scalars have faster paths."""
    return isinstance(value, np.ndarray)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """Return the greater number; NaN if either is NaN. The sign of a zero is unspecified."""
    if is_array(a) or is_array(b):
        return np.maximum(a, b)
    return a if a > b or a != a else b


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """Return the smaller number; NaN if either is NaN. The sign of a zero is unspecified."""
    if is_array(a) or is_array(b):
        return np.minimum(a, b)
    return a if a < b or a != a else b


def choose(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """`a` where the condition holds, else `b`."""
    if is_array(condition):
        return where(condition, a, b)
    return a if condition else b


def divide_signed(a: Scalar, b: Scalar) -> Scalar:
    """Divide, rounding towards zero; 0 for a zero divisor."""
    return (a - np.fmod(a, b)) // b


def divide_up(a: Scalar, b: Scalar) -> Scalar:
    """Divide, rounding towards plus infinity; 0 for a zero divisor."""
    return divide_signed(a, b) + ((np.fmod(a, b) != 0) & ((a < 0) == (b < 0)))


def divide_unsigned_up(a: Scalar, b: Scalar) -> Scalar:
    """Divide unsigned numbers, rounding up; 0 for a zero divisor."""
    return a // b + (np.fmod(a, b) != 0)


def integer_power(a: Scalar, b: Scalar) -> Scalar:
    """Compute `a` to the power `b` modulo 2^bits; for `b < 0` the real power rounded towards zero, and 0 if `a` is
    0."""
    base, exponent = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    power, square, rest = np.ones_like(base), base.copy(), where(exponent < 0, 0, exponent)
    while rest.any():
        power = where(rest & 1, power * square, power)
        square, rest = square * square, rest >> 1
    inverse = where(np.abs(base) == 1, where(exponent & 1, base, np.ones_like(base)), np.zeros_like(base))
    return where(exponent < 0, inverse, power)[()]


def multiply_extended(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """Return the lower and the upper half of the product."""
    dtype = a.dtype
    bits = 8 * dtype.itemsize
    high = np.asarray(np.asarray(a).astype(object) * np.asarray(b).astype(object)) >> bits
    return a * b, np.asarray(high).astype(dtype)[()]


def count_leading_zeros(a: Scalar) -> Scalar:
    """Zero bits above the highest set bit of an unsigned number."""
    bits, shift = 8 * a.dtype.itemsize, 1
    while shift < bits:
        a, shift = a | (a >> a.dtype.type(shift)), 2 * shift
    return a.dtype.type(bits) - np.bitwise_count(a).astype(a.dtype)


def count_trailing_zeros(a: Scalar) -> Scalar:
    """Zero bits below the lowest set bit of an unsigned number."""
    return np.bitwise_count(~a & (a - a.dtype.type(1)))


def round_half_away(a: Scalar) -> Scalar:
    """Round to the nearest integer, halves away from zero."""
    whole = np.trunc(a)
    return whole + np.copysign((np.abs(a - whole) >= 0.5).astype(a.dtype), a)


def _fused_double(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


_FUSED_DOUBLE: Function = np.frompyfunc(_fused_double, 3, 1)


def fused_multiply_add(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """`a * b + c` in one rounding.

    For the types below f64 the product is exact in f64. The sum is rounded to odd there (Boldo and Melquiond, Emulation
    of FMA and correctly rounded sums, 2008), after which the rounding to the type is right.
    """
    if c.dtype == np.float64:
        return np.asarray(_FUSED_DOUBLE(a, b, c)).astype(np.float64)[()]
    product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = (np.asarray(total).view(np.int64) & 1) == 0
    odd = np.nextafter(total, np.copysign(np.inf, error))
    return where(even & (error != 0) & np.isfinite(total), odd, total).astype(c.dtype)[()]


def reciprocal_root(a: Scalar) -> Scalar:
    """`1 / sqrt(a)`, each rounded."""
    return a.dtype.type(1) / np.sqrt(a)


def erf(a: Scalar) -> Scalar:
    """The error function of f64."""
    values = np.asarray(a)
    return np.fromiter(map(math.erf, values.reshape(-1).tolist()), np.float64, values.size).reshape(values.shape)[()]


def float_to_integer(dtype: np.dtype[Any], *, unsigned: bool) -> Function:
    """Round towards zero, saturating to the range of the integer; NaN gives 0. The result is a signed array."""
    read = np.dtype(f"u{dtype.itemsize}") if unsigned else dtype
    least: Scalar = read.type(np.iinfo(read).min)
    most: Scalar = read.type(np.iinfo(read).max)
    above = 2.0 ** (8 * read.itemsize - (not unsigned))

    def convert(a: Scalar) -> Scalar:
        wide = np.trunc(np.asarray(a).astype(np.float64))
        inside = (wide >= float(least)) & (wide < above)
        limited = where(np.isnan(wide), read.type(0), where(wide > 0, most, least))
        return where(inside, where(inside, wide, 0.0).astype(read), limited).view(dtype)[()]

    return convert
