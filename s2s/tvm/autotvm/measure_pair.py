"""A measurement as AutoTVM's callbacks and logs see it: its input and its result."""

from typing import Any, NamedTuple

from s2s.support.frozen import frozen
from s2s.tuning.records import MeasuredRecord
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity

FAILED = 1e9
"""The cost of a measurement that failed."""


@frozen
class LoggedTask:
    """A task as a line of a log names it."""

    name: str
    args: tuple[Any, ...]
    key: str

    @property
    def workload(self) -> tuple[Any, ...]:
        """Its name and arguments."""
        return (self.name, *self.args)


class MeasureInput(NamedTuple):
    """A configuration of a task on a target."""

    target: str
    task: Task | LoggedTask
    config: ConfigEntity


class MeasureResult(NamedTuple):
    """The costs of a configuration, in seconds or in instructions as `record.unit` says."""

    costs: tuple[float, ...]
    error_no: int
    all_cost: float
    """Seconds that building and measuring took."""
    timestamp: float
    record: MeasuredRecord
    """Everything that is known of the measurement."""


def result_of(record: MeasuredRecord) -> MeasureResult:
    """Return the result that a record keeps."""
    cost = FAILED if record.cost is None else record.cost
    return MeasureResult((cost,), int(record.error), record.seconds, record.timestamp, record)
