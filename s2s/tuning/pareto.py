"""Several objectives at once: the Pareto front of each task, and the cheapest choice of records within limits of bytes.

    conv_3x3    3,043,441 instructions   10,376 bytes  10,244 at -Os    the compiler's own choice, measured first
                2,637,717                11,392        10,230           -14 bytes at -Os, +1,016 at -O3
                2,605,783                10,956        10,890

A record is on the front if no other one of its task is at most as dear in cost, flash, RAM and stack. Within limits,
one record is chosen for each task so that the sum of the costs of all calls is least.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from s2s.support.frozen import frozen
from s2s.tuning.measurement import SMALL_FLASH
from s2s.tuning.records import NETWORK, MeasuredRecord

FLASH = "bytes of flash"
SIZES = (FLASH, SMALL_FLASH)
"""The sizes that records are compared in; without the second one, the first stands for both."""
PEAKS = ("bytes of ram", "bytes of stack")
"""What kernels take one after the other: a network takes no more than the most that one of them takes."""
AXES = (*SIZES, *PEAKS)
"""The units of a Pareto front beside the cost. A unit that a place does not measure is compared in no record."""
Subject = tuple[str, str, str]


@frozen
class _Choice:
    """Records of some tasks: the cost of their calls, and the bytes that they take more than the first records."""

    cost: float
    extra: tuple[float, float]
    picked: tuple[MeasuredRecord, ...]

    def with_record(self, record: MeasuredRecord, first: MeasuredRecord) -> "_Choice":
        """Add a record for another task, whose compiler's own choice is `first`."""
        more = [_bytes(record, unit) - _bytes(first, unit) for unit in SIZES]
        picked = self.picked if record is first else (*self.picked, record)
        extra = self.extra[0] + more[0], self.extra[1] + more[1]
        return _Choice(self.cost + (record.cost or 0.0) * first.calls, extra, picked)


def pareto_front(records: Iterable[MeasuredRecord]) -> tuple[MeasuredRecord, ...]:
    """Return the records that no other one of their task beats in cost and on all axes, the cheapest first."""
    return tuple(each for every in _by_task(records).values() for each in _front(every, AXES))


def within(
    records: Iterable[MeasuredRecord], limits: Mapping[str, float]
) -> tuple[tuple[MeasuredRecord, ...], dict[str, float]]:
    """Return the records with the least cost of all calls, and the bytes that they take more.

    `limits` are the bytes, by unit, that they may take more than the compiler's own choices. Those are the first
    records of the tasks; tasks that keep them have none in the result. A limit of RAM or stack is what each kernel may
    take more, which the whole network then takes more at most.
    """
    sized = (each for each in records if FLASH in each.costs)
    tasks = [_within_peaks(every, limits) for every in _by_task(sized).values()]
    fronts = [[every[0], *_front(every, SIZES)] for every in tasks]
    least = [tuple(_least(front, unit) for unit in SIZES) for front in fronts]
    known = [_Choice(0.0, (0.0, 0.0), ())]
    for number, (every, front) in enumerate(zip(tasks, fronts, strict=True)):
        later = [sum(each[axis] for each in least[number + 1 :]) for axis in range(len(SIZES))]
        ends = [limits.get(unit, inf) - rest for unit, rest in zip(SIZES, later, strict=True)]
        made = [choice.with_record(each, every[0]) for choice in known for each in front]
        known = _undominated(each for each in made if each.extra[0] <= ends[0] and each.extra[1] <= ends[1])
    best = min(known, key=lambda each: each.cost)
    return best.picked, {unit: best.extra[axis] for axis, unit in enumerate(SIZES)}


def _within_peaks(records: Sequence[MeasuredRecord], limits: Mapping[str, float]) -> list[MeasuredRecord]:
    """The first record of a task, and the records that take no more RAM and stack than it and the limits."""
    first = records[0]
    ends = {unit: first.costs.get(unit, inf) + limits[unit] for unit in PEAKS if unit in limits}
    return [first, *(r for r in records[1:] if all(r.costs.get(unit, inf) <= end for unit, end in ends.items()))]


def _front(records: Sequence[MeasuredRecord], axes: Sequence[str]) -> list[MeasuredRecord]:
    """The records of one task that no other one beats in cost and on `axes`, the cheapest first."""
    found: list[MeasuredRecord] = []
    for each in sorted(records, key=lambda one: (one.cost or 0.0, *(_bytes(one, unit) for unit in axes))):
        if not any(all(_bytes(other, unit) <= _bytes(each, unit) for unit in axes) for other in found):
            found.append(each)
    return found


def _least(front: Sequence[MeasuredRecord], unit: str) -> float:
    """The fewest bytes that a task can take more than with its first record."""
    return min(_bytes(each, unit) for each in front) - _bytes(front[0], unit)


def _undominated(choices: Iterable[_Choice]) -> list[_Choice]:
    """Leave out choices that another one beats in cost and in both sizes."""
    found: list[_Choice] = []
    stairs: list[tuple[float, float]] = []
    for each in sorted(choices, key=lambda one: (one.cost, one.extra)):
        place = bisect_right(stairs, (each.extra[0], inf))
        if place and stairs[place - 1][1] <= each.extra[1]:
            continue
        end = place
        while end < len(stairs) and stairs[end][1] >= each.extra[1]:
            end += 1
        stairs[place:end] = [each.extra]
        found.append(each)
    return found


def _by_task(records: Iterable[MeasuredRecord]) -> dict[Subject, list[MeasuredRecord]]:
    found: dict[Subject, list[MeasuredRecord]] = {}
    for each in records:
        if each.cost is not None and each.kernel != NETWORK:
            found.setdefault(each.subject, []).append(each)
    return found


def _bytes(record: MeasuredRecord, unit: str) -> float:
    """The bytes of a unit; bytes of flash stand for bytes with -Os where the latter were not measured."""
    return record.costs.get(unit, record.costs.get(FLASH, 0.0) if unit == SMALL_FLASH else 0.0)
