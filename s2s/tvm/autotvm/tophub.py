"""Records that the compiler ships with, under the name of TVM's collection of them.

    with autotvm.tophub.context("cortex-m4", extra_files=["kws.log"]):
        library = s2s.build(mod, target="cortex-m4", params=params)

`s2s.build` takes them without any context; the context tells what they are, and adds logs of one's own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.decisions.records import shipped_records
from s2s.tuning.records import MeasuredRecord
from s2s.tvm.autotvm.dispatcher import ApplyHistoryBest
from s2s.tvm.refusals import refusing
from s2s.tvm.target import resolve


def context(target: object, extra_files: Sequence[str | Path] = ()) -> ApplyHistoryBest:
    """Return a context with the records for a target, and the records of other files."""
    found = ApplyHistoryBest(extra_files)
    found.take(
        MeasuredRecord(each.task, each.target, each.decisions, each.cost, each.unit, kernel=each.task)
        for each in shipped_records(resolve(target).name)
    )
    return found


if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("autotvm.tophub")
