"""Extract the tile of a transform that one block of its kernel executes, as a transform of its own; see `tiles.py`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from s2s.analysis.structure.compute import names_of
from s2s.analysis.tile_and_fuse.fused_groups import Cut, Inner, block_numbers, fused_tiles, lies_in, written_blocks
from s2s.dialects import tensor
from s2s.types.affine import ranges, simplify
from s2s.types.dtypes import tensor_type


class TransformTile(NamedTuple):
    """The tile `op` of the transform `whole`; its first dimensions are the indices of the loops over blocks."""

    op: tensor.TransformOp
    whole: tensor.TransformOp
    cuts: tuple[Cut, ...]

    @property
    def names(self) -> list[str]:
        """The names of the dimensions of `op`, of its tile and of its window."""
        names = names_of(self.whole)
        return [*(f"{names[dim]}_block" for dim, _ in fused_tiles(self.whole)), *names]

    @staticmethod
    def of(
        op: tensor.TransformOp, cuts: Sequence[Cut], inner: Mapping[SSAValue, Inner], kept: set[SSAValue]
    ) -> "TransformTile":
        """Return the tile of `op` in the blocks `cuts`; its result holds one block if it is in `kept`."""
        return TransformTile(_TileBuilder(op, cuts, inner).build(op.res in kept) if cuts else op, op, tuple(cuts))


class _TileBuilder:
    def __init__(self, op: tensor.TransformOp, cuts: Sequence[Cut], inner: Mapping[SSAValue, Inner]) -> None:
        self.op, self.cuts, self.inner = op, cuts, inner
        local = list(op.sizes)
        for cut in cuts:
            local[cut.dim] = cut.size
        self.sizes = [*(cut.count for cut in cuts), *local]
        self.mapping = tensor.Renumbering.inserting([cut.count for cut in cuts], local, op.rank)
        self.own: list[AffineExpr] = [AffineDimExpr(len(cuts) + dim) for dim in range(op.rank + 2)]
        for number, cut in enumerate(cuts):
            self.own[cut.dim] = AffineDimExpr(number) * cut.step + self.own[cut.dim] + cut.first

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
            points=[
                self._operand(value, access, op.write_sizes)
                for value, access in zip(op.points, op.accesses, strict=True)
            ],
            schedule=None if op.schedule is None else op.schedule.inside_tile().renumbered(self.mapping),
        )
        tile.res.name_hint = op.res.name_hint
        return tile

    def _operand(
        self, value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int]
    ) -> tuple[SSAValue, tensor.AccessAttr]:
        inner = self.inner.get(value)
        tile = sizes[self.op.rank :]
        if inner is None:
            moved = [expr.replace_dims_and_symbols(self.own, ()) for expr in access.map.data.results]
            return value, self._access(moved, tile, guarded=access.is_guarded)
        moved = inner.position(value, access, sizes, self.own, self.cuts)
        return inner.block, self._access(moved, tile, guarded=access.is_guarded)

    def _into(self, keeps_block: bool) -> tuple[tensor.AccessAttr, Attribute]:
        op, shape = self.op, list(lies_in(self.op))
        moved = [expr.replace_dims_and_symbols(self.own, ()) for expr in op.into.map.data.results]
        if keeps_block:
            for (axis, block), number in zip(written_blocks(op), block_numbers(self.cuts), strict=True):
                moved[axis] -= number * block
                shape[axis] = block
        element = tensor.element_type(op.res)
        return self._access(moved, op.outputs, guarded=op.into.is_guarded), tensor_type(element, tuple(shape))

    def _access(self, results: Sequence[AffineExpr], tile: Sequence[int], *, guarded: bool) -> tensor.AccessAttr:
        box = ranges([*self.sizes, *tile])
        affine_map = AffineMap(len(box), 0, tuple(simplify(expr, box) for expr in results))
        return tensor.AccessAttr.of(affine_map, guarded=guarded)
