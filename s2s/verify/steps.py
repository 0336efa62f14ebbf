"""Compare quantised outputs in quantisation steps.

A value in the middle between two steps goes to either by the last bit of a float sum. So integer networks and engines
that compute in floats between integers agree to one step; what matters is how many outputs differ, and by how much.
"""

from dataclasses import replace

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.compare import Comparison, Tolerance, compare

ALLOWED = 1
"""The steps by which an output may differ."""


@frozen
class StepCount:
    """How many outputs differ, and by how many steps at most."""

    elements: int
    differing: int
    largest: int
    step: float

    def describe(self) -> str:
        """The result in one line."""
        if not self.differing:
            return f"all {self.elements} agree, in steps of {self.step:.6g}"
        return f"{self.differing} of {self.elements} differ, by {self.largest} at most, in steps of {self.step:.6g}"


def compare_in_steps(
    expected: Array, found: Array, step: float, atol: float | None = None, apart: Array | None = None
) -> tuple[Comparison, StepCount]:
    """Compare outputs that are multiples of `step`, integers for a step of 1; they may differ by `atol`, or a step, and
    by what values near a tie set them `apart`."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return compare(expected, found), StepCount(expected.size, expected.size, 0, step)
    wide = [array.astype(np.float64) for array in (expected, found)]
    distance = np.rint(np.abs(wide[1] - wide[0]) / step)
    count = StepCount(expected.size, int(np.count_nonzero(distance)), int(distance.max(initial=0)), step)
    tolerance = Tolerance(1e-6, (ALLOWED + 0.01) * step if atol is None else atol, apart=apart)
    if expected.dtype.kind == "f":
        return compare(expected, found, tolerance), count
    return replace(compare(wide[0], wide[1], tolerance), max_ulp_error=count.largest), count
