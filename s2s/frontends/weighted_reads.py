"""Weighted sums of neighbours along an axis whose size is known at run time: what `resample.py` does for constant ones.

A position reads the elements up to `reach` away; beyond the border they repeat it, or do not count.
"""

from math import floor

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, less, maximum, minimum, reshape, select
from s2s.frontends.sampling import within
from s2s.support.frozen import frozen

MAX_TAPS = 16
"""The most elements of which a position is the sum."""


@frozen
class Kernel:
    """The weight of an element by its distance: a triangle, or Keys' cubic; `factor` widens it."""

    factor: float | Value
    cubic: float | None
    """The parameter of the cubic; None for a triangle."""
    normalised: bool
    """Whether the weights are divided by their sum."""
    least: float = 1.0
    """The least factor, where it is known at run time only."""

    @property
    def reach(self) -> int:
        """How far the elements are away that count."""
        factor = self.least if isinstance(self.factor, Value) else self.factor
        return -floor(-(1 if self.cubic is None else 2) / factor)

    def weight(self, distance: Value) -> Value:
        """The weight at a distance."""
        x = abs(distance * self.factor)
        if self.cubic is None:
            return clamp(1 - x, 0, 1)
        a = self.cubic
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return select(less(x, 1), near, select(less(x, 2), far, 0))


def read_weighted(x: Value, axis: int, at: Value, size: Value, kernel: Kernel, *, excluded: bool) -> Value:
    """The sums of elements of `x` around the places `at` along `axis`, which has `size` elements."""
    base = emit(graph.CeilOp, at) - 1
    places = [base + offset for offset in range(1 - kernel.reach, 1 + kernel.reach)]
    weights = [kernel.weight(place - at) for place in places]
    if kernel.normalised:
        weights = _normalised(weights)
    if excluded:
        zero = at * 0
        inside = [within(place, 0, size - 1) for place in places]
        weights = _normalised([select(here, weight, zero) for here, weight in zip(inside, weights, strict=True)])
    column = [at.shape[0] if dim == axis else 1 for dim in range(x.rank)]
    total: Value | None = None
    for place, weight in zip(places, weights, strict=True):
        index = cast(maximum(minimum(place, size - 1), 0), np.dtype(np.int64))
        part = emit(graph.GatherOp, x, index, axis=axis) * reshape(cast(weight, x.dtype), column)
        total = part if total is None else total + part
    assert total is not None
    return total


def _normalised(weights: list[Value]) -> list[Value]:
    """The weights divided by their sum; if that is 0, none counts."""
    total = weights[0]
    for weight in weights[1:]:
        total = total + weight
    none = emit(graph.EqualOp, total, total.like(0))
    divisor = select(none, total.like(1), total)
    return [weight / divisor for weight in weights]
