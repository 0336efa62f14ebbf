"""Which way a fast convolution walks through its tiles, told by what then comes from beyond the second cache.

Blocks of rows of tiles stay in the cache from the factors of the image to the results; constants stay beside them, or
come again for every block. Or the factors of the whole image stay, and the products of some channels at a time:
constants come once, a panel for each factor, and factors that are too many come again for every block of channels.
"""

from dataclasses import dataclass
from math import ceil
from typing import Literal

from s2s.targets import Target

FLOAT = 4
"""Bytes of an element."""
ABREAST = 2
"""Vectors of channels in a block of them, as wide as the register tile of the products."""


@dataclass(frozen=True)
class Tiles:
    """The sizes of a fast convolution."""

    factors: int
    """Of one tile."""
    rows: int
    """Rows of tiles, or images."""
    row: int
    """Tiles in one of them."""
    in_channels: int
    out_channels: int

    @property
    def constants(self) -> int:
        """Bytes of the transformed window."""
        return FLOAT * self.factors * self.in_channels * self.out_channels

    @property
    def image(self) -> int:
        """Bytes of the factors of the image."""
        return FLOAT * self.factors * self.rows * self.row * self.in_channels

    @property
    def moved(self) -> int:
        """Bytes of all factors and products."""
        return self.image // self.in_channels * (self.in_channels + self.out_channels)


@dataclass(frozen=True)
class TileWalk:
    """Blocks of `size` rows of tiles or channels of the result, or no blocks."""

    along: Literal["rows", "channels"] | None
    size: int
    times: int = 1
    """How often the constants come."""
    again: int = 0
    """Bytes of factors that leave the second cache and come again."""


def tile_walk(tiles: Tiles, target: Target, threads: int = 1) -> TileWalk:
    """The walk for which the fewest bytes come from beyond the second cache, in blocks that `threads` share evenly."""
    if target.l2_bytes == 0 or tiles.constants + tiles.moved <= target.l2_bytes // 2:
        return TileWalk(None, 0)
    rows, channels = _along_rows(tiles, target, threads), _along_channels(tiles, target)
    fewer = channels.again <= (rows.times - 1) * tiles.constants
    return channels if fewer and tiles.constants > target.l2_bytes // 2 else rows


def _along_rows(tiles: Tiles, target: Target, threads: int) -> TileWalk:
    cache, row = target.l2_bytes, tiles.moved // tiles.rows
    stay = tiles.constants + row <= cache * 7 // 8
    room = cache // 2 - min(tiles.constants, cache // 4) if stay else cache * 3 // 4
    most = max(1, room // row)
    size = _even_part(tiles.rows, most) if threads == 1 else fair_part(tiles.rows, most, threads)
    if size == tiles.rows:
        return TileWalk(None, 0)
    return TileWalk("rows", size, 1 if stay else ceil(tiles.rows / size))


def _along_channels(tiles: Tiles, target: Target) -> TileWalk:
    size = ABREAST * target.lanes
    leave = tiles.image > target.l2_bytes * 3 // 4
    return TileWalk("channels", size, again=tiles.image * (ceil(tiles.out_channels / size) + 1) if leave else 0)


def _even_part(size: int, most: int) -> int:
    """At most `most` of `size`, so that the last part is not shorter than the others if that costs little."""
    if most >= size:
        return size
    divisor = max(part for part in range(1, most + 1) if size % part == 0)
    return divisor if divisor * 2 > most else most


def fair_part(size: int, most: int, threads: int) -> int:
    """The largest part, at most `most`, of which `size` has a whole number, that lets `threads` end soonest."""
    parts = [part for part in range(1, min(size, most) + 1) if size % part == 0]
    return min(parts, key=lambda part: (-(-size // part // threads) * part, -part))
