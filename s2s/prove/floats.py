"""Arithmetic of C on floats of 32 bits, which the prover holds as keys: integers in the order of the floats.

The key of a float that is not negative is its bit pattern as an integer, the key of -x is the complement of the key of
x, so that tables and intervals of keys are those of the floats; a comparison takes -0.0 for 0.0 first ("zero"). NaN has
no key: an operation that may yield one is undefined.

    1.0f    1065353216      0.0f   0
    -1.0f  -1065353217     -0.0f  -1

Results are rounded to nearest, halves to even, as IEEE 754 says, and no multiplication and addition is contracted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from s2s.prove.ctypes import F32, IntType
from s2s.prove.faults import Unprovable
from s2s.prove.intervals import Interval, at, hull

NEGATIVE = 1 << 31
"""The bit of the sign."""
RING = {"f+": np.add, "f-": np.subtract, "f*": np.multiply, "f/": np.divide}
WHOLE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "rint": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "sqrt": np.sqrt,
}
"""Functions of one float that are monotone and exactly rounded."""
FUNCTIONS = {f"{name}f": name for name in WHOLE}
"""Functions of math.h by their name in C."""
OPERATIONS = frozenset({*RING, *WHOLE, "i2f", "f2i", "zero", "bits", "of bits"})


def decoded(keys: np.ndarray) -> np.ndarray:
    """The floats of keys."""
    keys = np.asarray(keys, np.int64)
    sizes = np.where(keys < 0, ~keys, keys).astype(np.int32).view(np.float32)
    return np.where(keys < 0, -sizes, sizes).astype(np.float32)


def encoded(floats: np.ndarray) -> np.ndarray:
    """The keys of floats that are no NaN."""
    bits = np.asarray(floats, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, ~(bits & 0x7FFFFFFF), bits)


def key_of(text: str) -> int:
    """The key of a decimal literal, rounded once."""
    exact = Fraction(text.rstrip("fF"))
    near = np.float32(float(exact))
    candidates = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    finite = [item for item in candidates if np.isfinite(item)]
    if not np.isfinite(near) or not finite:
        msg = f"the literal {text} is no float"
        raise Unprovable(msg)
    keys = [int(encoded(np.asarray(item))) for item in finite]
    best = min(zip(finite, keys, strict=True), key=lambda pair: (abs(Fraction(float(pair[0])) - exact), pair[1] & 1))
    return best[1]


def is_float(text: str) -> bool:
    """Whether a decimal literal is a float of 32 bits exactly."""
    return Fraction(float(decoded(np.asarray(key_of(text))))) == Fraction(text)


def apply_float(op: str, ctype: IntType, values: Sequence[Interval]) -> tuple[Interval, np.ndarray | None]:
    """An operation on intervals of keys, or of integers for "i2f", and where it may yield a NaN or is undefined."""
    if op == "i2f":
        return _monotone(lambda x: encoded(x.astype(np.float32)), values[0]), None
    if op == "zero":
        return _monotone(lambda x: np.where(x == -1, 0, x), values[0]), None
    if op == "bits":
        return _bits(values[0]), None
    if op == "of bits":
        return _of_bits(values[0])
    if op == "f2i":
        return _as_integer(values[0], ctype)
    if op in WHOLE:
        with np.errstate(all="ignore"):
            return _monotone(lambda x: encoded(WHOLE[op](decoded(x))), values[0]), _roots_of_negatives(op, values[0])
    return _ring(op, *values)


def _monotone(function: Callable[[np.ndarray], np.ndarray], x: Interval) -> Interval:
    return at(function(x.low)) if x.low is x.high else Interval(function(x.low), function(x.high))


def _bits(x: Interval) -> Interval:
    """The bit patterns of keys as unsigned numbers, whose order is the other one for negative floats."""
    low, high = (np.where(end < 0, NEGATIVE + ~end, end) for end in x)
    if x.low is x.high:
        return at(low)
    mixed = (x.low < 0) & (x.high >= 0)
    return Interval(np.where(mixed, 0, np.minimum(low, high)), np.where(mixed, 2 * NEGATIVE - 1, np.maximum(low, high)))


def _of_bits(x: Interval) -> tuple[Interval, np.ndarray | None]:
    """The keys of bit patterns; a pattern of NaN has none, which is undefined."""
    low, high = (np.where(end >= NEGATIVE, ~(end - NEGATIVE), end) for end in x)
    mixed = (x.low < NEGATIVE) & (x.high >= NEGATIVE)
    outside = mixed | (np.maximum(low, high) > F32.most) | (np.minimum(low, high) < F32.least)
    ends = np.minimum(low, high), np.maximum(low, high)
    result = Interval(*(np.where(outside, end, part) for end, part in zip((F32.least, F32.most), ends, strict=True)))
    return (at(low) if x.low is x.high and not np.any(outside) else result), outside if np.any(outside) else None


def _roots_of_negatives(op: str, x: Interval) -> np.ndarray | None:
    negative = x.low < -1
    return negative if op == "sqrt" and np.any(negative) else None


def _as_integer(x: Interval, ctype: IntType) -> tuple[Interval, np.ndarray | None]:
    """Floats towards zero as integers; undefined where the type does not hold the result."""
    low, high = (np.trunc(np.clip(decoded(end).astype(np.float64), -(2.0**62), 2.0**62)) for end in x)
    if ctype.bits == 64:
        outside = (low <= -(2.0**62)) | (high >= 2.0**62)
    else:
        outside = (low < ctype.least) | (high > ctype.most)
    return Interval(low.astype(np.int64), high.astype(np.int64)), outside if np.any(outside) else None


def _ring(op: str, a: Interval, b: Interval) -> tuple[Interval, np.ndarray | None]:
    """Sums, products and quotients, monotone in each operand; a divisor may not be zero."""
    undefined = (b.low <= 0) & (b.high >= -1) if op == "f/" else np.zeros(np.broadcast_shapes(*map(np.shape, a)), bool)
    points = a.low is a.high and b.low is b.high
    pairs = [(a.low, b.low)] if points else [(x, y) for x in a for y in b]
    with np.errstate(all="ignore"):
        ends = [np.asarray(RING[op](decoded(x), decoded(y)), np.float32) for x, y in pairs]
    none = np.logical_or.reduce([np.isnan(end) for end in ends])
    keys = [encoded(np.where(np.isnan(end), np.float32(0), end)) for end in ends]
    undefined = undefined | none | _indefinite(op, a, b)
    low, high = (np.minimum.reduce(keys), np.maximum.reduce(keys))
    result = at(low) if points else hull(low, high)
    if not np.any(undefined):
        return result, None
    return Interval(np.where(undefined, F32.least, low), np.where(undefined, F32.most, high)), undefined


def _indefinite(op: str, a: Interval, b: Interval) -> np.ndarray:
    """Where an interval may hold inf * 0, inf - inf or inf / inf between its ends."""
    endless = [(item.low <= F32.least) | (item.high >= F32.most) for item in (a, b)]
    if op == "f*":
        zero = [(item.low <= 0) & (item.high >= -1) for item in (a, b)]
        return (endless[0] & zero[1]) | (endless[1] & zero[0])
    return endless[0] & endless[1]
