"""Find two factors that replace the division in front of a rounding to a byte, or to a number of 16 bits.

`round(x / 0.03)` becomes `round(fma(x, high, x * low))`, which takes two instructions where a division takes 14 cycles,
and which vectors have. Both are monotonic steps of at most 256 sizes, or 65,536, and symmetric in sign, so that they
are equal for every float if they are equal at the smallest float of each step and at the float before it. For a divisor
of 0.03 the first step begins at 0.0149999997: its quotient rounds to 1/2, and that of 0.0149999987 does not.
"""

from functools import lru_cache

import numpy as np

from s2s.types.dtypes import Array

RANGE = 2.0**64
"""Divisors lie between its reciprocal and it, so that neither factor, nor their products near a step, is denormal."""
INFINITE = 0x7F800000


@lru_cache(maxsize=256)
def quotient_factors(divisor: float, *, away: bool, bits: int = 8) -> tuple[float, float] | None:
    """Return `high` and `low` for a divisor of f32 and results of 8 or 16 bits; `low` is 0 where one product is enough.
    None if there are none."""
    if not 1 / RANGE < divisor < RANGE:
        return None
    rounded = np.float32(divisor)
    steps = np.arange(1, (1 << bits) + 1, dtype=np.float64)  # larger sizes saturate whatever the zero point is
    first = _first_floats(rounded, steps, away=away)
    nearest = np.float32(1 / np.float64(rounded))
    high = nearest if float(nearest) * float(rounded) < 1 else np.nextafter(nearest, np.float32(0))
    low = np.float32(1 / np.float64(rounded) - np.float64(high))
    for one, other in ((nearest, np.float32(0)), (high, low)):
        if _agree(first, steps, one, other, away=away):
            return float(one), float(other)
    return None


def _first_floats(divisor: np.float32, steps: Array, *, away: bool) -> Array:
    """Return the bits of the smallest positive float of each step, by bisection."""
    low, high = np.zeros(len(steps), np.int64), np.full(len(steps), INFINITE, np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        reached = _rounded(_floats(middle) / divisor, away=away) >= steps
        low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
    return low


def _floats(bits: Array) -> Array:
    return bits.astype(np.uint32).view(np.float32)


def _rounded(quotient: Array, *, away: bool) -> Array:
    exact = quotient.astype(np.float64)
    return np.floor(exact + 0.5) if away else np.rint(exact)


def _agree(first: Array, steps: Array, high: np.float32, low: np.float32, *, away: bool) -> bool:
    """Return whether products reach each step at its first float, and not at the float before it."""
    with np.errstate(over="ignore"):
        at, before = (_rounded(_products(_floats(bits), high, low), away=away) for bits in (first, first - 1))
    return bool((at >= steps).all() and (before < steps).all())


def _products(x: Array, high: np.float32, low: np.float32) -> Array:
    """`fma(x, high, x * low)`: f64 holds the first product exactly, and the sum is rounded to odd before it becomes
    f32."""
    product, addend = x.astype(np.float64) * np.float64(high), (x * low).astype(np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = (total.view(np.int64) & 1) == 0
    return np.where(even & (error != 0), np.nextafter(total, np.copysign(np.inf, error)), total).astype(np.float32)
