"""Decide how a kernel's constants of at most four bits are stored: two in a byte, or one.

Two in a byte take half of the flash, and some instructions to widen each group that is loaded. A core without caches
has little flash, so it takes them if they cost few instructions, beside those of the kernel or for what they save (a
dense layer reads each number once); one with caches does not. The subject is the task key of the kernel.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost, Decision
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused, named
from s2s.decisions.recorded import recorded_on
from s2s.targets import Target

PACKED, BYTES = "two in a byte", "bytes"
FEW = 2
"""Unpacking may add half of a kernel's operations. On Cortex-M4, ResNet-8 with weights of four bits takes 24 % more
instructions (38 % in one kernel) and 47 % less flash."""
MAX_PER_BYTE = 8
"""Operations that a byte of flash is worth: dense layers take 2 for each on Cortex-M4 and 6 on M3, convolutions with
36 results 12 and more."""


class SmallConstant(NamedTuple):
    """A constant of numbers from -8 to 7 that a kernel reads, and what it costs."""

    kernel: FuncOp
    bytes: int
    """One for each number, in all calls."""
    operations: int
    """Of one call of the kernel."""
    unpacking: int
    """Operations that one call does in addition where the constant is packed."""
    saved: int
    """Bytes that packing saves of the constant of one call."""
    fault: str | None
    """Why it cannot be packed; None if it can be."""

    @property
    def scheduled(self) -> Decision | None:
        """The decision about the schedule of the kernel's first computation, which names the task."""
        return next((each for each in recorded_on(self.kernel) if each.kind == "schedule"), None)


class ConstantBitsKind(NamedKind[SmallConstant]):
    """Forms of small constants in memory."""

    name = "constant bits"
    trades_memory = True
    names = (PACKED, BYTES)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[SmallConstant, str]]]:
        return (("flash against the instructions that unpack", _worth_it),)

    def key(self, subject: SmallConstant) -> str:
        scheduled = subject.scheduled
        return subject.kernel.sym_name.data if scheduled is None else scheduled.subject.partition("/")[0]

    def home(self, subject: SmallConstant) -> Operation:
        return subject.kernel

    def about(self, subject: SmallConstant) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: SmallConstant) -> str:
        scheduled = subject.scheduled
        return "" if scheduled is None else scheduled.nodes

    def legal(self, subject: SmallConstant, choice: str) -> str | None:
        fault = subject.fault if choice == PACKED else None
        return fault or super().legal(subject, choice)

    def estimate(self, subject: SmallConstant, choice: str, target: Target) -> Cost | None:
        if choice == PACKED:
            return Cost(cycles=subject.operations + subject.unpacking, flash=-(-subject.bytes // 2))
        return Cost(cycles=subject.operations, flash=subject.bytes)


def _worth_it(subject: SmallConstant, target: Target) -> Sequence[Candidate[str] | Refused]:
    if subject.fault is not None:
        return [*named(BYTES), Refused(PACKED, subject.fault)]
    few = subject.unpacking * FEW <= subject.operations or subject.unpacking <= MAX_PER_BYTE * subject.saved
    return named(PACKED, BYTES) if few and not target.l1_bytes else named(BYTES, PACKED)
