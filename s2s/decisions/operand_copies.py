"""Decide whether a kernel copies an operand that cannot be packed on the host before it uses it.

These are panels of a factor that is no constant, and images whose channels come first.
The subject is the task key of the kernel, with `/n` for computation n of several.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, named
from s2s.targets import Target

COPIED, AS_IT_LIES = "copied", "as it lies"


class CopiedOperand(NamedTuple):
    """An operand that a kernel could copy, with the estimate of a rule or a cost model."""

    kernel: FuncOp
    key: str
    nodes_in_model: str
    pays: bool
    cycles: tuple[float, float] | None = None
    """With a copy and without one, where a model has them."""


class OperandCopyKind(NamedKind[CopiedOperand]):
    """Decisions about the copies of one sort of operands."""

    names = (COPIED, AS_IT_LIES)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[CopiedOperand, str]]]:
        return (("uses against copies", _paying),)

    def key(self, subject: CopiedOperand) -> str:
        return subject.key

    def home(self, subject: CopiedOperand) -> Operation:
        return subject.kernel

    def about(self, subject: CopiedOperand) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: CopiedOperand) -> str:
        return subject.nodes_in_model

    def estimate(self, subject: CopiedOperand, choice: str, target: Target) -> Cost | None:
        return None if subject.cycles is None else Cost(cycles=subject.cycles[choice != COPIED])


class PanelsKind(OperandCopyKind):
    """Copies of the panels of a factor."""

    name = "panels"


class ImagesKind(OperandCopyKind):
    """Copies of images in blocks of channels."""

    name = "images"


def _paying(subject: CopiedOperand, target: Target) -> Sequence[Candidate[str]]:
    return named(COPIED, AS_IT_LIES) if subject.pays else named(AS_IT_LIES, COPIED)
