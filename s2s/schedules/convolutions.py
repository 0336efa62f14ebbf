"""Which algorithm computes a convolution: directly, or by transforms of tiles.

The model counts cycles of one core: multiply-adds at the target's peak, vectors that a transform moves through the
second cache, and constants that come from beyond it. A window that slides over many pixels finds its constants in a
cache after the first; factors of tiles are fewer, and meet four times (F(4x4)) or twice (F(2x2)) as many constants. So
F(4x4) wins on large images, F(2x2) between, the convolution as it is where images are tiny and channels many.
"""

from math import ceil

from s2s.analysis.convolutions import Convolution
from s2s.targets import Target

TRANSFORM = 8.0
"""Cycles for one vector of factors or products, made by one matrix and read by the other."""
COPY = 2.0
"""Cycles for an element that is copied to lie beside others."""
OUTPUTS = (2, 4)
"""Results along the side of a tile that there are matrices for."""
TAPS = 3


def outputs_of_tile(conv: Convolution, target: Target, copied: int = 0) -> int:
    """Results along the side of a tile; 0 for the convolution as it is. Tiles need `copied` elements copied."""
    costs = {outputs: transformed_cost(conv, target, outputs) for outputs in OUTPUTS}
    best = min(OUTPUTS, key=lambda outputs: costs[outputs])
    return best if costs[best] + COPY * copied < direct_cost(conv, target) else 0


def direct_cost(conv: Convolution, target: Target) -> float:
    """Cycles of the convolution as it is."""
    rows, columns = conv.size
    return conv.images * rows * columns * TAPS**2 * conv.in_channels * conv.out_channels / _per_cycle(target)


def transformed_cost(conv: Convolution, target: Target, outputs: int) -> float:
    """Cycles of the convolution by tiles with `outputs` results along a side."""
    tiles = conv.images * ceil(conv.size[0] / outputs) * ceil(conv.size[1] / outputs)
    factors = (outputs + TAPS - 1) ** 2
    channels = conv.in_channels * conv.out_channels
    products = factors * tiles * channels / _per_cycle(target)
    moved = factors * tiles * (conv.in_channels + conv.out_channels) / target.lanes
    return products + TRANSFORM * moved + 4 * factors * channels / target.stream_bytes


def _per_cycle(target: Target) -> int:
    return target.lanes * target.fma_ports
