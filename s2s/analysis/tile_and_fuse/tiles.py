"""Extract the tile of a computation that one block of its kernel executes, as a computation of its own.

    tensor.compute [8, 20 | 4] reads(%x at (i, j, r) -> (i, j, r)) … #tensor.schedule<[…, tile_and_fuse<1 by 16>]>
->
    tensor.compute [1, 8, 16 | 4] reads(%x at (b, i, j, r) -> (i, b * 16 + j, r)) …

The block dimensions come first: they are the loops around the tile, which executes one position of each. A buffer that
only the group uses does not have them. The last block of 20 columns has four; it is another tile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from s2s.analysis.structure.compute import dim_names
from s2s.analysis.tile_and_fuse.fused_groups import (
    FusedGroup,
    LoopSplit,
    TileBuffer,
    computed_at,
    full_split,
    fused_tiles,
    overlap_of,
)
from s2s.analysis.tile_and_fuse.transform_tiles import TransformTile
from s2s.dialects import tensor
from s2s.support.frozen import frozen
from s2s.types.affine import Range, at_dims, flat_index, ranges, simplify
from s2s.types.dtypes import as_tensor_type

Ends = tuple[AffineExpr, AffineExpr]
"""The first index, and the index behind the last one."""


@frozen
class ComputeTile:
    """The tile `op` of the computation `whole`; the first `blocks` dimensions of `op` are the indices of the loops over
    blocks."""

    op: tensor.ComputeOp
    whole: tensor.ComputeOp
    blocks: int
    own: tuple[AffineExpr, ...]
    """The indices of the dimensions of `whole`, over the dimensions of `op`."""
    places: tuple[AffineExpr, ...]
    """The flat position of each result in its buffer, over the dimensions of `op`."""
    held: frozenset[SSAValue] = frozenset()
    """Operands and results whose buffers hold one block."""
    room: Mapping[int, int] = field(default_factory=dict[int, int])
    """The positions that a one-block buffer has room for along a fused dimension of `op`."""
    window: Mapping[int, Ends] = field(default_factory=dict[int, Ends])
    """The bounds of a dimension of `op` inside of the whole domain, where overlapping blocks reach beyond it."""

    @property
    def varying(self) -> dict[int, str]:
        """The dimensions of `op` that belong to one of `whole` whose size varies, each with that size."""
        names = enumerate(self.whole.sizes_at_run_time, self.blocks)
        return {dim: name for dim, name in names if name}

    def start(self, dim: int, dims: Sequence[AffineExpr]) -> AffineExpr:
        """Return the position in the whole domain at which dimension `dim` of the block at `dims` begins."""
        here = list(dims)
        here[dim] = AffineConstantExpr(0)
        return at_dims(self.own[dim - self.blocks], here)

    def inside(self, dim: int, dims: Sequence[AffineExpr]) -> tuple[tuple[AffineExpr, ...], tuple[AffineExpr, ...]]:
        """Return the lower and upper bounds of `dim` for the block at `dims`."""
        if dim not in self.window:
            return (), ()
        low, high = (at_dims(expr, dims) for expr in self.window[dim])
        return (low,), (high,)

    @property
    def box(self) -> list[Range]:
        """The ranges of the dimensions of `op`."""
        return ranges(self.op.sizes)

    @property
    def names(self) -> list[str]:
        """The names of the dimensions of `op`."""
        names, step = dim_names(self.whole), computed_at(self.whole)
        blocks = [*(dim for dim, _ in fused_tiles(self.whole)), *([] if step is None else [step])]
        return [*(f"{names[dim]}_block" for dim in blocks), *names]

    @staticmethod
    def entire(op: tensor.ComputeOp) -> "ComputeTile":
        """Return all of `op` as one tile, outside of any loop over blocks."""
        own = tuple(AffineDimExpr(dim) for dim in range(len(op.sizes)))
        return ComputeTile(op, op, 0, own, (flat_index(own[: op.rank], op.parallel_sizes),) * len(op.res))

    @staticmethod
    def of(
        op: tensor.ComputeOp, splits: Sequence[LoopSplit], inner: Mapping[SSAValue, TileBuffer], kept: set[SSAValue]
    ) -> "ComputeTile":
        """Return the tile of `op` in the blocks `splits`; the results in `kept` hold one block."""
        return _TileBuilder(op, splits, inner).build(kept) if splits else ComputeTile.entire(op)


class _TileBuilder:
    def __init__(self, op: tensor.ComputeOp, splits: Sequence[LoopSplit], inner: Mapping[SSAValue, TileBuffer]) -> None:
        self.op, self.splits, self.inner = op, splits, inner
        sizes = list(op.sizes)
        for split in splits:
            sizes[split.dim] = split.size
        self.room = list(sizes)
        for split in splits:
            self.room[split.dim] = max(split.step, split.size)
        self.sizes = [*(split.count for split in splits), *sizes]
        self.mapping = tensor.Renumbering.inserting([split.count for split in splits], sizes, op.rank)
        self.own: list[AffineExpr] = [AffineDimExpr(len(splits) + dim) for dim in range(len(op.sizes))]
        for number, split in enumerate(splits):
            self.own[split.dim] = AffineDimExpr(number) * split.step + self.own[split.dim] + split.first

    def build(self, kept: set[SSAValue]) -> ComputeTile:
        op, count = self.op, len(self.splits)
        rank = count + op.rank
        reads = [self._operand(value, access, len(self.sizes)) for value, access in _pairs(op.reads, op.read_accesses)]
        epilogue = [self._operand(value, access, rank) for value, access in _pairs(op.epilogue, op.epilogue_accesses)]
        tile = tensor.ComputeOp(
            self.sizes[:rank],
            self.sizes[rank:],
            reads=reads,
            epilogue=epilogue,
            tables=op.tables,
            inits=op.inits.data,
            reduce=None if op.reduce is None else op.reduce.clone(),
            apply=op.apply.clone(),
            result_types=[self._type(result, kept) for result in op.res],
            schedule=None if op.schedule is None else op.schedule.inside_tile().renumbered(self.mapping),
        )
        for new, old in zip(tile.res, op.res, strict=True):
            new.name_hint = old.name_hint
        blocks = [inner.block for inner in self.inner.values()]
        held = [new for new, old in zip(tile.res, op.res, strict=True) if old in kept]
        return ComputeTile(
            tile,
            op,
            count,
            tuple(self.own),
            tuple(self._place(result, kept) for result in op.res),
            frozenset([*held, *(value for value in tile.operands if value in blocks)]),
            {count + split.dim: max(split.step, split.size) for split in self.splits},
            self._window(),
        )

    def _window(self) -> dict[int, Ends]:
        """Return the bounds of the dimensions whose blocks overlap."""
        if not any(overlap_of(self.op)):
            return {}
        start = [AffineDimExpr(number) * split.step + split.first for number, split in enumerate(self.splits)]
        sizes = self.op.sizes
        return {
            len(self.splits) + split.dim: (base * -1, base * -1 + sizes[split.dim])
            for base, split in zip(start, self.splits, strict=True)
        }

    def _operand(self, value: SSAValue, access: tensor.AccessAttr, dims: int) -> tuple[SSAValue, tensor.AccessAttr]:
        """Return the operand with its access in the tile: a buffer for one block is indexed by the position in the
        block."""
        inner = self.inner.get(value)
        if inner is None:
            return value, self._access(access.map.data.results, access, access.division, dims)
        moved = inner.position(value, access, self.op.sizes[: dims - len(self.splits)], self.own, self.splits)
        division = access.division if len(access.division) == len(moved) else (1,) * len(moved)
        affine_map = AffineMap(dims, 0, tuple(simplify(expr, ranges(self.sizes)) for expr in moved))
        return inner.block, tensor.AccessAttr.of(affine_map, guarded=access.is_guarded, divisors=division)

    def _access(
        self, results: Sequence[AffineExpr], access: tensor.AccessAttr, division: Sequence[int], dims: int
    ) -> tensor.AccessAttr:
        moved = [simplify(at_dims(expr, self.own), ranges(self.sizes)) for expr in results]
        affine_map = AffineMap(dims, 0, tuple(moved))
        return tensor.AccessAttr.of(affine_map, guarded=access.is_guarded, divisors=division)

    def _type(self, result: SSAValue, kept: set[SSAValue]) -> Attribute:
        if result not in kept:
            return result.type
        return TensorType(as_tensor_type(result.type).element_type, self.room[: self.op.rank])

    def _place(self, result: SSAValue, kept: set[SSAValue]) -> AffineExpr:
        rank, first = self.op.rank, len(self.splits)
        if result in kept:
            return flat_index([AffineDimExpr(first + dim) for dim in range(rank)], self.room[:rank])
        return flat_index(self.own[:rank], self.op.parallel_sizes)


def _pairs(
    values: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]
) -> list[tuple[SSAValue, tensor.AccessAttr]]:
    return list(zip(values, accesses, strict=True))


def tiles_of(group: FusedGroup, chosen: Sequence[Sequence[LoopSplit]]) -> list[ComputeTile | TransformTile]:
    """Return the tile of each computation of `group`; `chosen` holds the splits of each."""
    kept = set(group.inner)
    inner: dict[SSAValue, TileBuffer] = {}
    made: list[ComputeTile | TransformTile] = []
    for op, shared in zip(group.ops, chosen, strict=True):
        step = computed_at(op)
        splits = [*shared, *([] if step is None else [LoopSplit(step, 0, 1, op.sizes[step], 1)])]
        tile = (
            TransformTile.of(op, splits, inner, kept)
            if isinstance(op, tensor.TransformOp)
            else ComputeTile.of(op, splits, inner, kept)
        )
        inner |= {old: TileBuffer(op, new) for old, new in zip(op.results, tile.op.results, strict=True) if old in kept}
        made.append(tile)
    return made


def first_tiles(group: FusedGroup) -> list[ComputeTile | TransformTile]:
    """Return the tiles of the first block, which no other block exceeds in size."""
    return tiles_of(group, [[_first_split(op, level) for level in range(len(fused_tiles(op)))] for op in group.ops])


def _first_split(op: tensor.Computation, level: int) -> LoopSplit:
    if any(overlap_of(op)):
        return full_split(op, level, 1)
    dim, size = fused_tiles(op)[level]
    return LoopSplit(dim, 0, size, 1, min(size, op.sizes[dim]))
