"""Schedules of Winograd transforms, and the blocks that keep their kernels in the L2 cache."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, i16
from xdsl.ir import Operation, SSAValue

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.convolutions import Convolution
from s2s.analysis.structure.renumber import renumber
from s2s.analysis.tile_and_fuse.fused_groups import groups_of
from s2s.analysis.tile_and_fuse.tiles import ComputeTile, first_tiles
from s2s.dialects import tensor
from s2s.dialects.loop.products import PAIR
from s2s.dialects.tensor import FusedTile
from s2s.schedules.default import default
from s2s.schedules.directives import CacheRead, Prefetch, Reorder, Tile, Unroll, Vectorize, register_tile
from s2s.schedules.directives.tile_and_fuse import in_tiles, overlaps
from s2s.schedules.fused_loops import FusedLoop, Tiles, fair_part
from s2s.targets import Target
from s2s.types.affine import coefficient, flat_index, ranges


def lanes_along(size: int, target: Target) -> int:
    """Return the lanes of vectors that divide a dimension of `size`: all or half of the target's; 0 if neither does, 1
    on a target without vectors."""
    if target.lanes == 1:
        return 1
    return next((lanes for lanes in (target.lanes, target.lanes // 2) if lanes >= 4 and size % lanes == 0), 0)


def fills_vectors(conv: Convolution, target: Target) -> bool:
    """Return whether channels of image and result fill vectors, and are contiguous or can be copied so."""
    read, write = conv.in_dims[-1], conv.out_dims[-1]
    beside = moves(conv.op, read).reads[conv.x] == 1 or len(conv.in_dims) == 1
    beside = beside and (moves(conv.op, write).result == 1 or len(conv.out_dims) == 1)
    return beside and all(lanes_along(conv.op.sizes[dim], target) > 0 for dim in (read, write))


def vector_dim(op: tensor.TransformOp, target: Target) -> tuple[int, int] | None:
    """Return the dimension that is contiguous in both image and result, and the lanes that divide it; None if there is
    none."""
    for dim, size in enumerate(op.sizes):
        lanes = PAIR if op.carrier == i16 and size % PAIR == 0 else lanes_along(size, target)
        if lanes > 1 and {_move(op, dim, reads=True), _move(op, dim, reads=False)} == {1}:
            return dim, lanes
    return None


def _move(op: tensor.TransformOp, dim: int, *, reads: bool) -> int | None:
    access, value = (op.read, op.x) if reads else (op.into, op.res)
    return coefficient(flat_index(access.map.data.results, shape_of(value)), dim, ranges(op.read_sizes))


def transform_schedule(op: tensor.TransformOp, target: Target, threads: int = 1) -> tensor.ScheduleAttr:
    """Return a schedule vectorized along the channels, in blocks for `threads`, with the loop along a row of tiles
    innermost."""
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
    """Return blocks of channels that divide evenly among `threads`, outside of the row loop, whose borders are peeled.
    Blocks are as large as possible, since the channels of a tile are contiguous."""
    rows, along = row_of_tiles(op)
    dims = [dim for dim in range(op.rank) if dim != along and op.sizes[dim] > 1]
    if threads == 1 or len(dims) < 2 or dims[0] != rows:
        return []
    dim = dims[1]
    tiles = op.sizes[dim] // tile[dim]
    size = fair_part(tiles, tiles, threads)
    return [(dim, size * tile[dim])] if size < tiles else []


def row_of_tiles(op: tensor.TransformOp) -> tuple[int, int]:
    """Return the dimensions that count rows of tiles, or images of one row, and tiles in a row."""
    for access, sizes in ((op.into, op.write_sizes), (op.read, op.read_sizes)):
        pairs: list[int] = []
        for inside in (op.rank, op.rank + 1):
            for expr in access.map.data.results:
                dims = [dim for dim in range(op.rank) if coefficient(expr, dim, ranges(sizes))]
                if coefficient(expr, inside, ranges(sizes)) == 1 and len(dims) == 1:
                    pairs.append(dims[0])
        if pairs:
            return pairs[0] if len(pairs) == 2 else 0, pairs[-1]
    return 0, min(1, op.rank - 1)


class FastConvolution(NamedTuple):
    """The three computations of a Winograd convolution, consecutive in a kernel."""

    first: tensor.TransformOp
    products: tensor.ComputeOp
    last: tensor.TransformOp

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Factors of a tile, tiles, output channels, input channels."""
        factors, tiles, out_channels, in_channels = self.products.sizes
        return factors, tiles, out_channels, in_channels

    @property
    def rows(self) -> tuple[int, int]:
        """The dimension of both transforms that counts rows of tiles, or images, and its size."""
        return 0, self.first.sizes[0]


def fast_convolutions(ops: Sequence[Operation]) -> list[FastConvolution]:
    """Return the Winograd convolutions in a kernel."""
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


FusedTiles = tuple[FusedTile, ...]
"""Tiles of dimensions that are tiled and fused with dimensions of other computations, outermost first."""


def tiles_of(conv: FastConvolution) -> Tiles:
    """Return the sizes of `conv`."""
    factors, tiles, out_channels, in_channels = conv.sizes
    _, rows = conv.rows
    return Tiles(factors, rows, tiles // rows, in_channels, out_channels)


def fused_blocks(conv: FastConvolution, loop: FusedLoop) -> dict[tensor.Computation, FusedTiles]:
    """Return the dimensions of `conv`'s computations to tile and fuse for `loop`, with the sizes of their blocks."""
    if loop.along == "channels":
        return _through_channels(conv, loop.size)
    if loop.along is None:
        return {}
    block = (FusedTile(conv.rows[0], loop.size),)
    return {conv.first: block, conv.products: (FusedTile(1, loop.size * tiles_of(conv).row),), conv.last: block}


def _channel_dim(conv: FastConvolution) -> int:
    """Return the dimension of the last transform that counts output channels, or blocks of them."""
    channel = conv.last.read.map.data.results[2]
    return next(dim for dim in sorted(channel.used_dims()) if conv.last.sizes[dim] > 1)


def channel_step(conv: FastConvolution) -> int:
    """Return the output channels that one step of that dimension covers."""
    return conv.sizes[2] // conv.last.sizes[_channel_dim(conv)]


def _through_channels(conv: FastConvolution, size: int) -> dict[tensor.Computation, FusedTiles]:
    """Tile and fuse along the output channels, `size` at a time."""
    last = FusedTile(_channel_dim(conv), size // channel_step(conv))
    return {conv.products: (FusedTile(2, size),), conv.last: (last,)}


class FusedStep(NamedTuple):
    """A computation whose domain is one fused tile, in a kernel of its own, and its arguments that may be packed."""

    op: tensor.Computation
    constants: frozenset[SSAValue]


def fused_step(op: tensor.Computation, fused: FusedTiles, constants: frozenset[SSAValue] = frozenset()) -> FusedStep:
    """Return `op` as one step of the fused loop computes it: in a copy of its kernel, with a domain as large as
    one tile. Schedules that fit it fit the tile. Without fused dimensions, and with tiles that overlap, it is `op`
    itself."""
    kernel = op.parent_op()
    if not fused or kernel is None or any(map(overlaps, fused)):
        return FusedStep(op, constants)
    module, mapped = op.get_toplevel_object(), dict[SSAValue, SSAValue]()
    copy = kernel.clone(mapped)
    ModuleOp([copy], module.attributes if isinstance(module, ModuleOp) else {})
    step = next(new for old, new in zip(kernel.walk(), copy.walk(), strict=True) if old is op)
    assert isinstance(step, tensor.Computation)
    if step.schedule is not None and step.schedule.states_tiles:
        step = _tile_of(step)
    else:
        sizes = {tile.dim: tile.size for tile in fused}
        domain = [min(sizes.get(dim, size), size) for dim, size in enumerate(op.sizes)]
        step.properties["domain"] = tensor.integers(domain)
    return FusedStep(step, frozenset(mapped[each] for each in constants if each in mapped))


def _tile_of(op: tensor.Computation) -> tensor.ComputeOp:
    """Replace the computations that are fused with `op` by their first tiles; return the tile of `op`."""
    block = op.parent_block()
    assert block is not None
    computations = [inner for inner in block.ops if isinstance(inner, tensor.Computation)]
    group = next(group for group in groups_of(computations) if op in group.ops)
    tiles = first_tiles(group)
    for whole, tile in zip(group.ops, tiles, strict=True):
        block.insert_op_before(tile.op, whole)
        for old, new in zip(whole.results, tile.op.results, strict=True):
            old.replace_all_uses_with(new)
    for whole in reversed(group.ops):
        whole.detach()
        whole.erase(safe_erase=False)
    own = tiles[group.ops.index(op)]
    assert isinstance(own, ComputeTile)
    tile, names = own.op, own.names[own.blocks :]
    renumber(tile, tensor.Renumbering.removing(own.blocks, tile.sizes, tile.rank), names)
    return tile


def in_fused_tiles(
    op: tensor.Computation,
    schedule: tensor.ScheduleAttr,
    fused: FusedTiles,
    constants: frozenset[SSAValue] = frozenset(),
) -> tensor.ScheduleAttr:
    """Return the schedule of `op` in fused tiles. In blocks of output channels, constants are streamed, a
    panel for each factor. So the next panel is prefetched, and so are the factors of the next tiles, which are far
    apart and may be in another core's cache. Other `constants` that vectors run across are packed."""
    tiled = in_tiles(schedule, fused)
    if isinstance(op, tensor.TransformOp) or not fused:
        return tiled
    if op.schedule is not None:
        vectors = schedule.find(Vectorize) is not None
        return tiled.adding(*_packs(op, fused[-1].dim, constants)) if vectors else tiled
    streams = [tile.dim for tile in fused] == [2]
    return tiled.without(Prefetch).adding(Prefetch.of(1, 0), Prefetch.of(0, 1)) if streams else tiled


def _packs(op: tensor.ComputeOp, row: int, constants: frozenset[SSAValue]) -> list[CacheRead]:
    """Packed layouts with contiguous rows for the constants that `op` reads, a mask for example."""
    packs: list[CacheRead] = []
    for number, (value, access) in enumerate(zip(op.epilogue, op.epilogue_accesses, strict=True)):
        results = access.map.data.results
        along = [axis for axis, expr in enumerate(results) if row in expr.used_dims()]
        last = [axis for axis, size in enumerate(shape_of(value)) if size > 1][-1:]
        if value not in constants or not value.has_one_use() or access.is_guarded or len(along) != 1 or along == last:
            continue
        order = [*(axis for axis in range(len(results)) if axis not in along), *along]
        packs.append(CacheRead.packed(len(op.reads) + number, [tensor.PackedAxis((axis,)) for axis in order]))
    return packs


def copy_schedule(op: tensor.ComputeOp, target: Target) -> tensor.ScheduleAttr:
    """Return the schedule of a layout copy: the contiguous dimension of the source is innermost, so that all bytes of a
    cache line are used before L1 evicts it."""
    plain = default(op, target, frozenset())
    beside = [dim for dim in range(op.rank) if moves(op, dim).epilogue == (1,)]
    order = [*(dim for dim in plain.on(op).order if dim not in beside), *beside]
    tiled = [plain.find(Tile), plain.find(Unroll), plain.find(Vectorize)]
    return tensor.ScheduleAttr.of([*tiled, Reorder.of(order)])
