"""Model the cycles of the algorithms of a convolution: direct, or Winograd's F(2x2) and F(4x4), F(2) and F(4).

The model counts cycles of one core: multiply-adds at the target's peak, vectors that a transform moves through L2, and
bytes that come from beyond it. These are streamed while products are computed, so that the longer of both counts, and a
part of the shorter one. F(4x4) needs the fewest products and the most constants: it wins on large images. F(2x2) wins
where tiles of four would reach far beyond a small image, and direct convolution where images are tiny. Constants of a
small network stay in the last cache between runs, those of a large one come from memory each time.

Tiles along one axis are for bytes in words. Windows of one row have no other. A row of them in a 3x3 window needs more
products than F(2x2), and less memory: 24 bytes of constants for a pair of channels instead of 32, and for each tile 4
sums and 12 factors instead of 16 and 16 for twice the results.
"""

from math import ceil, prod

from s2s.analysis.structure.convolutions import Convolution
from s2s.analysis.structure.winograd import plane_filter
from s2s.schedules.fused_loops import FLOAT, Tiles, fused_loop
from s2s.targets import Target

TRANSFORM = 8.0
"""Cycles for one vector of factors or products, which one matrix writes and the other reads."""
COPY = 2.0
"""Cycles for an element that is copied to another layout."""
EXPOSED = 0.25
"""The part of the shorter one of computing and streaming that the longer one does not hide."""
BUSY, SUM = 1.25, 2.25
FACTOR = {2: 1.25, 4: 2.0}
"""Of bytes, measured with AVX2: cycles of a product of pairs beside the peak, for one vector of sums, and for one of
factors."""
WORD_PRODUCT, WORD_RESULT = 0.87, 12.0
WORD_FACTOR = {(1, 2): 3.8, (1, 4): 4.9, (2, 2): 3.3, (4, 4): 5.3}
WORD_SUM = {(1, 2): 1.2, (1, 4): 2.9, (2, 2): 4.4, (4, 4): 7.4}
"""Of bytes, fitted to instructions counted on a Cortex-M4 (`python -m benchmarks.winograd words`): of a product, of a
requantised result, and by the results of a tile of a factor and of a sum."""
Outputs = tuple[int, int]
"""Rows and columns of results of a tile."""
ONE: Outputs = (1, 1)
"""The tile of direct convolution."""
SQUARES: tuple[Outputs, ...] = ((2, 2), (4, 4))
LINES: tuple[Outputs, ...] = ((1, 2), (1, 4))
TAPS = 3


def tiles_of(conv: Convolution, target: Target) -> tuple[Outputs, ...]:
    """Return the tiles by which Winograd's algorithm can compute a convolution; none for other windows."""
    lines = LINES if conv.in_integers and target.lanes == 1 else ()
    return {(TAPS, TAPS): (*lines, *SQUARES), (1, TAPS): lines}.get(conv.taps, ())


def cycles_by_outputs(conv: Convolution, target: Target, network: int, copied: int = 0) -> dict[Outputs, float]:
    """Return the cycles of each algorithm by the results of a tile; one is direct convolution. Winograd tiles need
    `copied` elements copied; all constants of the network take `network` bytes."""
    rate = constants_per_cycle(target, network)
    tiles = {tile: transformed_cost(conv, target, tile[0], rate) + COPY * copied for tile in tiles_of(conv, target)}
    return {ONE: direct_cost(conv, target, rate), **tiles}


def integer_cycles_by_outputs(conv: Convolution, target: Target, network: int, copied: int = 0) -> dict[Outputs, float]:
    """Return the cycles of the exact algorithms of a convolution of bytes, as `cycles_by_outputs` does.

    All of them multiply pairs of 16 bits. Winograd tiles need 16 or 36 products instead of 36 or 144, and their factors
    and sums are stored and read again: with few channels, there are too few products for each to pay for that.
    """
    if target.lanes == 1:
        return _word_cycles(conv, target, copied)
    rows, columns = conv.size
    rate, constants = constants_per_cycle(target, network), constant_bytes_by_outputs(conv, target)
    pairs = BUSY * conv.in_channels * conv.out_channels / 2 / _per_cycle(target)
    cycles = {ONE: _together(conv.images * rows * columns * TAPS**2 * pairs, constants[ONE] / rate)}
    for outputs in tiles_of(conv, target):
        factors = tiles_in(conv, outputs) * plane_filter(outputs, conv.taps, integers=True).products
        vectors = factors * (FACTOR[outputs[0]] * conv.in_channels + SUM * conv.out_channels) / target.lanes
        cycles[outputs] = _together(factors * pairs, constants[outputs] / rate) + vectors + COPY * copied
    return cycles


def _word_cycles(conv: Convolution, target: Target, copied: int) -> dict[Outputs, float]:
    """Return the instructions of a core that multiplies pairs in words."""
    products = conv.in_channels * conv.out_channels
    ends = conv.images * prod(conv.size) * WORD_RESULT * conv.out_channels
    cycles = {ONE: conv.images * conv.products_in_image * WORD_PRODUCT * products + ends}
    for outputs in tiles_of(conv, target):
        factors, sums = (tiles_in(conv, outputs) * number for number in factors_and_sums(conv, outputs))
        moved = factors * WORD_FACTOR[outputs] * conv.in_channels + sums * WORD_SUM[outputs] * conv.out_channels
        cycles[outputs] = factors * WORD_PRODUCT * products + moved + ends + COPY * copied
    return cycles


def tiles_in(conv: Convolution, outputs: Outputs) -> int:
    """Return the tiles of all images."""
    return conv.images * prod(ceil(size / step) for size, step in zip(conv.size, outputs, strict=True))


def factors_and_sums(conv: Convolution, outputs: Outputs) -> tuple[int, int]:
    """Return the factors of one tile and input channel, and its sums of one output channel."""
    filters = plane_filter(outputs, conv.taps, integers=conv.in_integers)
    return filters.products * filters.terms, filters.products


def constant_bytes_by_outputs(conv: Convolution, target: Target) -> dict[Outputs, int]:
    """Return the bytes of constants of each algorithm, by the results of a tile; one is direct convolution."""
    size, wide = (1, 2) if conv.in_integers else (FLOAT, FLOAT)
    channels = conv.in_channels * conv.out_channels
    tiles = {tile: wide * factors_and_sums(conv, tile)[0] * channels for tile in tiles_of(conv, target)}
    return {ONE: size * prod(conv.taps) * channels, **tiles}


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
