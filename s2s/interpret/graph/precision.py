"""Half-precision floats are calculated with as float32 and rounded once, at the end of an operation.

That is what numpy does inside its own half-precision routines, and what a device does that stores halves and has no
arithmetic for them.
"""

from collections.abc import Callable

import numpy as np

from s2s.types.dtypes import Array, from_numpy, is_float

Meaning = Callable[..., Array]
"""The numpy meaning of an operation: called with the operation and its operands."""


def is_float_array(x: Array) -> bool:
    """Whether the elements are floating point, bfloat16 included."""
    return is_float(from_numpy(x.dtype))


def widen(x: Array) -> Array:
    """`x` in a type that numpy calculates with natively."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and is_float_array(x) else x
