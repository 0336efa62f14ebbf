"""How candidates are built and run, and what a measurement is."""

from typing import TYPE_CHECKING

from s2s.tvm.autotvm.measure.batch import create_measure_batch
from s2s.tvm.autotvm.measure.measure import (
    LOCAL,
    Builder,
    BuildResult,
    LocalBuilder,
    LocalRunner,
    MeasureErrorNo,
    MeasureOption,
    Runner,
    measure_option,
    place_of,
)
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.refusals import refusing

__all__ = [
    "LOCAL",
    "BuildResult",
    "Builder",
    "LocalBuilder",
    "LocalRunner",
    "MeasureErrorNo",
    "MeasureInput",
    "MeasureOption",
    "MeasureResult",
    "RPCRunner",
    "Runner",
    "create_measure_batch",
    "measure_option",
    "place_of",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm.measure")
