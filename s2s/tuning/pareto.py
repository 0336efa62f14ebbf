"""Two objectives at once: the Pareto front of each task, and the cheapest choice of records within a limit of flash.

    conv_3x3    3,043,441 instructions   10,376 bytes        the compiler's own choice, measured first
                2,605,783                10,956              +580 bytes save 437,658 instructions
                2,576,783                12,028              +1,072 bytes more save 29,000 more

A record is on the front if no other one of its task is at most as dear in both. Within a limit, the steps along the
fronts of all tasks that save the most for a byte are taken first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from s2s.tuning.records import MeasuredRecord

Second = Literal["flash", "ram"]
_UNITS: dict[Second, str] = {"flash": "bytes of flash", "ram": "bytes of ram"}


@dataclass(frozen=True)
class _Step:
    """A move from one record of a task to another one that costs less and takes more bytes."""

    task: tuple[str, str, str]
    record: MeasuredRecord
    saved: float
    """Of the cost of all calls."""
    extra: float
    """Bytes."""


def pareto_front(records: Iterable[MeasuredRecord], second: Second = "flash") -> tuple[MeasuredRecord, ...]:
    """Return the records that no other one of their task beats in cost and in bytes, the cheapest of a task first."""
    found: list[MeasuredRecord] = []
    for every in _by_task(records, second).values():
        least = float("inf")
        for each in sorted(every, key=lambda one: (one.cost or 0.0, _bytes(one, second))):
            if _bytes(each, second) < least:
                least = _bytes(each, second)
                found.append(each)
    return tuple(found)


def within(
    records: Iterable[MeasuredRecord], extra: float, second: Second = "flash"
) -> tuple[tuple[MeasuredRecord, ...], float]:
    """Return a record for each task where they save the most, and the bytes that they take more.

    The first record of a task is the compiler's own choice, which bytes are counted from. Tasks that keep it have none.
    """
    tasks = _by_task(records, second)
    chosen = {task: every[0] for task, every in tasks.items()}
    fronts = {task: pareto_front(every, second) for task, every in tasks.items()}
    left = extra
    while (step := _best_step(chosen, fronts, left, second)) is not None:
        chosen[step.task] = step.record
        left -= step.extra
    changed = tuple(each for task, each in chosen.items() if each is not tasks[task][0])
    return changed, extra - left


def _best_step(
    chosen: Mapping[tuple[str, str, str], MeasuredRecord],
    fronts: Mapping[tuple[str, str, str], Sequence[MeasuredRecord]],
    left: float,
    second: Second,
) -> _Step | None:
    """The step that saves the most for a byte; None where no step fits."""
    steps = [
        _Step(task, other, (before.cost or 0.0) * before.calls - (other.cost or 0.0) * before.calls, extra)
        for task, before in chosen.items()
        for other in fronts[task]
        if (other.cost or 0.0) < (before.cost or 0.0)
        and (extra := _bytes(other, second) - _bytes(before, second)) <= left
    ]
    return max(steps, key=lambda each: each.saved / max(each.extra, 1.0), default=None)


def _by_task(records: Iterable[MeasuredRecord], second: Second) -> dict[tuple[str, str, str], list[MeasuredRecord]]:
    found: dict[tuple[str, str, str], list[MeasuredRecord]] = {}
    for each in records:
        if each.cost is not None and _UNITS[second] in each.costs:
            found.setdefault(each.subject, []).append(each)
    return found


def _bytes(record: MeasuredRecord, second: Second) -> float:
    return record.costs[_UNITS[second]]
