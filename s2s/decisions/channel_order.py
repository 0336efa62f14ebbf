"""Decide where the channels of images stand between the operators of a network that has them first: first, or last.

The subject is a region of operators that take their data in either order, named by a hash over them and their types.
Line buffers and rows that are pushed take images whose rows lie one after the other: they ask for channels last.
"""

from collections.abc import Sequence

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind
from s2s.decisions.names import CHANNEL_ORDER
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

FIRST, LAST = "channels first", "channels last"


@frozen
class ImageRegion(OperatorGroup):
    """Operators on images with their channels first."""

    moved: int
    """Elements that transposes at the borders of the region move."""
    work: int
    """Multiply-adds of its layers."""
    by_rows: bool
    """Whether the user asks for something that runs images row by row."""


class ChannelOrderKind(OperatorKind[ImageRegion, str], NamedKind[ImageRegion]):
    """Orders of the axes of images."""

    name = CHANNEL_ORDER
    names = (FIRST, LAST)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[ImageRegion, str]]]:
        return (("rows that lie one after the other", _by_rows), ("the order of the model", _as_it_comes))

    def about(self, subject: ImageRegion) -> str:
        return "1 operator" if len(subject.ops) == 1 else f"{len(subject.ops)} operators"

    def estimate(self, subject: ImageRegion, choice: str, target: Target) -> Cost | None:
        return Cost(cycles=subject.moved if choice == LAST else 0)


def _by_rows(subject: ImageRegion, target: Target) -> Sequence[Candidate[str]]:
    return [Candidate(lambda: LAST, _moving(subject))] if subject.by_rows else []


def _as_it_comes(subject: ImageRegion, target: Target) -> Sequence[Candidate[str]]:
    last = [] if subject.by_rows else [Candidate(lambda: LAST, _moving(subject))]
    return [Candidate(lambda: FIRST, FIRST), *last]


def _moving(subject: ImageRegion) -> str:
    return f"{LAST}: {subject.moved:,} elements move at the borders of {subject.work:,} multiply-adds"
