"""Model the cycles of the algorithms of a convolution: direct, or Winograd F(2x2) and F(4x4).

The model counts cycles of one core: multiply-adds at the target's peak, vectors that a transform moves through L2, and
bytes that come from beyond it. These are streamed while products are computed, so that the longer of both counts, and a
part of the shorter one. F(4x4) needs the fewest products and the most constants: it wins on large images. F(2x2) wins
where tiles of four would reach far beyond a small image, and direct convolution where images are tiny. Constants of a
small network stay in the last cache between runs, those of a large one come from memory each time.
"""

from math import ceil

from s2s.analysis.structure.convolutions import Convolution
from s2s.schedules.fused_loops import FLOAT, Tiles, fused_loop
from s2s.targets import Target

TRANSFORM = 8.0
"""Cycles for one vector of factors or products, which one matrix writes and the other reads."""
COPY = 2.0
"""Cycles for an element that is copied to another layout."""
EXPOSED = 0.25
"""The part of the shorter one of computing and streaming that the longer one does not hide."""
BUSY, FACTOR, SUM = 1.25, 1.25, 2.25
"""Of bytes, measured with AVX2: cycles of a product of pairs beside the peak, for one vector of factors, and for one of
sums."""
OUTPUTS = (2, 4)
"""Sizes of Winograd tiles, in results along one side."""
TAPS = 3


def cycles_by_outputs(conv: Convolution, target: Target, network: int, copied: int = 0) -> dict[int, float]:
    """Return the cycles of each algorithm by its results along the side of a tile; 0 is direct convolution. Winograd
    tiles need `copied` elements copied; all constants of the network take `network` bytes."""
    rate = constants_per_cycle(target, network)
    tiles = {outputs: transformed_cost(conv, target, outputs, rate) + COPY * copied for outputs in OUTPUTS}
    return {0: direct_cost(conv, target, rate), **tiles}


def integer_cycles_by_outputs(conv: Convolution, target: Target, network: int, copied: int = 0) -> dict[int, float]:
    """Return the cycles of the exact algorithms of a convolution of bytes, as `cycles_by_outputs` does.

    Both multiply pairs of 16 bits. Winograd tiles need 16 products instead of 36, and the vectors of their factors and
    sums are stored and read again: with few channels, there are too few products for each to pay for that.
    """
    rows, columns = conv.size
    rate, constants = constants_per_cycle(target, network), constant_bytes_by_outputs(conv)
    pairs = BUSY * conv.in_channels * conv.out_channels / 2 / _per_cycle(target)
    tiles = (2 + TAPS - 1) ** 2 * conv.images * ceil(rows / 2) * ceil(columns / 2)
    vectors = tiles * (FACTOR * conv.in_channels + SUM * conv.out_channels) / target.lanes
    direct = _together(conv.images * rows * columns * TAPS**2 * pairs, constants[0] / rate)
    return {0: direct, 2: _together(tiles * pairs, constants[2] / rate) + vectors + COPY * copied}


def constant_bytes_by_outputs(conv: Convolution) -> dict[int, int]:
    """Return the bytes of constants of each algorithm, by its results along the side of a tile; 0 is direct
    convolution."""
    if conv.in_integers:
        channels = conv.in_channels * conv.out_channels
        return {0: TAPS**2 * channels, 2: 2 * (2 + TAPS - 1) ** 2 * channels}
    channels = FLOAT * conv.in_channels * conv.out_channels
    return {0: TAPS**2 * channels, **{outputs: (outputs + TAPS - 1) ** 2 * channels for outputs in OUTPUTS}}


def constants_per_cycle(target: Target, network: int) -> int:
    """Return the bytes of constants that can be streamed per cycle, in a network with `network` bytes of them. They
    come from the last cache if they fit half of it: Winograd needs more of them than direct convolution."""
    return target.stream_bytes if 2 * network <= target.l3_bytes else target.memory_bytes


def direct_cost(conv: Convolution, target: Target, rate: int) -> float:
    """Return the cycles of direct convolution; the products that padding saves are taken to equal the loss of short
    border tiles."""
    rows, columns = conv.size
    weights = TAPS**2 * conv.in_channels * conv.out_channels
    return _together(conv.images * rows * columns * weights / _per_cycle(target), FLOAT * weights / rate)


def transformed_cost(conv: Convolution, target: Target, outputs: int, rate: int) -> float:
    """Return the cycles of Winograd convolution by tiles with `outputs` results along a side."""
    rows, row = (ceil(size / outputs) for size in conv.size)
    outside, inside = (conv.images, rows * row) if conv.images > 1 else (rows, row)
    tiles = Tiles((outputs + TAPS - 1) ** 2, outside, inside, conv.in_channels, conv.out_channels)
    products = tiles.constants // FLOAT * tiles.rows * tiles.row / _per_cycle(target)
    loop = fused_loop(tiles, target)
    stream = loop.times * tiles.constants / rate + loop.again / target.stream_bytes
    return _together(products, stream) + TRANSFORM * tiles.moved / FLOAT / target.lanes


def _together(products: float, stream: float) -> float:
    """Return the cycles of products that are computed while their operands are streamed."""
    return max(products, stream) + EXPOSED * min(products, stream)


def _per_cycle(target: Target) -> int:
    return target.lanes * target.fma_ports
