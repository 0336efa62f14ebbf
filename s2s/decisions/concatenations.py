"""Decide whether a concatenation or a slice copies elements, or its parts share one buffer with the whole.

The subject is the task key of the kernel that would copy.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.dialects import graph
from s2s.dialects.graph import provenance
from s2s.targets import Target

IN_PLACE, COPIED = "in place", "copied"


class CopiedParts(NamedTuple):
    """A call of a kernel that concatenates tensors or slices one."""

    module: ModuleOp
    call: graph.CallOp
    key: str
    why_not: str | None
    """Why its tensors cannot share a buffer; None where they can."""
    peaks: tuple[int, int] | None = None
    """Bytes that are live at most in place and with copies, where both are possible."""


class ConcatenationKind(NamedKind[CopiedParts]):
    """Copies of concatenations and slices."""

    name = "concatenation"
    names = (IN_PLACE, COPIED)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[CopiedParts, str]]]:
        return (("no copy unless peak memory grows", _smaller),)

    def key(self, subject: CopiedParts) -> str:
        return subject.key

    def home(self, subject: CopiedParts) -> Operation:
        return subject.module

    def about(self, subject: CopiedParts) -> str:
        return subject.call.callee.root_reference.data

    def nodes(self, subject: CopiedParts) -> str:
        return ", ".join(provenance(subject.call))

    def legal(self, subject: CopiedParts, choice: str) -> str | None:
        return subject.why_not if choice == IN_PLACE and subject.why_not else super().legal(subject, choice)


def _smaller(subject: CopiedParts, target: Target) -> Sequence[Candidate[str] | Refused]:
    if subject.peaks is None:
        return [Candidate(lambda: COPIED, COPIED), Refused(IN_PLACE, subject.why_not or "")]
    names = sorted(zip(subject.peaks, (IN_PLACE, COPIED), strict=True), key=lambda each: each[0])
    return [Candidate(lambda name=name: name, name, Cost(ram=peak)) for peak, name in names]
