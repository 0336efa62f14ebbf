"""Decide how a window over a stream moves on: by a copy each run, or through memory with slack behind it.

The subject is named by a hash over the operator and its types.
"""

from collections.abc import Sequence

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

COPIED, MOVING = "copied each run", "moves through slack"


@frozen
class SlidingWindow(OperatorGroup):
    """The operator that moves a window over a stream on to the new frames."""

    elements: int
    """The elements that stay in the window: a copy moves them."""
    element_bytes: int
    slack: int
    """The elements of memory behind the window that are worth their bytes; 0 for none."""
    runs: int
    """With slack, one run in this many copies."""
    why_not: str
    """Why there is no slack."""


class WindowSlackKind(OperatorKind[SlidingWindow, str], NamedKind[SlidingWindow]):
    """Ways to move windows on."""

    name = "window slack"
    names = (COPIED, MOVING)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[SlidingWindow, str]]]:
        return (("an eighth more memory, where runs save their copy by it", _few_copies),)

    def legal(self, subject: SlidingWindow, choice: str) -> str | None:
        return subject.why_not if choice == MOVING and not subject.slack else super().legal(subject, choice)

    def estimate(self, subject: SlidingWindow, choice: str, target: Target) -> Cost | None:
        slack, runs = (subject.slack, subject.runs) if choice == MOVING else (0, 1)
        return Cost(cycles=subject.elements / runs, ram=slack * subject.element_bytes)


def _few_copies(subject: SlidingWindow, target: Target) -> Sequence[Candidate[str] | Refused]:
    copied = Candidate(lambda: COPIED, COPIED, WindowSlackKind().estimate(subject, COPIED, target))
    if not subject.slack:
        return [copied, Refused(MOVING, subject.why_not)]
    return [Candidate(lambda: MOVING, MOVING, WindowSlackKind().estimate(subject, MOVING, target)), copied]
