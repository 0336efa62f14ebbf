"""Measuring records anew: of kernels that models have, with this version of the compiler.

A record of another version of the lowering has another task key. It is found by the key that the kernel had there; its
decisions count only if they are still legal and give the right results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from s2s.analysis.network.constants import calls_of
from s2s.decisions.keys import LOWERING
from s2s.support import progress
from s2s.tuning.measurement import ErrorKind, Goal
from s2s.tuning.measurer import Candidate, Measurer
from s2s.tuning.open_decision import table_of
from s2s.tuning.recording import record_of
from s2s.tuning.records import Decided, MeasuredRecord
from s2s.tuning.task import FoundKernel, key_in_lowering


@dataclass(frozen=True)
class Remeasured:
    """Records after measuring them anew."""

    records: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    failed: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Those whose decisions are no longer legal, or give wrong results, with the new error."""
    missing: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Those of tasks that no model has, as they were."""


def remeasured(
    records: Sequence[MeasuredRecord], kernels: Iterable[FoundKernel], measurer: Measurer, goal: Goal
) -> Remeasured:
    """Measure the decisions of `records` on those of `kernels` that they are of."""
    measurer.require()
    every, found = list(kernels), Remeasured()
    keys: dict[int, dict[str, FoundKernel]] = {}
    for number, each in enumerate(records, 1):
        if each.lowering not in keys:
            keys[each.lowering] = {_key(kernel, each.lowering): kernel for kernel in every}
        kernel = keys[each.lowering].get(each.task)
        if kernel is None or kernel.target.name != each.target:
            found.missing.append(each)
            continue
        progress.step(f"measuring {number} of {len(records)}: {kernel.name}")
        decided = _renamed(each.decisions, each.task, kernel.key)
        (measured,) = measurer.measure([Candidate(kernel.task, table_of(decided))])
        made = record_of(kernel.task, decided, measured, goal, measurer)
        (found.records if measured.error is ErrorKind.NO_ERROR else found.failed).append(made)
    return found


def _key(kernel: FoundKernel, lowering: int) -> str:
    """The task key of a kernel in a version of the lowering."""
    if lowering == LOWERING:
        return kernel.key
    return key_in_lowering(kernel, calls_of(kernel.state.module), lowering)


def _renamed(decided: Decided, old: str, new: str) -> Decided:
    """Decisions about a task that has another key now: `old/2` becomes `new/2`."""
    return tuple(
        (kind, new + subject.removeprefix(old) if subject.startswith(old) else subject, chosen)
        for kind, subject, chosen in decided
    )
