"""Real-valued results of quantised ONNX operators before they are quantised: integers times scales.

ONNX leaves the order of a sum in floats open; the reference sums the integers, which is exact, and rounds once, to
float32, as onnxruntime's quantised kernels do. A `Scaled` element is

    scale * (constant + sum(factors * (atoms + numbers)))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from s2s.prove.reference.fixed_point import FixedPoint
from s2s.prove.reference.model import Array
from s2s.prove.values import Value

Terms = tuple[Array, Array, Array, Array]
"""Of elements at flat positions: atoms (0 for none), numbers and factors as (elements, terms), and a constant each."""


@dataclass
class Scaled:
    """Elements that are integer sums, each times a scale."""

    shape: tuple[int, ...]
    terms: Callable[[Array], Terms]
    scale: Callable[[Array], Array]
    """The float32 scale of elements at flat positions."""
    width: int
    """Terms of an element at most."""
    low: float = -np.inf
    high: float = np.inf
    """Limits of the real value, as an activation sets."""
    rows: int = 1
    """Rows of elements with the same atoms; if there are several, `terms` and `scale` take (rows, places), too."""

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape))

    def limited(self, low: float, high: float) -> Scaled:
        """The same between two real numbers."""
        return replace(self, low=min(max(self.low, low), self.high), high=max(min(self.high, high), self.low))

    def moved(self, places: Array) -> Scaled:
        """Elements in other places: the one at flat position i is the one that was at places[i]."""
        flat = places.reshape(-1)

        def terms(at: Array) -> Terms:
            return self.terms(flat[at])

        def scale(at: Array) -> Array:
            return self.scale(flat[at])

        return replace(self, shape=places.shape, terms=terms, scale=scale, rows=1)


@dataclass
class Computed:
    """Elements that are floats of other ones."""

    shape: tuple[int, ...]
    value: Callable[[FixedPoint, Array, np.float32], Value]
    """The quotient of elements at flat positions and the scale that they are quantised with, in lanes."""
    low: float = -np.inf
    high: float = np.inf
    applied: tuple[Scaled, Callable[[Array], Array]] | None = None
    """What the elements are a function of, and the function of floats, if they are."""

    def limited(self, low: float, high: float) -> Computed:
        """The same between two real numbers."""
        return replace(self, low=max(self.low, low), high=min(self.high, high), applied=None)


Real = Scaled | Computed
