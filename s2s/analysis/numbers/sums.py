"""Describe the accumulators of integer layers for the report."""

from collections.abc import Sequence

from s2s.support.frozen import frozen


@frozen
class LayerSums:
    """The accumulator of one integer layer, bias included."""

    layer: str
    terms: int
    """The number of products in one sum."""
    bound: int
    """An upper bound of the absolute value of the sum, and of every partial sum in any order."""
    bits: int
    """Bits of the narrowest signed integer that holds every sum."""
    accumulator: str
    """The type of the accumulator in C."""
    proven: bool
    """Whether that type holds every sum for any input; if not, it wraps around."""


def describe_sums(layers: Sequence[LayerSums]) -> str:
    """Describe all layers in one line, with the layers of the widest sums by name."""
    if not layers:
        return ""
    widest = max(layers, key=lambda each: each.bits)
    unproven = [each.layer for each in layers if not each.proven]
    proof = f"not proven for {', '.join(unproven)}, which wraps around" if unproven else "none can overflow"
    count = f"{len(layers)} layer{'' if len(layers) == 1 else 's'}"
    return f"{count}, {proof}; {widest.layer} takes the most, {widest.bits} bits of {widest.accumulator}"
