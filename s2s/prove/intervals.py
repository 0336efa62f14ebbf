"""Interval arithmetic on the integer operations of C, exact where both ends of an interval are equal.

An `Interval` holds arrays of least and greatest values; every function returns one that holds all results. Unsigned
numbers of 64 bits are kept as residues from -2^63 to 2^63 - 1, which their ring operations do not see.

Example: `shift_right` of [-5, 12] by 2 is [-2, 3]; `wrap` of [100, 130] to int8 is [-128, 127], of [130, 132] it is
[-126, -124].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from s2s.prove.faults import Unprovable

if TYPE_CHECKING:
    from s2s.prove.ctypes import IntType

BEYOND = np.int64(2**63 - 2048)
"""Stands for every number of more than 64 bits."""


class Interval(NamedTuple):
    """Least and greatest values, arrays of int64 of one shape."""

    low: np.ndarray
    high: np.ndarray

    @property
    def single(self) -> np.ndarray:
        """Where one value is left."""
        return self.low == self.high


def nearest(number: np.ndarray, bits: int) -> np.ndarray:
    """The number nearest to 0 that is congruent modulo 2^bits: -3 for 2^32 - 3."""
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half


def at(point: np.ndarray) -> Interval:
    """Single values, which the functions below compute once."""
    return Interval(point, point)


def are_points(*operands: Interval) -> bool:
    """Whether operands are known to be single values."""
    return all(each.low is each.high for each in operands)


def _ends(a: Interval) -> tuple[np.ndarray, ...]:
    """Both ends of an interval, or the one that is both."""
    return a[:1] if a.low is a.high else a


def hull(*ends: np.ndarray) -> Interval:
    """The least interval that holds all ends."""
    return Interval(reduce(np.minimum, ends), reduce(np.maximum, ends))


def _checked(function: Callable[..., np.ndarray], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A ring operation on int64; results beyond 64 bits become BEYOND, with their sign."""
    most = [max(abs(int(each.min())), abs(int(each.max()))) if each.size else 0 for each in (a, b)]
    if (most[0] * most[1] if function is np.multiply else most[0] + most[1]) < BEYOND:
        return function(a, b)
    wide = function(a.astype(np.float64), b.astype(np.float64))
    return np.where(np.abs(wide) >= float(BEYOND), np.where(wide > 0, BEYOND, -BEYOND), function(a, b))


def all_fit(a: Interval, ctype: IntType) -> bool:
    """Whether all intervals lie in the range of a type."""
    return not a.low.size or bool(a.low.min() >= ctype.least and a.high.max() <= ctype.most)


def goes_beyond(a: Interval) -> np.ndarray:
    """Where a result may have more than 64 bits."""
    return (a.low <= -BEYOND) | (a.high >= BEYOND)


def add(a: Interval, b: Interval) -> Interval:
    """a + b."""
    if are_points(a, b):
        return at(_checked(np.add, a.low, b.low))
    return Interval(_checked(np.add, a.low, b.low), _checked(np.add, a.high, b.high))


def sub(a: Interval, b: Interval) -> Interval:
    """a - b."""
    if are_points(a, b):
        return at(_checked(np.subtract, a.low, b.low))
    return Interval(_checked(np.subtract, a.low, b.high), _checked(np.subtract, a.high, b.low))


def mul(a: Interval, b: Interval) -> Interval:
    """a * b."""
    if are_points(a, b):
        return at(_checked(np.multiply, a.low, b.low))
    return hull(*(_checked(np.multiply, x, y) for x in _ends(a) for y in _ends(b)))


def shift_left(a: Interval, count: Interval) -> Interval:
    """a * 2^count."""
    if are_points(a, count):
        return at(_checked(np.multiply, a.low, np.int64(1) << count.low))
    return hull(*(_checked(np.multiply, x, np.int64(1) << y) for x in _ends(a) for y in _ends(count)))


def shift_right(a: Interval, count: Interval) -> Interval:
    """a / 2^count towards minus infinity."""
    if are_points(a, count):
        return at(a.low >> count.low)
    return hull(*(x >> y for x in _ends(a) for y in _ends(count)))


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b towards zero; by a shift where b is one power of two, which is several times faster."""
    divisor = int(b.flat[0]) if b.size else 0
    if divisor > 0 and not divisor & (divisor - 1) and np.all(b == divisor):
        quotient = np.abs(a) >> (divisor.bit_length() - 1)
    else:
        quotient = np.abs(a) // np.maximum(np.abs(b), 1)
    return np.where((a < 0) != (b < 0), -quotient, quotient)


def div(a: Interval, b: Interval) -> Interval:
    """a / b towards zero; refuse a divisor that may be zero."""
    if np.any((b.low <= 0) & (b.high >= 0)):
        msg = "a divisor may be zero"
        raise Unprovable(msg)
    if are_points(a, b):
        return at(_quotient(a.low, b.low))
    return hull(*(_quotient(x, y) for x in _ends(a) for y in _ends(b)))


def rem(a: Interval, b: Interval) -> Interval:
    """a % b with the sign of a."""
    quotient = div(a, b)
    if are_points(a, b):
        return at(a.low - quotient.low * b.low)
    exact = quotient.single & b.single
    most = np.maximum(np.abs(b.low), np.abs(b.high)) - 1
    wide = Interval(np.where(a.low < 0, -most, 0), np.where(a.high > 0, most, 0))
    rest = np.where(exact, quotient.low * b.low, 0)
    return Interval(np.where(exact, a.low - rest, wide.low), np.where(exact, a.high - rest, wide.high))


def bit_and(a: Interval, b: Interval) -> Interval:
    """a & b; precise for a mask 2^k - 1 while the interval stays in one block of 2^k."""
    if are_points(a, b):
        return at(a.low & b.low)
    mask = b.low
    is_mask = b.single & (mask >= 0) & ((mask & (mask + 1)) == 0)
    block = (a.low & ~mask) == (a.high & ~mask)
    either = (a.low >= 0) | (b.low >= 0)
    most = np.where(a.low >= 0, np.where(b.low >= 0, np.minimum(a.high, b.high), a.high), b.high)
    low = np.where(either, 0, np.int64(-(2**62)))
    high = np.where(either, most, np.int64(2**62))
    exact = (is_mask & block) | (a.single & b.single)
    return Interval(np.where(exact, a.low & mask, low), np.where(exact, a.high & mask, high))


def _bitwise(function: Callable[..., np.ndarray]) -> Callable[[Interval, Interval], Interval]:
    """A bitwise operation: exact on single values, else the power of two around both operands."""

    def interval(a: Interval, b: Interval) -> Interval:
        most = np.maximum.reduce([np.abs(end.astype(np.float64)) for end in (*a, *b)])
        bound = (np.int64(1) << np.minimum(np.ceil(np.log2(most + 2)), 62).astype(np.int64)) - 1
        exact = a.single & b.single
        value = function(a.low, b.low)
        low = np.where((a.low >= 0) & (b.low >= 0), 0, -bound - 1)
        return Interval(np.where(exact, value, low), np.where(exact, value, bound))

    return interval


bit_or, bit_xor = _bitwise(np.bitwise_or), _bitwise(np.bitwise_xor)


def less(a: Interval, b: Interval) -> Interval:
    """1 where a < b, else 0."""
    if are_points(a, b):
        return at((a.low < b.low).astype(np.int64))
    return Interval((a.high < b.low).astype(np.int64), (a.low < b.high).astype(np.int64))


def equal(a: Interval, b: Interval) -> Interval:
    """1 where a == b, else 0."""
    if are_points(a, b):
        return at((a.low == b.low).astype(np.int64))
    certain = a.single & b.single & (a.low == b.low)
    possible = (a.low <= b.high) & (b.low <= a.high)
    return Interval(certain.astype(np.int64), possible.astype(np.int64))


def inverted(a: Interval) -> Interval:
    """1 - a of a truth value."""
    return Interval(1 - a.high, 1 - a.low)


def select(condition: Interval, a: Interval, b: Interval) -> Interval:
    """a where the condition is not 0, else b; both where it may be either."""
    if are_points(condition, a, b):
        return at(np.where(condition.low != 0, a.low, b.low))
    always = (condition.low > 0) | (condition.high < 0)
    never = (condition.low == 0) & (condition.high == 0)
    both = hull(*a, *b)
    return Interval(
        np.where(always, a.low, np.where(never, b.low, both.low)),
        np.where(always, a.high, np.where(never, b.high, both.high)),
    )


def leading_zeros(a: Interval) -> Interval:
    """Zero bits above the highest set one in 32 bits."""

    def count(x: np.ndarray) -> np.ndarray:
        return 32 - np.frexp(np.clip(x, 0, 2**32 - 1).astype(np.float64))[1].astype(np.int64)

    return at(count(a.low)) if are_points(a) else hull(count(a.low), count(a.high))


def wrap(a: Interval, ctype: IntType) -> Interval:
    """The value modulo 2^bits in the range of a type."""
    if ctype.bits == 64:
        return a
    if all_fit(a, ctype):
        return a
    shifted = Interval(a.low - ctype.least, a.high - ctype.least)
    block = (shifted.low >> ctype.bits) == (shifted.high >> ctype.bits)
    mask = (1 << ctype.bits) - 1
    return Interval(
        np.where(block, (shifted.low & mask) + ctype.least, ctype.least),
        np.where(block, (shifted.high & mask) + ctype.least, ctype.most),
    )


def fits(a: Interval, ctype: IntType) -> np.ndarray:
    """Where the whole interval lies in the range of a type."""
    return (a.low >= ctype.least) & (a.high <= ctype.most)
