"""Operators of symbolic integers beside real numbers."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

REALS: tuple[type, ...] = (float, np.float32, np.float16)
"""Types of numbers that are no integers; numpy's of 64 bits is a `float`."""


def of_reals(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Have an operator of a size take a real number as the size's plain number does.

    `n < 0.5` compares `float(n)`, which leaves a guard.
    """

    @wraps(method)
    def operator(size: Any, other: Any) -> Any:
        if isinstance(other, REALS):
            return getattr(float(size), method.__name__)(float(other))
        return method(size, other)

    return operator
