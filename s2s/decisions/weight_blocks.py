"""Decide into how many blocks of output channels a layer is split, so that its weights can be copied block by block.

The subject is a convolution or a product with constant weights, named by a hash over the operator and its types; a
choice is a number of blocks, 1 for none.
"""

from collections.abc import Sequence

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

KIND = "weight blocks"
BLOCKS_IN_MEMORY = 2
"""While one block is read, the next one is copied."""
SHARE = 2
"""Blocks take at most one part in this many of the memory of kernels; buffers take the rest."""

MIN_BLOCK = 256
"""Bytes below which a block is not worth a kernel call and a copy."""


@frozen
class StreamedLayer(OperatorGroup):
    """A layer with constant weights."""

    channels: int
    """Output channels."""
    bytes: int
    """Bytes of the weights."""
    room: int
    """Bytes of the memory that weights are copied to."""

    @property
    def divisors(self) -> list[int]:
        """The numbers of equal blocks, the smallest first."""
        return [count for count in range(1, self.channels + 1) if self.channels % count == 0]


class WeightBlocksKind(OperatorKind[StreamedLayer, int]):
    """Numbers of blocks."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[StreamedLayer, int]]]:
        return (("two blocks in half of the memory of kernels", _fitting),)

    def legal(self, subject: StreamedLayer, choice: int) -> str | None:
        if choice < 1 or subject.channels % choice:
            return f"{subject.channels} channels do not divide into {choice} equal blocks"
        return None

    def apply(self, subject: StreamedLayer, choice: int) -> None:
        """Do nothing: the pass that asked splits the layer at once."""

    def text(self, choice: int) -> str:
        return str(choice)

    def parse(self, subject: StreamedLayer, text: str) -> int:
        if not text.isdecimal():
            raise ValueError("give a number of blocks")
        return int(text)

    def estimate(self, subject: StreamedLayer, choice: int, target: Target) -> Cost | None:
        return Cost(ram=min(choice, BLOCKS_IN_MEMORY) * subject.bytes // choice)


def _fitting(subject: StreamedLayer, target: Target) -> Sequence[Candidate[int]]:
    """Propose the fewest blocks that fit first, then more, then fewer."""
    most = max(subject.room // (SHARE * BLOCKS_IN_MEMORY), MIN_BLOCK)
    fitting = [count for count in subject.divisors if subject.bytes // count <= most]
    wanted = [*fitting, *(count for count in reversed(subject.divisors) if count not in fitting)]
    return [Candidate(lambda count=count: count, f"{subject.bytes // count:,} bytes in each block") for count in wanted]
