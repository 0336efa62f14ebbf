"""A measurement as AutoTVM's callbacks and logs see it: its input and its result."""

import json
from typing import Any, NamedTuple, Self

from s2s.support.frozen import frozen
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.records import MeasuredRecord
from s2s.tvm.autotvm.base_task import Task
from s2s.tvm.autotvm.config import ConfigEntity
from s2s.tvm.autotvm.knobs import OtherOptionEntity
from s2s.tvm.autotvm.template import CONFIG
from s2s.tvm.target import Target

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

    target: str | Target
    task: Task | LoggedTask
    config: ConfigEntity


class _Result(NamedTuple):
    costs: tuple[float, ...]
    error_no: int
    all_cost: float
    timestamp: float


class MeasureResult(_Result):
    """The costs of a configuration, its error, the seconds that building and measuring took, and when it was measured.

    Costs are seconds, or instructions as `record.unit` says; `record`, what is known besides, is none of a result that
    a program has made itself.
    """

    record: MeasuredRecord | None

    def __new__(
        cls,
        costs: tuple[float, ...],
        error_no: int,
        all_cost: float,
        timestamp: float,
        record: MeasuredRecord | None = None,
    ) -> Self:
        """Make a result of TVM's four fields, and the record that tells more."""
        result = super().__new__(cls, costs, error_no, all_cost, timestamp)
        result.record = record
        return result


def result_of(record: MeasuredRecord) -> MeasureResult:
    """Return the result that a record keeps."""
    cost = FAILED if record.cost is None else record.cost
    return MeasureResult((cost,), int(record.error), record.seconds, record.timestamp, record)


def record_of_pair(inp: MeasureInput, result: MeasureResult) -> MeasuredRecord | None:
    """Return the record of a measurement; of one that a program has made itself the record of its task, None where the
    configuration is none of the task's."""
    if result.record is not None or not isinstance(inp.task, Task):
        return result.record
    if not inp.config.entities:
        return None
    failed = bool(result.error_no)
    return MeasuredRecord(
        task=inp.task.key,
        target=inp.task.target.name,
        decisions=inp.task.decisions_of(inp.task.text_at(inp.config)),
        cost=None if failed else sum(result.costs) / len(result.costs),
        unit="seconds",
        error=ErrorKind(result.error_no),
        kernel=inp.task.name,
        arguments=inp.task.args,
        seconds=result.all_cost,
        timestamp=result.timestamp,
    )


def pair_of(record: MeasuredRecord) -> tuple[MeasureInput, MeasureResult]:
    """Return a record as a measurement of AutoTVM."""
    task = LoggedTask(record.kernel, record.arguments, record.task)
    return MeasureInput(record.target, task, _config(record)), result_of(record)


def _config(record: MeasuredRecord) -> ConfigEntity:
    for kind, _, chosen in record.decisions:
        if kind == CONFIG:
            return ConfigEntity.from_json_dict(json.loads(chosen))
    return ConfigEntity(0, {f"{kind} {subject}": OtherOptionEntity(text) for kind, subject, text in record.decisions})
