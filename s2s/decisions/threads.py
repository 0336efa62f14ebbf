"""Which kernels are divided among threads: kernels whose work makes up for the cost of a fork and a join.

If a schedule holds the directive `parallel`, the user has decided. The subject is the task key of the kernel; the steps
that a kernel was split into share it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost, Decision
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused, named
from s2s.decisions.recorded import recorded_on
from s2s.targets import Target

SHARED, ALONE = "divided", "one thread"


class DividedKernel(NamedTuple):
    """A kernel at the loop level, and the work of one call."""

    kernel: FuncOp
    operations: int
    least: int
    """Minimum operations that are worth a fork and a join."""
    threads: int
    is_asked: bool
    """Whether the schedule of the kernel says `parallel`."""
    fault: Callable[[], str | None]
    """Why the kernel cannot be divided; None if it can be."""

    @property
    def scheduled(self) -> Decision | None:
        """The decision about the schedule of its first computation, which names the task."""
        return next((each for each in recorded_on(self.kernel) if each.kind == "schedule"), None)


class ThreadsKind(NamedKind[DividedKernel]):
    """Division of kernels among threads."""

    name = "threads"
    names = (SHARED, ALONE)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[DividedKernel, str]]]:
        return (("work against the cost of fork and join", _worth_it),)

    def key(self, subject: DividedKernel) -> str:
        scheduled = subject.scheduled
        return subject.kernel.sym_name.data if scheduled is None else scheduled.subject.partition("/")[0]

    def home(self, subject: DividedKernel) -> Operation:
        return subject.kernel

    def about(self, subject: DividedKernel) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: DividedKernel) -> str:
        scheduled = subject.scheduled
        return "" if scheduled is None else scheduled.nodes

    def legal(self, subject: DividedKernel, choice: str) -> str | None:
        fault = subject.fault() if choice == SHARED else None
        return fault or super().legal(subject, choice)

    def asked(self, subject: DividedKernel) -> str | None:
        return SHARED if subject.is_asked else None

    def estimate(self, subject: DividedKernel, choice: str, target: Target) -> Cost | None:
        if choice == ALONE:
            return Cost(cycles=subject.operations)
        return Cost(cycles=subject.operations / subject.threads + target.fork_join)


def _worth_it(subject: DividedKernel, target: Target) -> Sequence[Candidate[str] | Refused]:
    (alone,) = named(ALONE)
    if subject.operations < subject.least:
        few = f"{subject.operations:,} operations do not make up for a fork and a join, {subject.least:,} would"
        return [alone, Refused(SHARED, few)]
    if (fault := subject.fault()) is not None:
        return [alone, Refused(SHARED, fault)]
    return named(SHARED, ALONE)
