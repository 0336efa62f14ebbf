"""Choose the loop that the steps of a Winograd convolution are fused into, by the bytes that then come from beyond L2.

Either blocks of tile rows stay in L2 from the factors of the image to the results; constants stay beside them or are
read again for every block. Or the factors of the whole image stay, and the products are computed in blocks of channels:
constants are read once, a panel for each factor, and factors that exceed L2 are read again for every block of channels.
"""

from math import ceil
from typing import Literal, NamedTuple

from s2s.targets import Target

FLOAT = 4
"""Bytes of an element."""
VECTORS_PER_BLOCK = 2
"""Vectors in a block of channels: the vectors in the register tile of the products."""


class Tiles(NamedTuple):
    """The sizes of a Winograd convolution."""

    factors: int
    """Factors of one tile."""
    rows: int
    """Rows of tiles, or images."""
    row: int
    """Tiles in a row."""
    in_channels: int
    out_channels: int

    @property
    def constants(self) -> int:
        """Bytes of the transformed filters."""
        return FLOAT * self.factors * self.in_channels * self.out_channels

    @property
    def image(self) -> int:
        """Bytes of the factors of the image."""
        return FLOAT * self.factors * self.rows * self.row * self.in_channels

    @property
    def moved(self) -> int:
        """Bytes of all factors and products."""
        return self.image // self.in_channels * (self.in_channels + self.out_channels)


class FusedLoop(NamedTuple):
    """A loop over blocks of `size` tile rows or output channels; without blocks, each step is a loop of its own."""

    along: Literal["rows", "channels"] | None
    size: int
    times: int = 1
    """How often the constants are read."""
    again: int = 0
    """Bytes of factors that leave L2 and are read again."""


def fused_loop(tiles: Tiles, target: Target, threads: int = 1) -> FusedLoop:
    """Return the loop with the fewest bytes from beyond L2, in blocks that divide evenly among `threads`."""
    return fused_loops(tiles, target, threads)[0]


def fused_loops(tiles: Tiles, target: Target, threads: int = 1) -> list[FusedLoop]:
    """Return the loops to choose from, that with the fewest bytes from beyond L2 first."""
    none = FusedLoop(None, 0)
    if target.l2_bytes == 0:
        return [FusedLoop("rows", 1), none] if target.lanes == 1 and tiles.rows > 1 else [none]
    rows, channels = _along_rows(tiles, target, threads), _along_channels(tiles, target)
    if tiles.constants + tiles.moved <= target.l2_bytes // 2:
        return [none, rows, channels]
    fewer = channels.again <= (rows.times - 1) * tiles.constants
    by_channels = fewer and tiles.constants > target.l2_bytes // 2
    return [channels, rows, none] if by_channels else [rows, channels, none]


def _along_rows(tiles: Tiles, target: Target, threads: int) -> FusedLoop:
    cache, row = target.l2_bytes, tiles.moved // tiles.rows
    stay = tiles.constants + row <= cache * 7 // 8
    room = cache // 2 - min(tiles.constants, cache // 4) if stay else cache * 3 // 4
    most = max(1, room // row)
    size = _even_part(tiles.rows, most) if threads == 1 else fair_part(tiles.rows, most, threads)
    if size == tiles.rows:
        return FusedLoop(None, 0)
    return FusedLoop("rows", size, 1 if stay else ceil(tiles.rows / size))


def _along_channels(tiles: Tiles, target: Target) -> FusedLoop:
    size = VECTORS_PER_BLOCK * target.lanes
    leave = tiles.image > target.l2_bytes * 3 // 4
    return FusedLoop("channels", size, again=tiles.image * (ceil(tiles.out_channels / size) + 1) if leave else 0)


def _even_part(size: int, most: int) -> int:
    """Return the block size, at most `most`: a divisor of `size` if that costs little, so that no block is shorter."""
    if most >= size:
        return size
    divisor = max(part for part in range(1, most + 1) if size % part == 0)
    return divisor if divisor * 2 > most else most


def fair_part(size: int, most: int, threads: int) -> int:
    """Return the largest divisor of `size`, at most `most`, with which `threads` finish earliest. For 14 on 4
    threads, parts of 1 and of 2 both take 4 units of time, so it is 2."""
    parts = [part for part in range(1, min(size, most) + 1) if size % part == 0]
    return min(parts, key=lambda part: (-(-size // part // threads) * part, -part))
