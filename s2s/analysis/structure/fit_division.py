"""Find the division that gives a number at each of several sizes: 320, 320, 319, 319 at 640, 639, 638, 637.

    (1 * size + 1) floordiv 2

Few points leave it open: 8, 7, 7, 6, 3 at 14, 13, 12, 11, 6 are `(3 * size) floordiv 5` and `(2 * size - 3) floordiv
3`, which differ at 4. Then the number is asked for at sizes that decide.
"""

from collections.abc import Callable, Iterator, Mapping
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
    known = dict(points)
    sizes = _askable(bounds)
    for _ in range(MAX_ASKED):
        found = list(_divisions(known))
        size = _undecided(found, sizes)
        if size is None:
            break
        number = number_at(size)
        sizes = sizes[sizes != size]
        if number is not None:
            known[size] = number
    return next(_divisions(known), None)


def _divisions(points: Mapping[int, int]) -> Iterator[Division]:
    """Yield the divisions that give all `points`, by divisor."""
    sizes, numbers = np.array(list(points)), np.array(list(points.values()))
    first, last = sizes.argmin(), sizes.argmax()
    span, rise = int(sizes[last] - sizes[first]), int(numbers[last] - numbers[first])
    for divisor in range(1, MAX_STRIDE + 1):
        for factor in range(max(1, divisor * (rise - 1) // span), divisor * (rise + 1) // span + 2):
            if gcd(factor, divisor) > 1:
                continue
            rest = divisor * numbers - factor * sizes
            low, high = int(rest.max()), int(rest.min()) + divisor - 1
            yield from (Division(factor, constant, divisor) for constant in range(low, high + 1))


def _askable(bounds: SizeRange) -> Array:
    """Return the sizes at which a number may be asked for, of a long range those near its ends."""
    least = max(bounds.least, MIN_SIZE)
    if bounds.most - least < 2 * NEAR_ENDS:
        return np.arange(least, bounds.most + 1)
    return np.concatenate(
        [np.arange(least, least + NEAR_ENDS), np.arange(bounds.most + 1 - NEAR_ENDS, bounds.most + 1)]
    )


def _undecided(divisions: list[Division], sizes: Array) -> int | None:
    """Return the one of `sizes` that leaves the fewest of `divisions` in the worst case; None if they all agree."""
    if len(divisions) < 2 or not sizes.size:
        return None
    values = np.sort([(each.factor * sizes + each.constant) // each.divisor for each in divisions], axis=0)
    differing = (values != values[len(values) // 2]).sum(axis=0)
    return int(sizes[differing.argmax()]) if differing.any() else None
