"""A record of a measurement: which decisions of which task were measured, where, and how."""

import time
from typing import Protocol

from s2s.targets import Target
from s2s.targets.flags import compile_flags
from s2s.tuning.measurement import Goal, Measurement
from s2s.tuning.measurer import Measurer
from s2s.tuning.records import Decided, MeasuredRecord


class Named(Protocol):
    """What a record tells of a task."""

    @property
    def key(self) -> str:
        """Its task key."""
        ...

    @property
    def name(self) -> str:
        """The name of its kernel or template."""
        ...

    @property
    def nodes(self) -> str:
        """The nodes of the model that it computes."""
        ...

    @property
    def calls(self) -> int:
        """How often one run of the network calls it."""
        ...

    @property
    def target(self) -> Target:
        """What it is compiled for."""
        ...


def record_of(
    task: Named,
    decisions: Decided,
    measured: Measurement,
    goal: Goal,
    measurer: Measurer,
    arguments: tuple[object, ...] = (),
) -> MeasuredRecord:
    """Return the record of a measurement that ended just now; `arguments` are a template's."""
    return MeasuredRecord(
        task=task.key,
        target=task.target.name,
        decisions=decisions,
        cost=goal.cost(measured, task.calls),
        unit=goal.unit,
        error=measured.error,
        costs=dict(measured.costs),
        place=measurer.place,
        compiler=measurer.compiler,
        flags=tuple(compile_flags(task.target)),
        kernel=task.name,
        nodes=task.nodes,
        calls=task.calls,
        arguments=arguments,
        message=measured.message,
        noise=round(measured.noise, 4),
        seconds=round(measured.seconds, 3),
        timestamp=round(time.time(), 3),
        code=measured.code,
    )
