"""Decide whether a product keeps the weights that a model dequantises packed, in 4 or 8 bits, or takes them as floats.

A product of few rows reads each weight for few multiply-adds: packed ones are read sooner. Each tile of rows unpacks
them again, so that with many rows floats are faster, in four or eight times the bytes; codes of a table are slower
than floats with any number of rows. A core without caches has little flash and keeps them packed.
The subject is named by a hash over the operator and its types.
"""

from collections.abc import Sequence

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

PACKED, FLOATS = "packed", "floats"
BYTES_PER_CYCLE = 64
"""What a core reads from its second cache."""
UNPACKING = 0.4
"""What unpacking adds to the time of the multiply-adds. On AVX-512, products with 512 x 512 weights take 0.8 of the
time of floats with 1 row, 1.2 with 8, 1.5 with 32 and 1.4 with 128."""
LOOKING_UP = 7.0
"""What taking weights from a table by their codes adds, number by number: a product with 512 x 512 weights and 1 row
takes 3.8 of the time of floats on AVX-512."""
FLOAT = 4
"""Bytes of a weight that is not packed."""


@frozen
class PackedProduct(OperatorGroup):
    """A product with packed weights."""

    rows: int
    weights: int
    """Their number."""
    bytes: int
    """Bytes of the packed weights, their scales and zero points, or their table."""
    unpacking: float = UNPACKING
    """What unpacking adds to the time of the multiply-adds."""


class PackedWeightsKind(OperatorKind[PackedProduct, str]):
    """Forms of the weights of products."""

    name = "packed weights"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[PackedProduct, str]]]:
        return (("flash, where a core has no caches", _small), ("rows against the bytes of the weights", _by_rows))

    def legal(self, subject: PackedProduct, choice: str) -> str | None:
        return None if choice in (PACKED, FLOATS) else f"it is none of {PACKED}, {FLOATS}"

    def apply(self, subject: PackedProduct, choice: str) -> None:
        """Do nothing: the pass that asked unpacks the weights at once."""

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: PackedProduct, text: str) -> str:
        return text

    def estimate(self, subject: PackedProduct, choice: str, target: Target) -> Cost | None:
        products = subject.rows * subject.weights / (2 * target.lanes)
        if choice == PACKED:
            return Cost(
                cycles=(1 + subject.unpacking) * products + subject.bytes / BYTES_PER_CYCLE, flash=subject.bytes
            )
        plain = FLOAT * subject.weights
        return Cost(cycles=products + plain / BYTES_PER_CYCLE, flash=plain)


def _candidates(subject: PackedProduct, target: Target, *names: str) -> list[Candidate[str]]:
    kind = PackedWeightsKind()
    return [Candidate(lambda name=name: name, name, kind.estimate(subject, name, target)) for name in names]


def _small(subject: PackedProduct, target: Target) -> Sequence[Candidate[str]]:
    if target.l1_bytes:
        return []
    return [candidate._replace(cost=None) for candidate in _candidates(subject, target, PACKED, FLOATS)]


def _by_rows(subject: PackedProduct, target: Target) -> Sequence[Candidate[str]]:
    return _candidates(subject, target, PACKED, FLOATS) if target.l1_bytes else []
