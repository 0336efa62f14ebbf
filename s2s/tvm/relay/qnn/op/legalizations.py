"""Functions of numbers that quantised operators approximate, where TVM has them."""

import numpy as np

from s2s.types.dtypes import Array

__all__ = ["hardswish_func"]


def hardswish_func(x: Array) -> Array:
    """`x * clip(x + 3, 0, 6) / 6` of an array."""
    return x * np.clip(x + 3, 0, 6) / 6
