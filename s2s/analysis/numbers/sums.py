"""What a report says of the sums of integer layers."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LayerSums:
    """What is known of the sums of one integer layer, bias included."""

    layer: str
    terms: int
    """Products that one sum adds up."""
    bound: int
    """No sum exceeds this in absolute value; neither does a part of one, in any order."""
    bits: int
    """Bits of a signed integer that holds every sum."""
    accumulator: str
    """The type that holds them in C."""
    proven: bool
    """Whether that type is wide enough whatever the inputs; it wraps around where it is not."""


def describe_sums(layers: Sequence[LayerSums]) -> str:
    """All layers in one line; the widest sums by name."""
    if not layers:
        return ""
    widest = max(layers, key=lambda each: each.bits)
    unproven = [each.layer for each in layers if not each.proven]
    proof = f"not proven for {', '.join(unproven)}, which wraps around" if unproven else "none can overflow"
    count = f"{len(layers)} layer{'' if len(layers) == 1 else 's'}"
    return f"{count}, {proof}; {widest.layer} takes the most, {widest.bits} bits of {widest.accumulator}"
