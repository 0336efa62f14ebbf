"""Compute half-precision floats as float32 and round them once, at the end of an operation.

Numpy does the same inside of its half-precision routines, and so does a device that stores halves but has no arithmetic
for them.
"""

from collections.abc import Callable

import numpy as np

from s2s.types.dtypes import Array, from_numpy, is_float

Meaning = Callable[..., Array]
"""The numpy meaning of an operation: called with the operation and its operands."""


def is_float_array(x: Array) -> bool:
    """Return whether the elements are floating point, bfloat16 included."""
    return is_float(from_numpy(x.dtype))


def widen(x: Array) -> Array:
    """Convert `x` to a type that numpy computes with natively."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and is_float_array(x) else x
