"""How candidates are built and run, and what a measurement is."""

from s2s.tvm.autotvm.measure.measure import (
    LOCAL,
    BuildResult,
    LocalBuilder,
    LocalRunner,
    MeasureErrorNo,
    MeasureOption,
    Runner,
    measure_option,
    place_of,
)
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult

__all__ = [
    "LOCAL",
    "BuildResult",
    "LocalBuilder",
    "LocalRunner",
    "MeasureErrorNo",
    "MeasureInput",
    "MeasureOption",
    "MeasureResult",
    "Runner",
    "measure_option",
    "place_of",
]
