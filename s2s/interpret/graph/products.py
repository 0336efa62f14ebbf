"""Sums of products in numpy; integers use the fast matrix product of doubles where it is exact."""

import numpy as np

from s2s.interpret.graph.precision import widen
from s2s.types.dtypes import Array, from_numpy, to_numpy, type_of_array
from s2s.types.shapes.accumulate import Accumulation, is_small_integer

EXACT = 2**53
"""Every integer up to this one is exact as a double."""


def factors(accumulation: Accumulation, x: Array, w: Array) -> tuple[Array, Array]:
    """Return both factors in the accumulator type, with zero points subtracted."""
    if not is_small_integer(from_numpy(x.dtype)):
        return widen(x), widen(w)
    element = to_numpy(accumulation.result(type_of_array(x), type_of_array(w)))
    return x.astype(element) - element.type(accumulation.x_zp), w.astype(element) - element.type(accumulation.w_zp)


def matmul(a: Array, b: Array) -> Array:
    """Compute `a @ b`; integers wrap around."""
    if a.dtype.kind not in "iu" or not a.size or not b.size:
        return np.matmul(a, b)
    largest = int(np.abs(a.astype(np.float64)).max()) * int(np.abs(b.astype(np.float64)).max()) * a.shape[-1]
    if largest >= EXACT:
        return np.matmul(a, b)
    return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64).astype(a.dtype)
