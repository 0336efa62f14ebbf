"""Extract the tile of a transform that one block of its kernel executes, as a transform of its own; see `tiles.py`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from s2s.analysis.structure.compute import names_of
from s2s.analysis.tile_and_fuse.fused_groups import (
    LoopSplit,
    TileBuffer,
    block_numbers,
    fused_tiles,
    lies_in,
    written_blocks,
)
from s2s.dialects import tensor
from s2s.types.affine import at_dims, ranges, simplify
from s2s.types.dtypes import tensor_type


class TransformTile(NamedTuple):
    """The tile `op` of the transform `whole`; its first dimensions are the indices of the loops over blocks."""

    op: tensor.TransformOp
    whole: tensor.TransformOp
    splits: tuple[LoopSplit, ...]

    @property
    def names(self) -> list[str]:
        """The names of the dimensions of `op`, of its tile and of its window."""
        names = names_of(self.whole)
        return [*(f"{names[dim]}_block" for dim, _ in fused_tiles(self.whole)), *names]

    @staticmethod
    def of(
        op: tensor.TransformOp, splits: Sequence[LoopSplit], inner: Mapping[SSAValue, TileBuffer], kept: set[SSAValue]
    ) -> "TransformTile":
        """Return the tile of `op` in the blocks `splits`; its result holds one block if it is in `kept`."""
        return TransformTile(_TileBuilder(op, splits, inner).build(op.res in kept) if splits else op, op, tuple(splits))


class _TileBuilder:
    def __init__(
        self, op: tensor.TransformOp, splits: Sequence[LoopSplit], inner: Mapping[SSAValue, TileBuffer]
    ) -> None:
        self.op, self.splits, self.inner = op, splits, inner
        local = list(op.sizes)
        for split in splits:
            local[split.dim] = split.size
        self.sizes = [*(split.count for split in splits), *local]
        self.mapping = tensor.Renumbering.inserting([split.count for split in splits], local, op.rank)
        self.own: list[AffineExpr] = [AffineDimExpr(len(splits) + dim) for dim in range(op.rank + 2)]
        for number, split in enumerate(splits):
            self.own[split.dim] = AffineDimExpr(number) * split.step + self.own[split.dim] + split.first

    def build(self, keeps_block: bool) -> tensor.TransformOp:
        op = self.op
        into, result_type = self._into(keeps_block)
        tile = tensor.TransformOp(
            self.sizes,
            op.left,
            op.right,
            self._operand(op.x, op.read, op.read_sizes),
            into,
            op.apply.clone(),
            result_type,
            epilogue=[
                self._operand(value, access, op.write_sizes)
                for value, access in zip(op.epilogue, op.accesses, strict=True)
            ],
            schedule=None if op.schedule is None else op.schedule.inside_tile().renumbered(self.mapping),
            offset=op.added,
            divisor=op.divided_by,
        )
        tile.res.name_hint = op.res.name_hint
        return tile

    def _operand(
        self, value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]
    ) -> tuple[SSAValue, tensor.AccessAttr]:
        inner = self.inner.get(value)
        tile = sizes[self.op.rank :]
        if inner is None:
            moved = [at_dims(expr, self.own) for expr in access.map.data.results]
            return value, self._access(moved, tile, guarded=access.is_guarded)
        moved = inner.position(value, access, sizes, self.own, self.splits)
        return inner.block, self._access(moved, tile, guarded=access.is_guarded)

    def _into(self, keeps_block: bool) -> tuple[tensor.AccessAttr, Attribute]:
        op, shape = self.op, list(lies_in(self.op))
        moved = [at_dims(expr, self.own) for expr in op.into.map.data.results]
        if keeps_block:
            for (axis, block), number in zip(written_blocks(op), block_numbers(self.splits), strict=True):
                moved[axis] -= number * block
                shape[axis] = block
        element = tensor.element_type(op.res)
        return self._access(moved, op.outputs, guarded=op.into.is_guarded), tensor_type(element, tuple(shape))

    def _access(self, results: Sequence[AffineExpr], tile: Sequence[int], *, guarded: bool) -> tensor.AccessAttr:
        box = ranges([*self.sizes, *tile])
        affine_map = AffineMap(len(box), 0, tuple(simplify(expr, box) for expr in results))
        return tensor.AccessAttr.of(affine_map, guarded=guarded)
