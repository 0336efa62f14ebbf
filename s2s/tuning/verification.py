"""Verification of records: which of them still hold for this version of the compiler, without measuring them.

A record holds if its decisions are still legal, and if this version makes the C of them that was measured, for the same
C compiler and flags: what runs is the same, so it costs the same. Any other record is stale; it has to be measured.

    record of lowering 1, C 5f2c…, gcc 12.2.1     the kernel's key was 05e2… then and is 77ab… now
    decisions compiled now -> C 5f2c…             holds: the same record under the key 77ab…
                           -> C 90d1…             stale: its C has changed
                           -> InputError          stale: its decisions are no longer legal
"""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path

from s2s.decisions.keys import LOWERING
from s2s.errors import S2SError
from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.targets.flags import compile_flags
from s2s.tuning.code import code_of
from s2s.tuning.measurer import Candidate, Measurer
from s2s.tuning.open_decision import table_of
from s2s.tuning.records import MeasuredRecord
from s2s.tuning.remeasure import renamed, with_kernels
from s2s.tuning.task import FoundKernel
from s2s.version import current_version


@frozen
class Verified:
    """Records after verification."""

    valid: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Records that hold, under the keys and with the version of this compiler."""
    stale: list[tuple[MeasuredRecord, str]] = field(default_factory=list[tuple[MeasuredRecord, str]])
    """Records that have to be measured, as they were, and why."""
    missing: list[MeasuredRecord] = field(default_factory=list[MeasuredRecord])
    """Records of tasks that no model has, as they were."""


def verified(records: Sequence[MeasuredRecord], kernels: Iterable[FoundKernel], measurer: Measurer) -> Verified:
    """Verify `records` of the ones of `kernels` that they belong to; `measurer` tells place and C compiler."""
    found = Verified()
    for number, (each, kernel) in enumerate(with_kernels(records, kernels), 1):
        if kernel is None:
            found.missing.append(each)
            continue
        progress.step(f"verifying {number} of {len(records)}: {kernel.name}")
        decisions = renamed(each.decisions, each.task, kernel.key)
        made = replace(each, task=kernel.key, decisions=decisions, lowering=LOWERING, version=current_version())
        reason = _reason_against(made, kernel, measurer)
        if reason is None:
            found.valid.append(made)
        else:
            found.stale.append((each, reason))
    return found


def _reason_against(record: MeasuredRecord, kernel: FoundKernel, measurer: Measurer) -> str | None:
    """Say why the cost of a record tells nothing of this version; None if it still holds."""
    if record.place != measurer.place:
        return f"was measured on {record.place or 'an unknown place'}, not on {measurer.place}"
    if record.compiler != measurer.compiler:
        return f"was measured with {record.compiler or 'an unknown compiler'}; {measurer.compiler} is installed"
    if record.flags != compile_flags(kernel.target):
        return "was measured with other flags of the C compiler"
    if not record.code:
        return "does not tell the hash of its C"
    try:
        with tempfile.TemporaryDirectory(prefix="s2s-verify-") as folder:
            Candidate(kernel.task, table_of(record.decisions)).compilation.tree.write(Path(folder))
            same = code_of(Path(folder)) == record.code
    except S2SError:
        return "its decisions are no longer legal"
    return None if same else "its C has changed"
