"""Decide how many groups of a grouped convolution are merged, so that the outputs of a group fill vectors.

The subject is named by a hash over the operator and its types; a choice is a number of groups, 1 for none merged.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

MERGED = "merged_groups"
"""Discardable attribute of a convolution: how many of its groups to merge."""
MIN_VECTORS = 4
"""Minimum vectors of outputs in each part of an 8-bit convolution: fewer do too little work per loaded input."""


@frozen
class GroupedConvolution(OperatorGroup):
    """A grouped convolution with constant weights."""

    groups: int
    outputs: int
    """Output channels of all groups."""
    weights: int
    """Elements of the weights."""
    positions: int
    """Elements of an output channel."""
    bytes_in_lanes: bool
    """Whether products of 8-bit integers are added up in the lanes of vectors."""
    divisible: bool
    """Whether the convolution can become several ones."""


class ConvolutionGroupsKind(OperatorKind[GroupedConvolution, int]):
    """Numbers of groups to merge."""

    name = "convolution groups"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[GroupedConvolution, int]]]:
        return (("outputs that fill vectors", _filling),)

    def legal(self, subject: GroupedConvolution, choice: int) -> str | None:
        if choice < 1 or subject.groups % choice:
            return f"{subject.groups} groups do not divide into {choice}"
        if subject.bytes_in_lanes and 1 < choice < subject.groups and not subject.divisible:
            return "the bias is no constant, which several convolutions could share"
        return None

    def apply(self, subject: GroupedConvolution, choice: int) -> None:
        if choice > 1:
            subject.ops[0].attributes[MERGED] = IntegerAttr(choice, i64)

    def text(self, choice: int) -> str:
        return str(choice)

    def parse(self, subject: GroupedConvolution, text: str) -> int:
        if not text.isdecimal():
            raise ValueError("give a number of groups")
        return int(text)

    def estimate(self, subject: GroupedConvolution, choice: int, target: Target) -> Cost | None:
        lanes = min(target.lanes, choice * subject.outputs // subject.groups)
        size = 1 if subject.bytes_in_lanes else 4
        return Cost(cycles=choice * subject.weights * subject.positions / lanes, flash=choice * subject.weights * size)


def _filling(subject: GroupedConvolution, target: Target) -> Sequence[Candidate[int]]:
    every = [count for count in range(1, subject.groups + 1) if subject.groups % count == 0]
    best = _in_byte_lanes(subject, target) if subject.bytes_in_lanes else _in_float_lanes(subject, target)
    wanted = [best, *(count for count in every if count != best)]
    return [Candidate(lambda count=count: count, f"{count} in one" if count > 1 else "as they are") for count in wanted]


def _in_byte_lanes(subject: GroupedConvolution, target: Target) -> int:
    """Merge all groups if their weights then fit half of the L2 cache, else enough groups to fill several vectors."""
    groups = subject.groups
    fitting = [each for each in range(2, groups + 1) if groups % each == 0]
    enough = [each for each in fitting if each * subject.outputs >= MIN_VECTORS * target.lanes * groups]
    best = groups if 2 * groups * subject.weights <= target.l2_bytes else min(enough, default=groups)
    return best if best == groups or subject.divisible else 1


def _in_float_lanes(subject: GroupedConvolution, target: Target) -> int:
    """Merge enough groups to fill one vector."""
    count, rest = divmod(target.lanes, subject.outputs // subject.groups)
    return 1 if rest or subject.groups % max(count, 1) else max(count, 1)
