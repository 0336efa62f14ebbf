"""Compare constants of a network at two sizes."""

import numpy as np

from s2s.types.dtypes import Array

ROUNDINGS = 64
"""How many units in the last place of its largest element two evaluations of one constant may lie apart."""


def begins_with(great: Array, small: Array) -> bool:
    """Return whether `small` is the first part of `great` along each axis; floats but for roundings.

    The order in which numpy adds the products of two constant matrices depends on how many rows they have.
    """
    if (
        great.dtype != small.dtype
        or great.ndim != small.ndim
        or any(have < want for have, want in zip(great.shape, small.shape, strict=True))
    ):
        return False
    part = great[tuple(map(slice, small.shape))]
    if np.asarray(part, order="C").tobytes() == np.asarray(small, order="C").tobytes():
        return True
    return small.dtype.kind == "f" and _differ_by_roundings(part, small)


def _differ_by_roundings(one: Array, other: Array) -> bool:
    """Return whether floats of one type differ by roundings at most, and the same ones are finite."""
    wide, precision = (one.astype(np.float64), other.astype(np.float64)), float(np.finfo(one.dtype).eps)
    finite = np.isfinite(wide[0])
    if not np.array_equal(*(np.where(finite, 0, each) for each in wide), equal_nan=True):
        return False
    largest = np.abs(wide[0][finite]).max(initial=0)
    return bool(np.all(np.abs(wide[0] - wide[1])[finite] <= ROUNDINGS * precision * largest))
