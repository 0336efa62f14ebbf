"""Find the division that gives a number at each of several sizes: 320, 320, 319, 319 at 640, 639, 638, 637.

    (1 * size + 1) floordiv 2

Few points leave it open: 8, 7, 7, 6, 3 at 14, 13, 12, 11, 6 are `(3 * size) floordiv 5` and `(2 * size - 3) floordiv
3`, which differ at 4. Then the number is asked for at sizes that decide.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import gcd
from typing import NamedTuple

import numpy as np

from s2s.types.dtypes import Array
from s2s.types.sizes import SizeRange

MAX_STRIDE = 32
"""The greatest divisor that is looked for."""
MAX_ASKED = 12
"""How often a number is asked for at most."""
MIN_SIZE = 2
"""The least size at which a number is asked for: broadcasting looks different at 1."""
NEAR_ENDS = 100
"""How many sizes next to each end of a longer range a number may be asked for at."""

NumberAt = Callable[[int], int | None]
"""Gives the number at another size; None if there is none."""


class Division(NamedTuple):
    """`(factor * size + constant) floordiv divisor`."""

    factor: int
    constant: int
    divisor: int


def fit_division(points: Mapping[int, int], bounds: SizeRange, number_at: NumberAt) -> Division | None:
    """Return the division that gives all `points`; one with factor 0 if they are constant, None if there is none.

    `number_at` gives further points where these leave sizes within `bounds` undecided. Of divisions that differ at no
    size that it knows, the one with the least divisor is returned.
    """
    if len(set(points.values())) == 1:
        return Division(0, next(iter(points.values())), 1)
    known, unknown = tuple(sorted(points.items())), frozenset[int]()
    for _ in range(MAX_ASKED):
        size = _deciding_size(known, bounds, unknown)
        if size is None:
            break
        number = number_at(size)
        if number is None:
            unknown |= {size}
        else:
            known = tuple(sorted((*known, (size, number))))
    return _first_division(known)


Points = tuple[tuple[int, int], ...]
"""Sizes in ascending order, each with the number there."""


@lru_cache(maxsize=4096)
def _first_division(points: Points) -> Division | None:
    """Return the division with the least divisor that gives all `points`; None if there is none."""
    factors, constants, divisors = _divisions(points)
    return Division(int(factors[0]), int(constants[0]), int(divisors[0])) if factors.size else None


def _divisions(points: Points) -> tuple[Array, Array, Array]:
    """Return factors, constants and divisors of the divisions that give all `points`, by divisor."""
    sizes, numbers = np.array(points).T
    span, rise = int(sizes[-1] - sizes[0]), int(numbers[-1] - numbers[0])
    pairs = [
        (factor, divisor)
        for divisor in range(1, MAX_STRIDE + 1)
        for factor in range(max(1, divisor * (rise - 1) // span), divisor * (rise + 1) // span + 2)
        if gcd(factor, divisor) == 1
    ]
    factors, divisors = np.array(pairs, np.int64).reshape(-1, 2).T
    rest = divisors[:, None] * numbers - factors[:, None] * sizes
    low = rest.max(axis=1)
    count = np.maximum(rest.min(axis=1) + divisors - low, 0)
    place = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(factors, count), np.repeat(low, count) + place, np.repeat(divisors, count)


def _askable(bounds: SizeRange) -> Array:
    """Return the sizes at which a number may be asked for, of a long range only sizes near its ends."""
    first = next((size for size in bounds.values if size >= MIN_SIZE), bounds.most + 1)
    every = np.arange(first, bounds.most + 1, bounds.step)
    return every if every.size <= 2 * NEAR_ENDS else np.concatenate([every[:NEAR_ENDS], every[-NEAR_ENDS:]])


@lru_cache(maxsize=4096)
def _deciding_size(points: Points, bounds: SizeRange, unknown: frozenset[int]) -> int | None:
    """Return the size that leaves the fewest divisions through `points` in the worst case, other than the sizes at
    which the number is `unknown`; None if all divisions agree. The layers of a network ask the same again and again."""
    factors, constants, divisors = _divisions(points)
    sizes = np.array([size for size in _askable(bounds).tolist() if size not in unknown], np.int64)
    if len(factors) < 2 or not sizes.size:
        return None
    values = (factors[:, None] * sizes + constants[:, None]) // divisors[:, None]
    middle = len(values) // 2
    differing = (values != np.partition(values, middle, axis=0)[middle]).sum(axis=0)
    return int(sizes[differing.argmax()]) if differing.any() else None
