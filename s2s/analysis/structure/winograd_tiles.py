"""Divide the result of a convolution into tiles for Winograd's algorithm: domains over tiles, and what they index.

For tiles of 1x2 results of a 3x3 window with 8 channels, the factors of tile `t` are `[j, t, 8 * i + c]`: four products
`j`, each a sum over the three rows `i` and the channels `c`. Tiles of 2x2 have factors `[4 * i + j, t, c]` instead.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from s2s.analysis.structure.compute import dim_names
from s2s.analysis.structure.convolutions import Convolution
from s2s.analysis.structure.winograd import PlaneFilter
from s2s.types.affine import at_dims, flat_index, ranges, simplify


class Tiling(NamedTuple):
    """A convolution, and the division of its result into tiles."""

    conv: Convolution
    filter: PlaneFilter
    in_words: bool = False
    """Whether images are transformed in 16 bits, of which scalar registers hold two, and not in 32."""

    @property
    def counts(self) -> tuple[int, int]:
        """The number of tile rows, and of tiles in a row."""
        rows, columns = (-(-size // each) for size, each in zip(self.conv.size, self.filter.outputs, strict=True))
        return rows, columns

    @property
    def tiles(self) -> int:
        """The number of tiles of all images."""
        rows, columns = self.counts
        return self.conv.images * rows * columns

    @property
    def overhangs(self) -> bool:
        """Whether tiles extend beyond the result."""
        return any(size % each for size, each in zip(self.conv.size, self.filter.outputs, strict=True))

    def domain(self, channels: Sequence[int]) -> list[int]:
        """Return the sizes of a domain over tiles and the given channel dimensions of the convolution."""
        sizes = self.conv.op.sizes
        return [*(sizes[dim] for dim in self.conv.batch), *self.counts, *(sizes[dim] for dim in channels)]

    def names(self, channels: Sequence[int]) -> StringAttr:
        """Names for the dimensions of that domain."""
        names = dim_names(self.conv.op)
        return StringAttr(" ".join([*(names[d] for d in self.conv.batch), "ty", "tx", *(names[d] for d in channels)]))

    def moved(self, channels: Sequence[int], *, into: bool) -> list[AffineExpr]:
        """Express the convolution's dimensions over that domain, followed by two dimensions of an input tile or, with
        `into`, of an output tile."""
        conv, batch = self.conv, len(self.conv.batch)
        place: list[AffineExpr] = [AffineConstantExpr(0)] * len(conv.op.sizes)
        for number, dim in enumerate(conv.batch):
            place[dim] = AffineDimExpr(number)
        for number, dim in enumerate(channels):
            place[dim] = AffineDimExpr(batch + 2 + number)
        for number, slide in enumerate((conv.rows, conv.columns)):
            if slide is None:
                continue
            start = AffineDimExpr(batch + number) * self.filter.outputs[number]
            place[slide.tap] = AffineDimExpr(batch + 2 + len(channels) + number)
            place[slide.position] = start + place[slide.tap] if into else start
        return place

    def tile_index(self) -> AffineExpr:
        """Return the index of a tile."""
        sizes = self.domain(())
        return flat_index([AffineDimExpr(dim) for dim in range(len(sizes))], sizes)

    def factors(self, channel: AffineExpr, channels: Sequence[int], rows: int) -> AffineMap:
        """Return the index of a transformed factor or product: `[columns * i + j, tile, channel]` for `rows` of them,
        or `[j, tile, in_channels * i + channel]` where rows are summed."""
        domain, width = self.domain(channels), self.filter.columns.size
        rank, box = len(domain), ranges([*domain, rows, width])
        i, j = AffineDimExpr(rank), AffineDimExpr(rank + 1)
        at, moved = i * width + j, at_dims(channel, self.moved(channels, into=False))
        if rows > self.filter.rows.products:
            at, moved = j, i * self.conv.in_channels + moved
        return AffineMap(rank + 2, 0, tuple(simplify(expr, box) for expr in (at, self.tile_index(), moved)))
