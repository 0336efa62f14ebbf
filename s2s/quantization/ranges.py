"""Ranges of activations: the least and the greatest value, or a part of it that keeps rare large values out.

    minmax        all values
    percentile    from the 0.05th to the 99.95th percentile
    mse           the part whose rounding to 8 bits has the least squared error, clipped values included
    entropy       the part whose rounding changes the distribution least (Kullback-Leibler divergence)

A range that ends at 0 keeps that end: a `Relu` that became the lower bound of its integers stays one.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from s2s.types.dtypes import Array

Method = Literal["minmax", "entropy", "percentile", "mse"]

PERCENT = 0.05
KEPT = 1024
"""Values of a tensor that are kept of each sample, evenly spread."""
PARTS = np.linspace(1.0, 0.3, 36)
"""The parts of the whole range that are tried."""
BINS, LEVELS = 2048, 256
VALUES_OF_A_BIN = 16
"""On average, at least: where fewer values are known, a range has fewer bins, and is not cut below 256 of them."""
DRAWS, REACHED = 16, 0.98


class Range(NamedTuple):
    """The least and the greatest value; 0 is among them."""

    low: float
    high: float

    def step(self) -> float:
        """The scale of 8 bits, as a float of 32 bits: torch and the C then divide by the same number."""
        return float(np.float32(max((self.high - self.low) / 255, 1e-8)))

    def zero_point(self) -> int:
        """The integer that stands for 0."""
        return min(max(round(-128 - self.low / self.step()), -128), 127)

    def inside(self, other: "Range") -> "Range":
        """The part of the range that lies in another."""
        return Range(max(self.low, other.low), min(self.high, other.high))

    def part(self, share: float) -> "Range":
        """The range whose ends are this share of it."""
        return Range(self.low * share, self.high * share)


class Convergence(NamedTuple):
    """How many samples settle the ranges."""

    needed: int
    """Samples, in any order, that reach nearly all of every range on average."""
    half: float
    """The share of the widest-spread range that half of the samples reach on average."""
    tensor: str
    """The tensor of that range."""


class Ranges:
    """Collects the values of tensors by name, over all samples."""

    def __init__(self, method: Method = "minmax", *, keep: bool = False) -> None:
        """`keep` keeps values for other methods than `minmax`, too."""
        self._method: Method = method
        self._keeps = keep or method != "minmax"
        self._ends: dict[str, list[tuple[float, float]]] = {}
        self._values: dict[str, list[Array]] = {}

    def add(self, name: str, value: Array) -> None:
        """Take the values of a tensor in one sample."""
        self._ends.setdefault(name, []).append((float(value.min()), float(value.max())))
        if self._keeps:
            flat = value.reshape(-1)
            places = np.linspace(0, flat.size - 1, min(flat.size, KEPT)).astype(np.int64)
            self._values.setdefault(name, []).append(flat[places].astype(np.float64))

    def found(self) -> Mapping[str, Range]:
        """The range of each tensor by the method."""
        return {name: self.by(self._method, name) for name in self._ends}

    def by(self, method: Method, name: str) -> Range:
        """The range of a tensor by some method."""
        ends = self._ends[name]
        full = Range(min(0.0, *(low for low, _ in ends), 0.0), max(0.0, *(high for _, high in ends), 0.0))
        if method == "minmax" or full.low == full.high:
            return full
        values = np.concatenate(self._values[name])
        if method == "percentile":
            low, high = np.percentile(values, [PERCENT, 100 - PERCENT])
            return Range(min(0.0, float(low)), max(0.0, float(high)))
        parts = [full.part(float(share)) for share in PARTS]
        if method == "mse":
            return min(parts, key=lambda part: _squared_error(values, part))
        counts, edges = np.histogram(values, min(max(values.size // VALUES_OF_A_BIN, LEVELS), BINS), full)
        return min(parts, key=lambda part: _divergence(counts, edges, part))

    def convergence(self) -> Convergence:
        """Estimate from random orders of the samples how many settle the ranges."""
        random = np.random.default_rng(0)
        count = len(next(iter(self._ends.values()), ()))
        orders = np.array([random.permutation(count) for _ in range(DRAWS)])
        needed, worst, tensor = 1, 1.0, ""
        for name, ends in self._ends.items():
            lows, highs = np.array(ends).T
            widths = np.maximum.accumulate(highs[orders], 1) - np.minimum.accumulate(lows[orders], 1)
            reached = (widths / max(highs.max() - lows.min(), 1e-30)).mean(axis=0)
            needed = max(needed, int(np.argmax(reached >= REACHED)) + 1)
            if reached[max(count // 2, 1) - 1] < worst or not tensor:
                worst, tensor = float(reached[max(count // 2, 1) - 1]), name
        return Convergence(needed, worst, tensor)


def _squared_error(values: Array, part: Range) -> float:
    step, zero = part.step(), part.zero_point()
    steps = np.clip(np.rint(values / step) + zero, -128, 127) - zero
    return float(np.square(values - steps * step).mean())


def _divergence(counts: Array, edges: Array, part: Range) -> float:
    """The divergence of a distribution, clipped to a part of its range, from the same in 256 levels."""
    middles = (edges[1:] + edges[:-1]) / 2
    bins = np.flatnonzero((middles >= part.low) & (middles <= part.high))
    if len(bins) < LEVELS:
        return float("inf")
    first, last = int(bins[0]), int(bins[-1]) + 1
    inside = counts[first:last].astype(np.float64)
    clipped = inside.copy()
    clipped[0] += counts[:first].sum()
    clipped[-1] += counts[last:].sum()
    levels = np.arange(len(inside)) * LEVELS // len(inside)
    held = np.maximum(np.bincount(levels, inside > 0, LEVELS), 1)
    spread = (np.bincount(levels, inside, LEVELS) / held)[levels] * (inside > 0)
    p, q = clipped / clipped.sum(), spread / max(spread.sum(), 1e-30)
    seen = p > 0
    return float((p[seen] * np.log(p[seen] / np.maximum(q[seen], 1e-9))).sum())
