"""Which algorithm computes a convolution: directly, or by transforms of tiles.

The model counts cycles of one core: multiply-adds at the target's peak, vectors that a transform moves through the
second cache, and bytes that come from beyond it. These are fetched while products are computed, so that the longer of
both counts, and a part of the shorter one. F(4x4) needs the fewest products and the most constants: it wins on large
images, F(2x2) where tiles of four would reach far beyond a small one, the convolution as it is where images are tiny.
"""

from math import ceil

from s2s.analysis.convolutions import Convolution
from s2s.analysis.strides import border
from s2s.schedules.tile_walks import FLOAT, Tiles, tile_walk
from s2s.targets import Target

TRANSFORM = 8.0
"""Cycles for one vector of factors or products, made by one matrix and read by the other."""
COPY = 2.0
"""Cycles for an element that is copied to lie beside others."""
EXPOSED = 0.25
"""The part of the shorter one of computing and streaming that the longer one does not hide."""
OUTPUTS = (2, 4)
"""Results along the side of a tile that there are matrices for."""
TAPS = 3


def outputs_of_tile(conv: Convolution, target: Target, copied: int = 0) -> int:
    """Results along the side of a tile; 0 for the convolution as it is. Tiles need `copied` elements copied."""
    costs = {outputs: transformed_cost(conv, target, outputs) for outputs in OUTPUTS}
    best = min(OUTPUTS, key=lambda outputs: costs[outputs])
    return best if costs[best] + COPY * copied < direct_cost(conv, target) else 0


def direct_cost(conv: Convolution, target: Target) -> float:
    """Cycles of the convolution as it is; of the window at a border, only what is inside."""
    rows, columns = conv.size
    products = conv.images * rows * columns * TAPS**2 * conv.in_channels * conv.out_channels / _per_cycle(target)
    for slide, size in zip((conv.rows, conv.columns), conv.size, strict=True):
        products *= 1 - border(conv.op, slide.position) / (TAPS * size)
    return _together(products, FLOAT * TAPS**2 * conv.in_channels * conv.out_channels, target)


def transformed_cost(conv: Convolution, target: Target, outputs: int) -> float:
    """Cycles of the convolution by tiles with `outputs` results along a side."""
    rows, row = (ceil(size / outputs) for size in conv.size)
    channels = conv.in_channels, conv.out_channels
    tiles = Tiles(
        (outputs + TAPS - 1) ** 2, *((conv.images, rows * row) if conv.images > 1 else (rows, row)), *channels
    )
    products = tiles.constants // FLOAT * tiles.rows * tiles.row / _per_cycle(target)
    moved = tiles.moved / FLOAT / target.lanes
    return _together(products, tile_walk(tiles, target).streamed, target) + TRANSFORM * moved


def _together(products: float, streamed: int, target: Target) -> float:
    """Cycles of products during which `streamed` bytes come from beyond the second cache."""
    stream = streamed / target.stream_bytes
    return max(products, stream) + EXPOSED * min(products, stream)


def _per_cycle(target: Target) -> int:
    return target.lanes * target.fma_ports
