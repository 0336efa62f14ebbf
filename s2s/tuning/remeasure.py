"""Measuring records anew: of kernels that models have, with this version of the compiler.

A record of another version of the lowering has another task key. It is found by the key that the kernel had there, or,
where that version made keys of other data, by the names of the kernel and of its nodes. Its decisions count only if
they are still legal and give the right results.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from s2s.decisions.keys import LOWERING
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.tuning.measurement import ErrorKind, Goal
from s2s.tuning.measurer import Candidate, Measurer
from s2s.tuning.open_decision import table_of
from s2s.tuning.recording import record_of
from s2s.tuning.records import Decided, MeasuredRecord
from s2s.tuning.task import FoundKernel


@frozen
class Remeasured:
    """Records after measuring them anew."""

    records: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    failed: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Records whose decisions are no longer legal, or give wrong results, with the new error."""
    missing: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Records of tasks that no model has, as they were."""


def remeasured(
    records: Sequence[MeasuredRecord], kernels: Iterable[FoundKernel], measurer: Measurer, goal: Goal
) -> Remeasured:
    """Measure the decisions of `records` on the ones of `kernels` that they belong to."""
    measurer.require()
    found = Remeasured()
    for number, (each, kernel) in enumerate(with_kernels(records, kernels), 1):
        if kernel is None:
            found.missing.append(each)
            continue
        progress.step(f"measuring {number} of {len(records)}: {kernel.name}")
        decided = renamed(each.decisions, each.task, kernel.key)
        (measured,) = measurer.measure([Candidate(kernel.task, table_of(decided))])
        made = record_of(kernel.task, decided, measured, goal, measurer)
        (found.records if measured.error is ErrorKind.NO_ERROR else found.failed).append(made)
    return found


def remeasured_alike(
    records: Sequence[MeasuredRecord], kernels: Sequence[FoundKernel], measurer: Measurer
) -> Remeasured:
    """Measure `records` anew, each by the unit that its cost was stated in."""
    found = Remeasured()
    for unit in dict.fromkeys(each.unit for each in records):
        of_unit = [each for each in records if each.unit == unit]
        made = remeasured(of_unit, kernels, measurer, Goal.of_unit(unit))
        for mine, theirs in ((found.records, made.records), (found.failed, made.failed), (found.missing, made.missing)):
            mine += theirs
    return found


def with_kernels(
    records: Iterable[MeasuredRecord], kernels: Iterable[FoundKernel]
) -> Iterator[tuple[MeasuredRecord, FoundKernel | None]]:
    """Yield records with the kernels that they are of, by the keys of the lowerings that they were measured with, else
    for other versions by the names of kernel and nodes; with None where there is none."""
    every = list(kernels)
    named = {(kernel.name, kernel.nodes): kernel for kernel in every}
    keys: dict[int, dict[str, FoundKernel]] = {}
    for each in records:
        if each.lowering not in keys:
            keys[each.lowering] = {kernel.key_in(each.lowering): kernel for kernel in every}
        kernel = keys[each.lowering].get(each.task)
        if kernel is None and each.lowering != LOWERING:
            kernel = named.get((each.kernel, each.nodes))
        yield each, kernel if kernel is not None and kernel.target.name == each.target else None


def renamed(decided: Decided, old: str, new: str) -> Decided:
    """Return decisions about a task that has another key now: `old/2` becomes `new/2`."""
    return tuple(
        (kind, new + subject.removeprefix(old) if subject.startswith(old) else subject, chosen)
        for kind, subject, chosen in decided
    )
