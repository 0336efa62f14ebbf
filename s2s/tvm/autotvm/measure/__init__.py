"""How candidates are built and run, and what a measurement is."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from s2s.tvm.autotvm.base_task import Task


def create_measure_batch(
    task: "Task", option: MeasureOption
) -> "Callable[[Sequence[MeasureInput]], list[MeasureResult]]":
    """Return a function that measures configurations of a task."""
    from s2s.tvm.autotvm.tuner import create_measure_batch as create

    return create(task, option)


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
    "create_measure_batch",
    "measure_option",
    "place_of",
]
