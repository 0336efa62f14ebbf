"""Decide how a pool over several dimensions is computed: by whole windows, or along one dimension after the other.

The subject is named by a hash over the operator and its types.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnitAttr

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

SEPARATE = "separate"
"""Discardable attribute of a pool that is to be computed along one dimension after the other."""
WHOLE, SEPARABLE = "whole windows", "one dimension after the other"
INTERMEDIATE = 4
"""Elements of a window that take as long as storing and loading an element between two pools."""


@frozen
class Pool(OperatorGroup):
    """A maximum, or a mean of floats, over windows of several dimensions."""

    work: Mapping[str, int]
    """Elements of windows to be combined, and of tensors between pools, of the two ways."""


class PoolWindowsKind(OperatorKind[Pool, str], NamedKind[Pool]):
    """Ways to compute pools."""

    name = "pool windows"
    names = (WHOLE, SEPARABLE)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[Pool, str]]]:
        return (("elements of windows", _least_work),)

    def apply(self, subject: Pool, choice: str) -> None:
        if choice == SEPARABLE:
            subject.ops[0].attributes[SEPARATE] = UnitAttr()

    def estimate(self, subject: Pool, choice: str, target: Target) -> Cost | None:
        return Cost(cycles=subject.work[choice] / target.lanes)


def _least_work(subject: Pool, target: Target) -> Sequence[Candidate[str] | Refused]:
    ways = sorted(subject.work, key=lambda way: subject.work[way])
    return [Candidate(lambda way=way: way, way, Cost(cycles=subject.work[way] / target.lanes)) for way in ways]
