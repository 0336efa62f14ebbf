"""Compare two arrays under a tolerance, and measure the largest errors.

Integers and booleans must be equal. Floats may differ by `atol + rtol * |expected|`; a NaN equals only a NaN. The
report gives the largest error in three measures, as each shows what the others hide: absolute, relative, and in units
in the last place (ULP).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.emit.info import HALF_ROUNDINGS
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, from_numpy, is_float


@frozen
class Tolerance:
    """How much floats may differ. With `scaled`, `atol` counts in units of the largest expected value, if above 1;
    `least` is an absolute error that is allowed anyway."""

    rtol: float
    atol: float
    scaled: bool = False
    apart: Array | None = None
    """What each element may differ by in addition, as values near a tie were rounded otherwise."""
    least: float = 0.0

    def allowed(self, expected: Array) -> Array:
        """The largest allowed absolute error of each element."""
        size = np.abs(expected)
        finite = size[np.isfinite(size)]
        scale = max(1.0, float(finite.max())) if self.scaled and finite.size else 1.0
        absolute = max(self.atol * scale, self.least)
        return np.asarray(absolute + self.rtol * size + (0.0 if self.apart is None else self.apart))

    def describe(self) -> str:
        """The formula with its numbers: `1e-05 + 0.0001 * |expected|`."""
        absolute = f"{self.atol:g} * max(1, largest |expected|)" if self.scaled else f"{max(self.atol, self.least):g}"
        if self.scaled and self.least:
            absolute = f"max({absolute}, {self.least:g})"
        return f"{absolute} + {self.rtol:g} * |expected|"


EXACT = Tolerance(0.0, 0.0)


def default_tolerance(dtype: np.dtype[Any]) -> Tolerance:
    """Return the tolerance for this type: other summation orders and another libm."""
    if not is_float(from_numpy(dtype)):
        return EXACT
    match dtype.itemsize:
        case 8:
            return Tolerance(1e-9, 1e-10)
        case 4:
            return Tolerance(1e-4, 1e-5)
        case _:
            rounding = HALF_ROUNDINGS["f16" if dtype == np.float16 else "bf16"]
            return Tolerance(rounding, rounding)


@frozen
class Comparison:
    """The result of comparing two arrays."""

    passed: bool
    elements: int
    beyond: int
    """Elements beyond the tolerance."""
    max_abs_error: float = 0.0
    max_rel_error: float = 0.0
    max_ulp_error: int = 0
    first_index: tuple[int, ...] | None = None
    """The first element beyond the tolerance."""
    worst_index: tuple[int, ...] | None = None
    """The element with the largest absolute error; None where all are equal."""
    mismatch: str = ""
    """Why the arrays could not be compared at all."""

    def describe(self) -> str:
        """The result in one line."""
        if self.mismatch:
            return self.mismatch
        errors = (
            f"largest error {self.max_abs_error:.3g} absolute, {self.max_rel_error:.3g} relative, "
            f"{self.max_ulp_error} ULP"
        )
        if self.passed:
            return f"{self.elements} elements agree; {errors}"
        places = f"first at {_index(self.first_index)}, worst at {_index(self.worst_index)}"
        return f"{self.beyond} of {self.elements} elements differ, {places}; {errors}"


def compare(expected: Array, found: Array, tolerance: Tolerance | None = None) -> Comparison:
    """Compare `found` with `expected`, by the default tolerance of its type if none is given."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        wanted, given = (f"{array.dtype}{list(array.shape)}" for array in (expected, found))
        return Comparison(False, expected.size, expected.size, mismatch=f"expected {wanted}, found {given}")
    chosen = default_tolerance(expected.dtype) if tolerance is None else tolerance
    with np.errstate(all="ignore"):
        if is_float(from_numpy(expected.dtype)):
            return _compare_floats(expected, found, chosen)
        return _compare_integers(expected, found)


def _compare_floats(expected: Array, found: Array, tolerance: Tolerance) -> Comparison:
    a, b = expected.astype(np.float64), found.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    error = np.where(same, 0.0, np.abs(b - a))
    error = np.where(np.isnan(error), np.inf, error)
    beyond = ~same & ~(error <= np.where(np.isfinite(a), tolerance.allowed(a), 0.0))
    relative = np.where(same, 0.0, error / np.where(a == 0, error, np.abs(a)))
    relative = np.where(np.isnan(relative), np.inf, relative)
    ulps = np.where(same, np.uint64(0), _ulps(expected, found))
    return _result(beyond, error, relative, ulps)


def _compare_integers(expected: Array, found: Array) -> Comparison:
    beyond = expected != found
    wide = [array.astype(np.float64) for array in (expected, found)]
    error = np.where(beyond, np.maximum(np.abs(wide[1] - wide[0]), 1.0), 0.0)
    relative = error / np.maximum(np.abs(wide[0]), 1.0)
    return _result(beyond, error, relative, error.astype(np.uint64))


def _result(beyond: Array, error: Array, relative: Array, ulps: Array) -> Comparison:
    count = int(np.count_nonzero(beyond))
    return Comparison(
        passed=count == 0,
        elements=error.size,
        beyond=count,
        max_abs_error=float(error.max(initial=0.0)),
        max_rel_error=float(relative.max(initial=0.0)),
        max_ulp_error=int(ulps.max(initial=0)),
        first_index=_place(beyond, int(np.argmax(beyond))) if count else None,
        worst_index=_place(error, int(np.argmax(error))) if error.any() else None,
    )


def _ulps(expected: Array, found: Array) -> Array:
    """Return the number of representable values between two floats."""
    a, b = _rank(expected), _rank(found)
    return np.maximum(a, b) - np.minimum(a, b)


def _rank(array: Array) -> Array:
    """Return the rank of each number among all numbers of its type; both zeros have one rank."""
    bits = 8 * array.dtype.itemsize
    raw = np.asarray(array, order="C").view(f"u{array.dtype.itemsize}").reshape(array.shape).astype(np.uint64)
    middle = np.uint64(1 << (bits - 1))
    size = raw & (middle - np.uint64(1))
    return np.where(raw & middle, middle - size, middle + size)


def _place(array: Array, position: int) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(position, array.shape))


def _index(index: Sequence[int] | None) -> str:
    return str(list(index or ()))
