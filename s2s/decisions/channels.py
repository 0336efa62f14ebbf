"""Decide how many of its output channels a layer keeps.

At least those stay that some reader needs; the others are constants, equal to others, or read by nobody
(`s2s/analysis/channels/`). Kernels that compute a vector of channels at a time may take less time with a few of them
more, which fill the last vector, than with the needed ones alone.

The subject is a layer, named by a hash over the operator and its types; a choice is a number of channels.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

KEPT = "kept_channels"
"""Discardable attribute of a layer: how many output channels it keeps."""


@frozen
class LayerChannels(OperatorGroup):
    """A layer with constant weights, some output channels of which nobody needs."""

    needed: int
    channels: int
    """All of them."""
    work: int
    """Multiply-adds of one channel."""
    weights: int
    """Bytes of the weights of one channel."""
    integers: bool


class ChannelsKind(OperatorKind[LayerChannels, int]):
    """Numbers of channels to keep."""

    name = "channels"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[LayerChannels, int]]]:
        return (("channels that fill vectors", _filling),)

    def legal(self, subject: LayerChannels, choice: int) -> str | None:
        if not subject.needed <= choice <= subject.channels:
            return f"{subject.needed} of its {subject.channels} channels are needed"
        return None

    def apply(self, subject: LayerChannels, choice: int) -> None:
        subject.ops[0].attributes[KEPT] = IntegerAttr(choice, i64)

    def text(self, choice: int) -> str:
        return str(choice)

    def parse(self, subject: LayerChannels, text: str) -> int:
        if not text.isdecimal():
            raise ValueError("give a number of channels")
        return int(text)

    def estimate(self, subject: LayerChannels, choice: int, target: Target) -> Cost | None:
        lanes = channels_of_a_vector(subject, target)
        cycles = subject.work * (choice / lanes if choice % lanes == 0 else choice)
        return Cost(cycles=cycles, flash=choice * subject.weights)


def channels_of_a_vector(subject: LayerChannels, target: Target) -> int:
    """Return how many output channels `target` computes at a time."""
    return max(target.lanes, target.integer_lanes) if subject.integers else target.lanes


def _filling(subject: LayerChannels, target: Target) -> Sequence[Candidate[int]]:
    """Propose the needed channels, the next number that fills vectors, and all."""
    lanes = channels_of_a_vector(subject, target)
    filled = min(-(-subject.needed // lanes) * lanes, subject.channels)
    counts = sorted({subject.needed, filled, subject.channels})
    kind = ChannelsKind()
    return [
        Candidate(lambda count=count: count, f"{count} of {subject.channels}", kind.estimate(subject, count, target))
        for count in counts
    ]
