"""Ranges of activations: the least and the greatest value, or what onnxruntime's histograms keep."""
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import contextlib
import io
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from s2s.types.dtypes import Array

Method = Literal["minmax", "entropy", "percentile"]

_BINS = {"entropy": 128, "percentile": 2048}
_QUANTISED_BINS = 128
_PERCENTILE = 99.999
"""As onnxruntime's calibrators have them by default."""


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


class Ranges:
    """Collects the values of tensors by name, over all samples."""

    def __init__(self, method: Method) -> None:
        self._limits: dict[str, Range] = {}
        self._collector: Any = None
        if method != "minmax":
            from onnxruntime.quantization.calibrate import HistogramCollector

            self._collector = HistogramCollector(method, False, _BINS[method], _QUANTISED_BINS, _PERCENTILE, "same")

    def add(self, name: str, value: Array) -> None:
        """Take the values of a tensor in one sample."""
        if self._collector is not None:
            with contextlib.redirect_stdout(io.StringIO()):
                self._collector.collect({name: [value]})
        old = self._limits.get(name, Range(0.0, 0.0))
        self._limits[name] = Range(min(old.low, float(value.min())), max(old.high, float(value.max())))

    def found(self) -> Mapping[str, Range]:
        """The range of each tensor."""
        if self._collector is None:
            return self._limits
        with contextlib.redirect_stdout(io.StringIO()):
            chosen: Any = self._collector.compute_collection_result()
        return {name: Range(min(0.0, float(limits[0])), max(0.0, float(limits[1]))) for name, limits in chosen.items()}
