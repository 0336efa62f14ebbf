"""Schedules of the transforms of fast convolutions, and the blocks in which their kernels stay in the second cache."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.convolutions import Convolution
from s2s.dialects import tensor
from s2s.schedules.default import default
from s2s.schedules.directives import Prefetch, Reorder, Tile, Unroll, Vectorize, register_tile
from s2s.schedules.directives.tile_and_fuse import in_tiles
from s2s.schedules.tile_walks import Tiles, fair_part, tile_walk
from s2s.targets import Target
from s2s.types.affine import coefficient, flat_index, ranges


def lanes_along(size: int, target: Target) -> int:
    """Lanes of the vectors that fill a dimension of `size`: all, or half of them; 0 where neither does."""
    return next((lanes for lanes in (target.lanes, target.lanes // 2) if lanes >= 4 and size % lanes == 0), 0)


def fills_vectors(conv: Convolution, target: Target) -> bool:
    """Whether channels of image and result fill vectors, and lie side by side or can be copied so."""
    read, write = conv.in_dims[-1], conv.out_dims[-1]
    beside = moves(conv.op, read).reads[conv.x] == 1 or len(conv.in_dims) == 1
    beside = beside and (moves(conv.op, write).result == 1 or len(conv.out_dims) == 1)
    return beside and all(lanes_along(conv.op.sizes[dim], target) > 0 for dim in (read, write))


def vector_dim(op: tensor.TransformOp, target: Target) -> tuple[int, int] | None:
    """The dimension along which image and result both lie side by side, and how many lanes fit it."""
    for dim, size in enumerate(op.sizes):
        lanes = lanes_along(size, target)
        if lanes and {_move(op, dim, reads=True), _move(op, dim, reads=False)} == {1}:
            return dim, lanes
    return None


def _move(op: tensor.TransformOp, dim: int, *, reads: bool) -> int | None:
    access, value = (op.read, op.x) if reads else (op.into, op.res)
    return coefficient(flat_index(access.map.data.results, shape_of(value)), dim, ranges(op.read_sizes))


def transform_schedule(op: tensor.TransformOp, target: Target, threads: int = 1) -> tensor.ScheduleAttr:
    """Vectors along the channels, in blocks for `threads`; the dimension along a row of tiles comes last."""
    found = vector_dim(op, target)
    dim, lanes = found if found is not None else (None, 1)
    tile = [lanes if each == dim else 1 for each in range(op.rank)]
    along = row_of_tiles(op)[1]
    order = [each for each in range(op.rank) if each != along]
    blocks = fair_blocks(op, tile, threads)
    return tensor.ScheduleAttr.of(
        [*register_tile(op, tile, blocks), Vectorize.of(dim, lanes), Reorder.of([*order, along])]
    )


def fair_blocks(op: tensor.TransformOp, tile: Sequence[int], threads: int) -> list[tuple[int, int]]:
    """Blocks of channels that `threads` share evenly, around the loop over rows, whose borders are code of their own:
    as large as that allows, since channels of a tile lie side by side."""
    rows, along = row_of_tiles(op)
    dims = [dim for dim in range(op.rank) if dim != along and op.sizes[dim] > 1]
    if threads == 1 or len(dims) < 2 or dims[0] != rows:
        return []
    dim = dims[1]
    tiles = op.sizes[dim] // tile[dim]
    size = fair_part(tiles, tiles, threads)
    return [(dim, size * tile[dim])] if size < tiles else []


def row_of_tiles(op: tensor.TransformOp) -> tuple[int, int]:
    """The dimensions from row to row of tiles, and along a row: where image or result lie in tiles that stand beside
    each other, those of their rows and columns."""
    for access, sizes in ((op.into, op.write_sizes), (op.read, op.read_sizes)):
        pairs: list[int] = []
        for inside in (op.rank, op.rank + 1):
            for expr in access.map.data.results:
                dims = [dim for dim in range(op.rank) if coefficient(expr, dim, ranges(sizes))]
                if coefficient(expr, inside, ranges(sizes)) == 1 and len(dims) == 1:
                    pairs.append(dims[0])
        if len(pairs) == 2:
            return pairs[0], pairs[1]
    return 0, min(1, op.rank - 1)


@dataclass(frozen=True)
class FastConvolution:
    """The three computations that take the place of a convolution, one behind the other in a kernel."""

    first: tensor.TransformOp
    products: tensor.ComputeOp
    last: tensor.TransformOp

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Factors of a tile, tiles, channels of the result, channels of the image."""
        factors, tiles, out_channels, in_channels = self.products.sizes
        return factors, tiles, out_channels, in_channels

    @property
    def rows(self) -> tuple[int, int]:
        """The dimension of both transforms from row to row of tiles, or from image to image, and its size."""
        return 0, self.first.sizes[0]


def fast_convolutions(ops: Sequence[Operation]) -> list[FastConvolution]:
    """Those in a kernel."""
    found: list[FastConvolution] = []
    for first, products, last in zip(ops, ops[1:], ops[2:], strict=False):
        if (
            isinstance(first, tensor.TransformOp)
            and isinstance(products, tensor.ComputeOp)
            and isinstance(last, tensor.TransformOp)
            and products.reads[0] is first.res
            and last.x is products.res[0]
        ):
            found.append(FastConvolution(first, products, last))
    return found


Walk = tuple[tuple[int, int], ...]


def blocks_in_cache(conv: FastConvolution, target: Target, threads: int) -> dict[tensor.Computation, Walk]:
    """The dimensions that the computations of `conv` walk through together, so that what passes between them stays in
    the second cache, and `threads` have as much to do; none where everything stays there."""
    factors, tiles, out_channels, in_channels = conv.sizes
    dim, rows = conv.rows
    walk = tile_walk(Tiles(factors, rows, tiles // rows, in_channels, out_channels), target, threads)
    if walk.along == "channels":
        return _through_channels(conv, walk.size)
    if walk.along is None:
        return {}
    block = ((dim, walk.size),)
    return {conv.first: block, conv.products: ((1, walk.size * (tiles // rows)),), conv.last: block}


def _through_channels(conv: FastConvolution, most: int) -> dict[tensor.Computation, Walk]:
    """Channels of the result, at most so many at a time."""
    out_channels, channel = conv.sizes[2], conv.last.read.map.data.results[2]
    dim = next(dim for dim in sorted(channel.used_dims()) if conv.last.sizes[dim] > 1)
    step = out_channels // conv.last.sizes[dim]
    size = max(step, min(out_channels, most) // step * step)
    return {conv.products: ((2, size),), conv.last: ((dim, size // step),)}


def in_walk(op: tensor.Computation, schedule: tensor.ScheduleAttr, walk: Walk) -> tensor.ScheduleAttr:
    """The schedule of `op` in the blocks of `walk`. Where the channels of a result are walked through, constants stream
    by, a panel for each factor: the next one is fetched, and so are the factors of the next tiles, which lie far apart
    and may come from the cache of another thread."""
    walking = in_tiles(schedule, walk)
    streams = isinstance(op, tensor.ComputeOp) and [dim for dim, _ in walk] == [2]
    return walking.without(Prefetch).adding(Prefetch.of(1, 0), Prefetch.of(0, 1)) if streams else walking


def copy_schedule(op: tensor.ComputeOp, target: Target) -> tensor.ScheduleAttr:
    """The schedule of a copy to another order of axes: what lies side by side in the source is walked through inside,
    so that the lines which a vector of distant elements touches are used up before they leave the first cache."""
    plain = default(op, target, frozenset())
    beside = [dim for dim in range(op.rank) if moves(op, dim).points == (1,)]
    order = [*(dim for dim in plain.on(op).order if dim not in beside), *beside]
    tiled = [plain.find(Tile), plain.find(Unroll), plain.find(Vectorize)]
    return tensor.ScheduleAttr.of([*tiled, Reorder.of(order)])
